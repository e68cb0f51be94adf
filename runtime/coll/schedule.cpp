// Building schedules step by step; see schedule.hpp.
#include "coll/schedule.hpp"

#include <algorithm>

namespace weft::coll {

namespace {
constexpr std::int64_t line = 64;
std::int64_t up_to_line(std::int64_t bytes) noexcept { return (bytes + line - 1) & ~(line - 1); }
std::int64_t down_to_line(std::int64_t offset) noexcept { return offset & ~(line - 1); }
}  // namespace

const char* name_of(Collective collective) noexcept {
  static constexpr const char* names[collectives] = {
      "barrier", "broadcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv", "allgather",
      "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"};
  return names[static_cast<int>(collective)];
}

void Schedule::send(int peer, const Place& from) {
  if (from.bytes == 0) return;
  steps_.push_back({Action::send, peer, from, {}});
  open_ = true;
}

void Schedule::receive(int peer, const Place& to) {
  if (to.bytes == 0) return;
  steps_.push_back({Action::receive, peer, {}, to});
  open_ = true;
}

void Schedule::send_token(int peer) {
  steps_.push_back({Action::send, peer, {}, {}});
  open_ = true;
}

void Schedule::receive_token(int peer) {
  steps_.push_back({Action::receive, peer, {}, {}});
  open_ = true;
}

void Schedule::copy(const Place& from, const Place& to) {
  if (from.bytes == 0 && to.bytes == 0) return;
  steps_.push_back({Action::copy, -1, from, to});
}

void Schedule::reduce(const Place& in, const Place& inout) {
  if (inout.count == 0) return;
  steps_.push_back({Action::reduce, -1, in, inout});
}

void Schedule::wait() {
  if (!open_) return;
  steps_.push_back({Action::wait, -1, {}, {}});
  open_ = false;
}

std::int64_t Schedule::scratch(std::int64_t bytes) {
  const std::int64_t offset = scratch_bytes_;
  scratch_bytes_ += up_to_line(bytes);
  return offset;
}

Region Schedule::scratch_bytes_region(std::int64_t bytes) {
  return {Space::scratch, Unit::bytes, -1, scratch(bytes), {}};
}

// The data of the elements may start before or after element 0's address (lower bounds, negative extents). Whole lines
// are kept on both sides, so that every field keeps the alignment it has in the user's buffer.
Region Schedule::scratch_elements(const TypeFacts& type, Unit unit, std::int64_t count) {
  if (count == 0) return {Space::scratch, unit, -1, 0, type};
  const std::int64_t last = (count - 1) * type.extent;
  const std::int64_t low = down_to_line(type.true_lower_bound + std::min<std::int64_t>(0, last));
  const std::int64_t high = type.true_lower_bound + type.true_extent + std::max<std::int64_t>(0, last);
  return {Space::scratch, unit, -1, scratch(high - low) - low, type};
}

void Schedule::clear() noexcept {
  steps_.clear();
  scratch_bytes_ = 0;
  open_ = false;
}

Cost predict(const Schedule& schedule, const CostModel& model) noexcept {
  Cost cost;
  std::int64_t out = 0, in = 0;
  for (const Step& step : schedule.steps()) {
    switch (step.action) {
      case Action::send: out += step.from.bytes; ++cost.messages; break;
      case Action::receive: in += step.to.bytes; break;
      case Action::copy: cost.copied_bytes += step.to.bytes; break;
      case Action::reduce: cost.reduced_bytes += step.to.bytes; break;
      case Action::wait:
        ++cost.rounds;
        cost.sent_bytes += out;
        cost.received_bytes += in;
        cost.seconds += model.latency_s + model.second_per_byte * static_cast<double>(std::max(out, in));
        out = in = 0;
        break;
    }
  }
  cost.seconds += model.message_s * static_cast<double>(cost.messages) +
                  model.second_per_reduced_byte * static_cast<double>(cost.reduced_bytes) +
                  model.second_per_copied_byte * static_cast<double>(cost.copied_bytes);
  return cost;
}

}  // namespace weft::coll
