// Running schedules: transfers through match, copies and reductions through data.
#include "coll/execution.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "coll/collectives.hpp"
#include "coll/preference.hpp"
#include "comm/communicator.hpp"
#include "data/pack.hpp"
#include "os/log.hpp"
#include "os/options.hpp"
#include "os/pool.hpp"

namespace weft::coll {

namespace {

os::Pool<Execution>& pool() {
  static os::Pool<Execution> executions;
  return executions;
}

TypeFacts facts_of(const data::Datatype* type) noexcept {
  if (type == nullptr) return {};
  return {type->size, type->extent, type->true_lower_bound, type->true_extent, type->contiguous};
}

}  // namespace

std::string& last_disagreement() {
  static std::string text;
  return text;
}

Execution* Execution::make() {
  Execution* execution = pool().take();
  execution->magic = magic_value;
  execution->done = execution->persistent = execution->detached = execution->cancelled = false;
  execution->active = true;
  execution->status = Status::ok;
  execution->region_ = nullptr;
  execution->served_ = execution->built_ = false;
  return execution;
}

void Execution::take(comm::Communicator& communicator, const Call& call, int tag_number, bool keep) {
  communicator_ = &communicator;
  owner = &communicator;
  call_ = call;
  tag_ = tag_number;
  keeps_ = keep;
  if (call.send_types != nullptr || call.receive_types != nullptr) {
    const auto members = static_cast<std::size_t>(communicator.size);
    if (call.send_types != nullptr) send_types_.assign(call.send_types, call.send_types + members);
    receive_types_.assign(call.receive_types, call.receive_types + members);
    call_.send_types = call.send_types != nullptr ? send_types_.data() : nullptr;
    call_.receive_types = receive_types_.data();
  }
  if (keep) keep_types();
}

void Execution::keep_types() {
  comm::retain(*communicator_);
  if (call_.send_type != nullptr) data::retain(call_.send_type);
  if (call_.receive_type != nullptr) data::retain(call_.receive_type);
  if (call_.operation != nullptr) data::retain(call_.operation);
  for (const data::Datatype* type : send_types_) if (type != nullptr) data::retain(type);
  for (const data::Datatype* type : receive_types_) if (type != nullptr) data::retain(type);
}

void Execution::drop_types() {
  if (call_.send_type != nullptr) data::release(call_.send_type);
  if (call_.receive_type != nullptr) data::release(call_.receive_type);
  if (call_.operation != nullptr) data::release(call_.operation);
  for (const data::Datatype* type : send_types_) if (type != nullptr) data::release(type);
  for (const data::Datatype* type : receive_types_) if (type != nullptr) data::release(type);
  comm::release(*communicator_);
}

Facts Execution::facts() {
  Facts facts;
  facts.collective = call_.collective;
  facts.ranks = communicator_->size;
  facts.rank = communicator_->rank;
  facts.root = call_.root;
  facts.in_place = call_.in_place;
  facts.commutative = call_.operation == nullptr || call_.operation->commutative;
  facts.one_node = state_of(*communicator_).one_node;
  facts.send_count = call_.send_count;
  facts.receive_count = call_.receive_count;
  facts.send_type = facts_of(call_.send_type);
  facts.receive_type = facts_of(call_.receive_type);
  facts.send_counts = call_.send_counts;
  facts.send_displacements = call_.send_displacements;
  facts.receive_counts = call_.receive_counts;
  facts.receive_displacements = call_.receive_displacements;
  send_facts_.clear();
  receive_facts_.clear();
  for (const data::Datatype* type : send_types_) send_facts_.push_back(facts_of(type));
  for (const data::Datatype* type : receive_types_) receive_facts_.push_back(facts_of(type));
  if (!send_facts_.empty()) facts.send_types = send_facts_.data();
  if (!receive_facts_.empty()) facts.receive_types = receive_facts_.data();
  return facts;
}

void Execution::build() {
  schedule_.clear();
  const Facts known = facts();
  choose_or_prefer(known).plan(known, schedule_);
  built_ = true;
}

bool Execution::begin() {
  position_ = 0;
  ending_ = {};
  static const bool check_wanted = os::option_number("check") != 0;
  checks_ = check_wanted && communicator_->size > 1;
  if (checks_) agreement_.start(*communicator_, call_, tag_);
  const auto needed = static_cast<std::size_t>(schedule_.scratch_bytes());
  if (needed <= scratch_bytes_) return true;
  free_scratch();
  scratch_ = static_cast<std::byte*>(std::aligned_alloc(64, needed));
  if (scratch_ == nullptr) return false;
  scratch_bytes_ = needed;
  return true;
}

void Execution::use_flat(FlatRegion& region) noexcept {
  region_ = &region;
  region.take(flat_, call_);
  flat_.may_sleep = true;
}

bool Execution::advance() { return region_ != nullptr ? region_->advance(flat_) : advance_schedule(); }

// When the ranks disagree, all of them know, and none runs its schedule.
bool Execution::agreed() {
  if (!agreement_.advance()) return false;
  checks_ = false;
  if (agreement_.status() != Status::ok) note(agreement_.status(), 0, 0);
  const std::string disagreement = agreement_.disagreement();
  if (disagreement.empty()) return true;
  const std::string text = fmt::format("the ranks of {} differ: {}", communicator_->name.empty() ? "the communicator" : communicator_->name, disagreement);
  if (keeps_) os::log_error("{}", text);         // the program hears of it in a wait, maybe much later
  else last_disagreement() = text;
  note(Status::bad_argument, 0, 0);
  position_ = schedule_.steps().size();
  return true;
}

bool Execution::advance_schedule() {
  if (checks_ && !agreed()) return false;
  const std::vector<Step>& steps = schedule_.steps();
  while (position_ < steps.size()) {
    const Step& step = steps[position_];
    if (step.action == Action::wait && !settle()) return false;
    ++position_;
    run(step);
  }
  return true;
}

bool Execution::settle() {
  while (!pending_.empty()) {
    const Pending last = pending_.back();
    if (!last.request->done) return false;
    const bool receive = last.expected_bytes != not_a_receive;
    const bool fits = !receive || last.request->bytes == last.expected_bytes;
    if (last.request->status != Status::ok || !fits) [[unlikely]]
      note(last.request->status, receive ? last.request->bytes : 0, receive ? last.expected_bytes : 0);
    last.request->release();
    pending_.pop_back();
  }
  return true;
}

// The first thing that went wrong is kept, and the schedule goes on, so that the other ranks are not left waiting.
void Execution::note(Status outcome, std::size_t got_bytes, std::size_t expected_bytes) noexcept {
  if (ending_.status != Status::ok) return;
  ending_ = {outcome == Status::ok ? Status::truncated : outcome, got_bytes, expected_bytes};
}

void Execution::run(const Step& step) {
  switch (step.action) {
    case Action::send: return begin_send(step);
    case Action::receive: return begin_receive(step);
    case Action::copy:
      if (step.from.bytes != step.to.bytes) note(Status::truncated, static_cast<std::size_t>(step.from.bytes), static_cast<std::size_t>(step.to.bytes));
      (void)data::copy(type_of(step.from), address(step.from), step.from.count, type_of(step.to), address(step.to), step.to.count);
      return;
    case Action::reduce:
      data::apply(call_.operation, address(step.from), address(step.to), step.to.count, type_of(step.to));
      return;
    case Action::wait: return;
  }
}

void Execution::begin_send(const Step& step) {
  match::Engine& engine = match::engine();
  const match::TypedBuffer buffer{address(step.from), step.from.count, type_of(step.from)};
  const int peer = communicator_->peers[step.peer];
  const std::uint64_t context = communicator_->collective_context();
  if (engine.send_now(peer, context, communicator_->rank, tag_, buffer)) return;
  pending_.push_back({engine.post_send(peer, context, communicator_->rank, tag_, buffer, match::SendMode::standard), not_a_receive});
}

void Execution::begin_receive(const Step& step) {
  const match::TypedBuffer buffer{address(step.to), step.to.count, type_of(step.to)};
  match::Request* request = match::engine().post_receive(step.peer, communicator_->collective_context(), tag_, buffer);
  pending_.push_back({request, static_cast<std::size_t>(step.to.bytes)});
}

void* Execution::address(const Place& place) const noexcept {
  const void* base = place.space == Space::scratch ? scratch_ : place.space == Space::send ? call_.send : call_.receive;
  // as a number: scratch of types with lower bounds starts outside the memory that is used
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(place.offset));
}

const data::Datatype* Execution::type_of(const Place& place) const noexcept {
  if (place.unit == Unit::bytes) return data::predefined(data::number::byte);
  const bool send = place.unit == Unit::send_type;
  if (place.type_index >= 0) return (send ? call_.send_types : call_.receive_types)[place.type_index];
  return send ? call_.send_type : call_.receive_type;
}

void Execution::hand_to_progress() {
  if (advance()) return over();
  match::engine().add_service(this);
  served_ = true;
}

bool Execution::poll() {
  const std::size_t position = position_, waiting = pending_.size();
  if (advance()) {
    over();
    return true;
  }
  return position != position_ || waiting != pending_.size();
}

void Execution::over() {
  if (served_) match::engine().remove_service(this);
  served_ = false;
  if (scratch_bytes_ > kept_scratch_bytes) free_scratch();
  if (region_ != nullptr) ending_ = flat_.ending;
  bytes = ending_.bytes;
  limit_bytes = ending_.expected_bytes;
  finish(ending_.status);
}

Status Execution::start() {
  if (!built_) build();
  status = Status::ok;
  done = false;
  active = true;
  if (!begin()) {
    ending_.status = Status::no_memory;
    over();
    return Status::no_memory;
  }
  hand_to_progress();
  return Status::ok;
}

void Execution::release() {
  if (keeps_) drop_types();
  keeps_ = false;
  send_types_.clear();
  receive_types_.clear();
  if (scratch_bytes_ > kept_scratch_bytes) free_scratch();
  magic = 0;
  pool().give(this);
}

void Execution::free_scratch() noexcept {
  std::free(scratch_);
  scratch_ = nullptr;
  scratch_bytes_ = 0;
}

}  // namespace weft::coll
