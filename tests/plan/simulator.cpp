// The simulator: matching, the rules of a round, and the data; see simulator.hpp.
#include "simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

namespace weft::plan_test {

using coll::Action;
using coll::Place;
using coll::Space;
using coll::Step;
using coll::Unit;

bool put(Buffer& buffer, std::int64_t offset, const SimType& type, const std::vector<std::uint8_t>& packed) {
  const std::int64_t count = type.size ? static_cast<std::int64_t>(packed.size()) / type.size : 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = buffer.origin + offset + i * type.extent + type.lead;
    if (at < 0 || at + type.size > static_cast<std::int64_t>(buffer.bytes.size())) return false;
    std::copy_n(packed.begin() + i * type.size, type.size, buffer.bytes.begin() + at);
  }
  return true;
}

bool get(const Buffer& buffer, std::int64_t offset, const SimType& type, std::int64_t count, std::vector<std::uint8_t>& packed) {
  packed.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = buffer.origin + offset + i * type.extent + type.lead;
    if (at < 0 || at + type.size > static_cast<std::int64_t>(buffer.bytes.size())) return false;
    packed.insert(packed.end(), buffer.bytes.begin() + at, buffer.bytes.begin() + at + type.size);
  }
  return true;
}

namespace {

struct Transfer {
  int rank;
  Place place;
};

struct Runner {
  std::vector<SimRank>& ranks;
  const Combine& combine;
  std::vector<Buffer> scratch;
  std::vector<std::size_t> position;
  std::vector<int> outstanding;
  std::vector<std::vector<std::vector<std::uint8_t>>> busy;     // [rank][space][byte]: 1 read, 2 written by a transfer
  std::map<std::pair<int, int>, std::deque<Place>> sends, receives;   // (from, to)
  std::string error;

  Runner(std::vector<SimRank>& all, const Combine& op)
      : ranks(all), combine(op), scratch(all.size()), position(all.size()), outstanding(all.size()), busy(all.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      scratch[i].bytes.assign(static_cast<std::size_t>(all[i].schedule.scratch_bytes()), 0xEE);
      busy[i] = {std::vector<std::uint8_t>(all[i].send.bytes.size()), std::vector<std::uint8_t>(all[i].receive.bytes.size()),
                 std::vector<std::uint8_t>(scratch[i].bytes.size())};
    }
  }

  void fail(int rank, const std::string& text) {
    if (error.empty()) error = fmt::format("rank {} step {}: {}", rank, position[static_cast<std::size_t>(rank)], text);
  }
  SimRank& at(int rank) { return ranks[static_cast<std::size_t>(rank)]; }

  SimType type_of(int rank, const Place& place) {
    if (place.unit == Unit::bytes) return {1, 1, 0};
    const bool send = place.unit == Unit::send_type;
    if (place.type_index >= 0) return (send ? at(rank).send_types : at(rank).receive_types)[static_cast<std::size_t>(place.type_index)];
    return send ? at(rank).send_type : at(rank).receive_type;
  }
  Buffer& buffer_of(int rank, Space space) {
    if (space == Space::scratch) return scratch[static_cast<std::size_t>(rank)];
    return space == Space::send ? at(rank).send : at(rank).receive;
  }

  // Touches the place's bytes; `mark` != 0 leaves them busy.
  void touch(int rank, const Place& place, bool write, std::uint8_t mark) {
    const SimType type = type_of(rank, place);
    auto& flags = busy[static_cast<std::size_t>(rank)][static_cast<std::size_t>(place.space)];
    const std::int64_t origin = buffer_of(rank, place.space).origin;
    if (type.size * place.count != place.bytes) fail(rank, "a place whose bytes are not its elements");
    if (write && place.space == Space::send) fail(rank, "writes the send buffer");
    for (std::int64_t i = 0; i < place.count; ++i) {
      const std::int64_t start = origin + place.offset + i * type.extent + type.lead;
      if (start < 0 || start + type.size > static_cast<std::int64_t>(flags.size())) return fail(rank, "touches memory outside the buffer");
      for (std::int64_t byte = start; byte < start + type.size; ++byte) {
        std::uint8_t& flag = flags[static_cast<std::size_t>(byte)];
        if ((write && flag != 0) || (flag & 2)) return fail(rank, "touches memory that a transfer uses");
        flag |= mark;
      }
    }
  }
  std::vector<std::uint8_t> read(int rank, const Place& place) {
    std::vector<std::uint8_t> packed;
    if (!get(buffer_of(rank, place.space), place.offset, type_of(rank, place), place.count, packed)) fail(rank, "reads outside");
    return packed;
  }
  void write(int rank, const Place& place, const std::vector<std::uint8_t>& packed) {
    if (static_cast<std::int64_t>(packed.size()) != place.bytes) return fail(rank, fmt::format("{} bytes for a place of {}", packed.size(), place.bytes));
    if (!put(buffer_of(rank, place.space), place.offset, type_of(rank, place), packed)) fail(rank, "writes outside");
  }

  void match(int from, int to) {
    auto& s = sends[{from, to}];
    auto& r = receives[{from, to}];
    while (!s.empty() && !r.empty() && error.empty()) {
      write(to, r.front(), read(from, s.front()));
      s.pop_front();
      r.pop_front();
      --outstanding[static_cast<std::size_t>(from)];
      --outstanding[static_cast<std::size_t>(to)];
    }
  }

  void reduce(int rank, const Step& step) {
    const std::int64_t size = type_of(rank, step.to).size;
    if (step.from.count != step.to.count) fail(rank, "reduces places of different counts");
    auto in = read(rank, step.from), inout = read(rank, step.to);
    for (std::int64_t i = 0; i < step.to.count && error.empty(); ++i) combine(in.data() + i * size, inout.data() + i * size);
    write(rank, step.to, inout);
  }

  // One step; false when it has to wait.
  bool advance(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    const Step& step = at(rank).schedule.steps()[position[index]];
    switch (step.action) {
      case Action::send:
        touch(rank, step.from, false, 1);
        sends[{rank, step.peer}].push_back(step.from);
        ++outstanding[index];
        match(rank, step.peer);
        break;
      case Action::receive:
        touch(rank, step.to, true, 2);
        receives[{step.peer, rank}].push_back(step.to);
        ++outstanding[index];
        match(step.peer, rank);
        break;
      case Action::copy:
        touch(rank, step.from, false, 0);
        touch(rank, step.to, true, 0);
        write(rank, step.to, read(rank, step.from));
        break;
      case Action::reduce:
        touch(rank, step.from, false, 0);
        touch(rank, step.to, true, 0);
        reduce(rank, step);
        break;
      case Action::wait:
        if (outstanding[index] > 0) return false;
        for (auto& flags : busy[index]) std::fill(flags.begin(), flags.end(), std::uint8_t{0});
        break;
    }
    ++position[index];
    return true;
  }

  std::string run() {
    const int count = static_cast<int>(ranks.size());
    bool moved = true;
    while (moved && error.empty()) {
      moved = false;
      for (int rank = 0; rank < count && error.empty(); ++rank) {
        while (error.empty() && position[static_cast<std::size_t>(rank)] < at(rank).schedule.steps().size() && advance(rank)) moved = true;
      }
    }
    for (int rank = 0; rank < count && error.empty(); ++rank) {
      if (position[static_cast<std::size_t>(rank)] < at(rank).schedule.steps().size()) fail(rank, "waits forever");
      else if (outstanding[static_cast<std::size_t>(rank)] != 0) fail(rank, "ends with transfers under way");
    }
    return error;
  }
};

}  // namespace

std::string simulate(std::vector<SimRank>& ranks, const Combine& combine) { return Runner(ranks, combine).run(); }

}  // namespace weft::plan_test
