// Making words, and giving them back; operations on them are words_far.cpp, or inline.
#include "remote/words.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "boot/job.hpp"
#include "comm/create.hpp"
#include "comm/exchange.hpp"
#include "fabric/fabrics.hpp"
#include "fabric/shm/port.hpp"
#include "match/engine.hpp"
#include "os/options.hpp"
#include "remote/attendant.hpp"
#include "remote/server.hpp"

namespace weft::remote {
namespace {

constexpr std::int64_t opening_limit_ms = 60'000;
constexpr std::uint32_t both_atomics = fabric::op_fetch_add | fabric::op_compare_swap;

channel::Switchboard& switchboard() { return match::engine().switchboard(); }

fabric::Port* port_of(int fabric) { return switchboard().port(fabric::fabrics()[static_cast<std::size_t>(fabric)].name); }

int index_of(const char* name) {
  const auto list = fabric::fabrics();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (std::strcmp(list[i].name, name) == 0) return static_cast<int>(i);
  return Reach::mapped;                // self
}

// How one member fared; gathered, so that all answer the same.
struct Verdict {
  Status status = Status::ok;
  char note[160] = {};

  void take(const Failure& failure) {
    status = failure.status;
    std::strncpy(note, failure.note.c_str(), sizeof note - 1);
  }
};

Expected<Reach> reach_of(int home, bool is_home) {
  const std::string& wanted = os::option_text("atomics");
  const Expected<channel::Choice> choice = switchboard().choose(home);
  if (!choice) return choice.failure();
  Reach reach;
  reach.fabric = index_of(choice->port->name());
  if (is_home || (choice->port == switchboard().shm() && wanted == "auto")) reach.fabric = Reach::mapped;
  if (wanted == "served") return reach;
  const auto list = fabric::fabrics();
  for (std::size_t i = 0; i < list.size(); ++i) {
    fabric::Port* port = switchboard().port(list[i].name);
    if (port == nullptr || !port->caps().has(both_atomics) || !switchboard().reaches(home, *port)) continue;
    if (port->caps().atomic_scope == fabric::AtomicScope::none) continue;
    reach.atomics |= 1u << i;
    if (port->caps().atomic_scope == fabric::AtomicScope::port) reach.port_scope |= 1u << i;
  }
  return reach;
}

}  // namespace

struct Words::Statement {
  Reach reach;
  std::uint64_t fingerprint;
};

// What the home tells the others.
struct Words::Place {
  std::uint64_t node_offset;
  std::uint64_t context;
  fabric::Remote remote;
  std::uint32_t has_remote;
};

Expected<std::unique_ptr<Words>> Words::open(const Wish& wish) {
  comm::Communicator& communicator = wish.communicator;
  const auto size = static_cast<std::size_t>(communicator.size);
  const auto me = static_cast<std::size_t>(communicator.rank);
  Verdict mine;
  std::vector<Statement> statements(size);
  const Expected<Reach> reach = reach_of(communicator.peers[wish.home], communicator.rank == wish.home);
  if (reach) statements[me].reach = *reach;
  else mine.take(reach.failure());
  statements[me].fingerprint = wish.fingerprint;
  if (const Status status = comm::allgather(comm::circle_of(communicator), statements.data(), sizeof(Statement)); status != Status::ok)
    return Failure{status, "a member is lost"};
  std::vector<Reach> members;
  for (const Statement& statement : statements) {
    if (statement.fingerprint != wish.fingerprint)
      return Failure{Status::bad_argument, fmt::format("ranks 0 and {} of the communicator gave different arguments", members.size())};
    members.push_back(statement.reach);
  }
  const Plan plan = plan_ways(members, wish.home);

  std::unique_ptr<Words> words(new Words);
  comm::retain(communicator);
  words->communicator_ = &communicator;
  words->home_ = wish.home;
  words->count_ = wish.count;
  words->my_bit_ = std::uint64_t{1} << (communicator.rank % 64);
  Place place{};
  if (communicator.rank == wish.home) {
    Expected<Place> settled = words->settle(plan, members, wish);
    if (settled) place = *settled;
    else mine.take(settled.failure());
  }
  comm::Circle circle = comm::circle_of(communicator);
  circle.me = (communicator.rank - wish.home + communicator.size) % communicator.size;      // the home comes first
  for (int place_in_circle = 0; place_in_circle < communicator.size; ++place_in_circle)
    circle.ranks.push_back((place_in_circle + wish.home) % communicator.size);
  if (const Status status = comm::broadcast(circle, &place, sizeof place); status != Status::ok) return Failure{status, "a member is lost"};
  // what the home's own poll() executes, its waits see without being rung
  const bool is_home = communicator.rank == wish.home;
  for (const Reach& member : members)
    if (plan.way_of(member) == Way::endpoint && place.has_remote != 0)
      words->rings_ &= is_home && plan.card == Plan::none && port_of(plan.fabric_of(member))->caps().served_by_target;
  if (mine.status == Status::ok && (place.context != 0 || is_home))
    if (const Done near = words->approach(plan, place, members[me]); !near) mine.take(near.failure());

  std::vector<Verdict> verdicts(size);
  verdicts[me] = mine;
  if (const Status status = comm::allgather(comm::circle_of(communicator), verdicts.data(), sizeof(Verdict)); status != Status::ok)
    return Failure{status, "a member is lost"};
  for (std::size_t rank = 0; rank < size; ++rank)
    if (verdicts[rank].status != Status::ok) return Failure{verdicts[rank].status, fmt::format("at rank {} of the communicator: {}", rank, verdicts[rank].note)};
  return words;
}

Expected<Words::Place> Words::settle(const Plan& plan, const std::vector<Reach>& members, const Wish& wish) {
  if (const Done reserved = reserve(plan, count_ * sizeof(Line)); !reserved) return reserved.failure();
  Line* lines = reinterpret_cast<Line*>(memory_);
  for (std::size_t i = 0; i < count_; ++i) lines[i].value.store(wish.initial(i, wish.argument), std::memory_order_relaxed);
  Place place{node_offset_, context_ = comm::new_context(boot::job().rank), region_.remote, store_ == Store::port || exposed_};
  bool serves = false;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const Way way = plan.way_of(members[rank]);
    const bool far = static_cast<int>(rank) != home_ || plan.card != Plan::none;
    if (way == Way::memory || !far) continue;
    if (way == Way::served || place.has_remote == 0) {
      if (!server_) server_ = std::make_unique<Server>(*this);
      serves = true;
      continue;
    }
    fabric::Port& port = *port_of(plan.fabric_of(members[rank]));
    serves |= port.caps().served_by_target;
    const Expected<fabric::Endpoint*> endpoint = match::engine().endpoint(communicator_->peers[rank], port);
    if (!endpoint) return endpoint.failure();
  }
  if (serves) {
    if (const Done attended = attend(); !attended) return attended.failure();
    attended_ = true;
  }
  return place;
}

// Memory at the home that all ways lead to.
Done Words::reserve(const Plan& plan, std::size_t bytes) {
  const int fabric = plan.card != Plan::none ? plan.card : plan.served_by_cpu;
  if (plan.card == Plan::none && plan.mates) {
    fabric::shm::NodeMemory& node = switchboard().shm()->memory();
    const Expected<std::uint64_t> offset = node.allocate(bytes);
    if (!offset) return offset.failure();
    node_offset_ = *offset;
    memory_ = node.address(node_offset_);
    store_ = Store::node;
    exposed_ = fabric != Plan::none && port_of(fabric)->expose(memory_, bytes, region_) == Status::ok;
    if (exposed_) port_ = port_of(fabric);
    return Nothing{};
  }
  if (fabric != Plan::none) {
    port_ = port_of(fabric);
    Expected<fabric::Region> region = port_->allocate(bytes);
    if (!region) return region.failure();
    region_ = *region;
    memory_ = region_.address;
    store_ = Store::port;
    return Nothing{};
  }
  memory_ = static_cast<std::byte*>(std::aligned_alloc(sizeof(Line), bytes));
  if (memory_ == nullptr) return Failure{Status::no_memory, fmt::format("{} bytes for {} words", bytes, count_)};
  std::memset(memory_, 0, bytes);
  store_ = Store::heap;
  return Nothing{};
}

Done Words::approach(const Plan& plan, const Place& place, const Reach& mine) {
  way_ = plan.way_of(mine);
  if (way_ == Way::endpoint && place.has_remote == 0) way_ = Way::served;
  context_ = place.context;
  const bool is_home = communicator_->rank == home_;
  if (way_ != Way::memory) fabric_ = fabric::fabrics()[static_cast<std::size_t>(plan.fabric_of(mine))].name;
  else if (plan.mates) fabric_ = "shm";
  if (way_ == Way::memory) base_ = is_home ? memory_ : switchboard().shm()->memory().address(place.node_offset);
  if (way_ == Way::served && os::option_text("atomics") == "endpoint")
    return Failure{Status::unsupported, fmt::format("atomics=endpoint: the {} fabric has no atomics between ranks {} and {}", fabric_,
                                                    boot::job().rank, communicator_->peers[home_])};
  if (way_ != Way::endpoint) return Nothing{};
  remote_ = place.remote;
  const Expected<fabric::Endpoint*> endpoint = match::engine().endpoint(communicator_->peers[home_], *port_of(plan.fabric_of(mine)));
  if (!endpoint) return endpoint.failure();
  endpoint_ = *endpoint;
  const os::Deadline deadline = os::Deadline::in_ms(opening_limit_ms);
  match::engine().wait_until([&] { return endpoint_->state() != fabric::Endpoint::State::opening || deadline.passed(); });
  if (endpoint_->state() == fabric::Endpoint::State::open) return Nothing{};
  if (endpoint_->state() == fabric::Endpoint::State::lost) return Failure{Status::peer_lost, why()};
  return Failure{Status::timed_out, fmt::format("no connection over {} to the home, rank {}, within {} ms", fabric_, home_, opening_limit_ms)};
}

Status Words::close() {
  std::vector<char> marks(static_cast<std::size_t>(communicator_->size));
  return comm::allgather(comm::circle_of(*communicator_), marks.data(), 1);    // nobody comes back from here on
}

Words::~Words() {
  server_.reset();
  if (attended_) leave();
  switch (store_) {
    case Store::none: break;
    case Store::heap: std::free(memory_); break;
    case Store::node:
      if (exposed_) port_->conceal(region_);
      switchboard().shm()->memory().free(node_offset_, count_ * sizeof(Line));
      break;
    case Store::port: port_->free(region_); break;
  }
  if (communicator_ != nullptr) comm::release(*communicator_);
}

}  // namespace weft::remote
