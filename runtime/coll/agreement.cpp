// What of a call must agree over the ranks, and the rounds that find out.
#include "coll/agreement.hpp"

#include <fmt/format.h>

#include "comm/communicator.hpp"
#include "match/engine.hpp"

namespace weft::coll {

namespace {

constexpr std::int64_t user_operation = 0;
constexpr std::int64_t unknown = -1;

bool is_rooted(Collective c) noexcept {
  return c == Collective::broadcast || c == Collective::reduce || c == Collective::gather || c == Collective::gatherv ||
         c == Collective::scatter || c == Collective::scatterv;
}

// The count that all ranks must agree on, with its type: of a block, or of the whole vector. Null: there is none.
const data::Datatype* common_part(const Call& call, int rank, std::int64_t& count) noexcept {
  switch (call.collective) {
    case Collective::barrier:
    case Collective::gatherv:
    case Collective::scatterv:
    case Collective::alltoallv:
    case Collective::alltoallw: return nullptr;
    case Collective::gather:
    case Collective::scatter: {
      const bool sends = (call.collective == Collective::gather) != (rank == call.root);
      count = sends ? call.send_count : call.receive_count;
      return sends ? call.send_type : call.receive_type;
    }
    default: count = call.receive_count; return call.receive_type;
  }
}

std::int64_t bytes_of(const Call& call, const data::Datatype* type_of_part, std::int64_t count, int ranks) noexcept {
  if (!call.receive_counts) return count * type_of_part->size;
  std::int64_t sum = 0;                           // allgatherv, reduce_scatter: the counts of all ranks, in order
  for (int rank = 0; rank < ranks; ++rank) sum = (sum * 31 + call.receive_counts[rank] * type_of_part->size) & INT64_MAX;
  return sum;
}

// What a rank gives each rank is as much as what it takes from each.
bool exchanges_blocks(const Call& call) noexcept {
  const Collective c = call.collective;
  const bool blocks = c == Collective::gather || c == Collective::scatter || c == Collective::allgather || c == Collective::alltoall;
  return blocks && !call.in_place && call.send_type != nullptr && call.receive_type != nullptr;
}

// The machine type that all data is made of; bytes match anything.
std::int64_t machine_of(const data::Datatype* known) noexcept {
  if (known->basic == nullptr && !known->predefined()) return unknown;
  const data::Machine machine = (known->predefined() ? known : known->basic)->machine;
  return machine == data::Machine::none || machine == data::Machine::byte ? unknown : static_cast<std::int64_t>(machine);
}

}  // namespace

void Agreement::set(Field field, std::int64_t value) noexcept {
  const bool known = value != unknown;
  mine_.least[field] = {known ? value : INT64_MAX, communicator_->rank};
  mine_.greatest[field] = {known ? value : INT64_MIN, communicator_->rank};
}

// The rank has a second value of the field.
void Agreement::also(Field field, std::int64_t value) noexcept {
  if (value < mine_.least[field].value) mine_.least[field].value = value;
  if (value > mine_.greatest[field].value) mine_.greatest[field].value = value;
}

void Agreement::start(const comm::Communicator& communicator, const Call& call, int tag) {
  communicator_ = &communicator;
  tag_ = tag;
  distance_ = 1;
  status_ = Status::ok;
  std::int64_t count = 0;
  const data::Datatype* part = common_part(call, communicator.rank, count);
  set(collective, static_cast<std::int64_t>(call.collective));
  set(root, is_rooted(call.collective) ? call.root : unknown);
  set(operation, call.operation == nullptr ? unknown : call.operation->predefined() ? call.operation->number : user_operation);
  set(bytes, part != nullptr ? bytes_of(call, part, count, communicator.size) : unknown);
  if (exchanges_blocks(call)) {
    also(bytes, call.send_count * call.send_type->size);
    also(bytes, call.receive_count * call.receive_type->size);
  }
  set(type, part != nullptr && count != 0 ? machine_of(part) : unknown);
  send_round();
}

void Agreement::send_round() {
  if (distance_ >= communicator_->size) return;
  const int size = communicator_->size, to = (communicator_->rank + distance_) % size, from = (communicator_->rank - distance_ + size) % size;
  const data::Datatype* byte = data::predefined(data::number::byte);
  leaving_ = mine_;
  receive_ = match::engine().post_receive(from, communicator_->collective_context(), tag_, {&coming_, sizeof coming_, byte});
  send_ = match::engine().post_send(communicator_->peers[to], communicator_->collective_context(), communicator_->rank, tag_,
                                    {&leaving_, sizeof leaving_, byte}, match::SendMode::standard);
}

bool Agreement::advance() {
  while (distance_ < communicator_->size) {
    if (!receive_->done || !send_->done) return false;
    for (match::Request* request : {receive_, send_}) {
      if (status_ == Status::ok) status_ = request->status;
      request->release();
    }
    merge();
    distance_ *= 2;
    send_round();
  }
  return true;
}

void Agreement::merge() noexcept {
  for (int field = 0; field < fields; ++field) {
    if (coming_.least[field].value < mine_.least[field].value) mine_.least[field] = coming_.least[field];
    if (coming_.greatest[field].value > mine_.greatest[field].value) mine_.greatest[field] = coming_.greatest[field];
  }
}

std::string Agreement::words(Field field, std::int64_t value) const {
  switch (field) {
    case collective: return fmt::format("in {}", name_of(static_cast<Collective>(value)));
    case root: return fmt::format("at root {}", value);
    case operation: {
      if (value == user_operation) return "using an operation of the program";
      return fmt::format("using {}", data::predefined_operation(static_cast<std::uintptr_t>(value))->name);
    }
    case bytes: return fmt::format("moving {} bytes", value);
    default:
      for (const data::Datatype& known : data::all_predefined())
        if (static_cast<std::int64_t>(known.machine) == value) return fmt::format("moving {}", known.given_name);
      return "moving another type";
  }
}

// The first field that differs; later ones mean little then.
std::string Agreement::disagreement() const {
  for (int index = 0; index < fields; ++index) {
    const auto field = static_cast<Field>(index);
    const Extreme least = mine_.least[index], greatest = mine_.greatest[index];
    if (least.value >= greatest.value) continue;
    const bool hashed = field == bytes && (mine_.least[collective].value == static_cast<std::int64_t>(Collective::allgatherv) ||
                                           mine_.least[collective].value == static_cast<std::int64_t>(Collective::reduce_scatter));
    if (hashed) return fmt::format("ranks {} and {} give different receive counts", least.rank, greatest.rank);
    return fmt::format("rank {} is {}, rank {} is {}", least.rank, words(field, least.value), greatest.rank, words(field, greatest.value));
  }
  return {};
}

}  // namespace weft::coll
