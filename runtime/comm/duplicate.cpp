// A duplicate is the parent's group under a new context.
#include "comm/duplicate.hpp"

#include <utility>

#include "boot/job.hpp"
#include "comm/create.hpp"
#include "comm/group.hpp"

namespace weft::comm {

int Duplication::start(Communicator& parent, const Info* hints) {
  retain(*parent.group);
  made_ = assemble(*parent.group, 0, *parent.error_handler);
  if (hints == nullptr) hints = parent.info;
  if (hints != nullptr) made_->info = duplicate(*hints);
  const int code = copy_attributes(parent.attributes, made_->attributes, ObjectKind::communicator, parent.handle);
  if (code != MPI_SUCCESS) {
    (void)delete_all_attributes(made_->attributes, ObjectKind::communicator, made_->handle);
    release(*std::exchange(made_, nullptr));
    return code;
  }
  parent_ = &parent;
  retain(parent);
  if (parent.rank == 0) context_ = new_context(boot::job().rank);
  broadcast_.start(circle_of(parent), &context_, sizeof context_);
  return MPI_SUCCESS;
}

bool Duplication::poll() {
  if (!broadcast_.poll()) return false;
  release(*parent_);
  if (status() == Status::ok) {
    made_->context = context_;
    complete(*made_);
  }
  return true;
}

}  // namespace weft::comm
