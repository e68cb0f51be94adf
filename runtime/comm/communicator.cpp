// The life of a communicator, and the hooks of the floors above.
#include "comm/communicator.hpp"

#include <vector>

#include "comm/create.hpp"
#include "comm/group.hpp"
#include "comm/info.hpp"

namespace weft::comm {

namespace detail {
Communicator* world = nullptr;
Communicator* self = nullptr;
}  // namespace detail

namespace {

std::vector<CommunicatorHook>& hooks() {
  static std::vector<CommunicatorHook> list;
  return list;
}

}  // namespace

void add_communicator_hook(const CommunicatorHook& hook) { hooks().push_back(hook); }

void complete(Communicator& communicator) {
  communicator.completed = true;
  for (const CommunicatorHook& hook : hooks()) hook.born(communicator);
}

const Communicator* program_communicator() noexcept {
  if (self() == nullptr) return world();
  return self()->error_handler == &errors_are_fatal() ? world() : self();
}

void retain(Communicator& communicator) noexcept { ++communicator.references; }

void release(Communicator& communicator) {
  if (--communicator.references != 0) return;
  if (communicator.completed)
    for (auto hook = hooks().rbegin(); hook != hooks().rend(); ++hook) hook->gone(communicator);
  if (communicator.info != nullptr) release(*communicator.info);
  release(*communicator.error_handler);
  release(*communicator.group);
  Pool<Communicator>::release(&communicator);
}

}  // namespace weft::comm
