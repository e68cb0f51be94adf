// Creating communicators: who is in, which context, what is inherited.
#include "comm/create.hpp"

#include <algorithm>
#include <numeric>

#include "boot/job.hpp"
#include "comm/exchange.hpp"
#include "os/require.hpp"

namespace weft::comm {

namespace {

// A context: who made it (30 bits), its maker's counter (31 bits), the kind of traffic (3 bits).
constexpr int kind_bits = 3;
constexpr int counter_bits = 31;
constexpr std::uint64_t counter_limit = std::uint64_t{1} << counter_bits;
constexpr std::uint64_t world_counter = 1, self_counter = 2;
std::uint64_t last_counter = self_counter;

constexpr std::uint64_t context_of(int world_rank, std::uint64_t counter) {
  return (static_cast<std::uint64_t>(world_rank) << (counter_bits + kind_bits)) | (counter << kind_bits);
}

Circle members_of(const Communicator& parent, const Group& group, std::uint64_t context, int tag) {
  Circle circle{.peers = parent.peers, .ranks = {}, .size = group.size(), .me = group.my_rank, .context = context, .tag = tag};
  std::vector<int> places(group.members.size());
  std::iota(places.begin(), places.end(), 0);
  circle.ranks.resize(places.size());
  translate(group, places, *parent.group, circle.ranks.data(), -1, -1);
  return circle;
}

// The group's first member makes the context and tells the others.
Status agree_and_make(Communicator& parent, const Circle& circle, Group& group, Communicator*& made) {
  std::uint64_t context = circle.me == 0 ? new_context(boot::job().rank) : 0;
  const Status status = broadcast(circle, &context, sizeof context);
  if (status != Status::ok) return status;
  retain(group);
  made = assemble(group, context, *parent.error_handler);
  complete(*made);
  return Status::ok;
}

}  // namespace

std::uint64_t new_context(int world_rank) {
  WEFT_REQUIRE(last_counter + 1 < counter_limit);
  return context_of(world_rank, ++last_counter);
}

Communicator* assemble(Group& group, std::uint64_t context, ErrorHandler& error_handler) {
  Communicator* made = Pool<Communicator>::make();
  made->rank = group.my_rank;
  made->size = group.size();
  made->context = context;
  made->group = &group;
  made->peers = group.members.data();
  made->error_handler = &error_handler;
  retain(error_handler);
  made->handle = reinterpret_cast<MPI_Comm>(made);
  return made;
}

Status split(Communicator& parent, int color, int key, Communicator*& made) {
  struct Wish {
    int color;
    int key;
    std::uint64_t context;       // used if this rank turns out to lead its group
  };
  std::vector<Wish> wishes(static_cast<std::size_t>(parent.size));
  const std::uint64_t mine = color == MPI_UNDEFINED ? 0 : new_context(boot::job().rank);
  wishes[static_cast<std::size_t>(parent.rank)] = {color, key, mine};
  const Status status = allgather(circle_of(parent), wishes.data(), sizeof(Wish));
  if (status != Status::ok || color == MPI_UNDEFINED) return status;

  std::vector<int> ranks;
  for (int rank = 0; rank < parent.size; ++rank)
    if (wishes[static_cast<std::size_t>(rank)].color == color) ranks.push_back(rank);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
  });
  Group* group = group_include(*parent.group, ranks);
  made = assemble(*group, wishes[static_cast<std::size_t>(ranks.front())].context, *parent.error_handler);
  complete(*made);
  return Status::ok;
}

Status create(Communicator& parent, Group& group, Communicator*& made) {
  const Circle everyone = circle_of(parent);          // non-members count the exchange too
  if (group.my_rank < 0) return Status::ok;
  return agree_and_make(parent, members_of(parent, group, everyone.context, everyone.tag), group, made);
}

Status create_group(Communicator& parent, Group& group, int tag, Communicator*& made) {
  if (group.my_rank < 0) return Status::ok;
  return agree_and_make(parent, members_of(parent, group, parent.context | group_bit, tag), group, made);
}

int free_communicator(Communicator& communicator) {
  const int code = delete_all_attributes(communicator.attributes, ObjectKind::communicator, communicator.handle);
  if (code != MPI_SUCCESS) return code;
  communicator.magic = 0;                              // from here on the handle reads as freed
  release(communicator);
  return MPI_SUCCESS;
}

void make_predefined() {
  const boot::Job& job = boot::job();
  std::vector<int> everyone(static_cast<std::size_t>(job.size));
  std::iota(everyone.begin(), everyone.end(), 0);
  Communicator* world = assemble(*make_group(std::move(everyone)), context_of(0, world_counter), errors_are_fatal());
  world->handle = MPI_COMM_WORLD;
  world->name = "MPI_COMM_WORLD";
  Communicator* self = assemble(*make_group({job.rank}), context_of(job.rank, self_counter), errors_are_fatal());
  self->handle = MPI_COMM_SELF;
  self->name = "MPI_COMM_SELF";
  detail::world = world;
  detail::self = self;
  complete(*world);
  complete(*self);
}

void drop_predefined() {
  release(*std::exchange(detail::self, nullptr));
  release(*std::exchange(detail::world, nullptr));
}

}  // namespace weft::comm
