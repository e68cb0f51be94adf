// Runs the schedules of all ranks in one thread, without processes. Sends are synchronous (the strictest case): a send is
// over when its receive takes it, so a plan that would deadlock for long messages does so here. Says in words what is
// wrong: deadlock, sizes that differ, transfers left over, memory touched outside a buffer or while a transfer uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "coll/schedule.hpp"

namespace weft::plan_test {

// `size` bytes of data after `lead` bytes, every `extent` bytes.
struct SimType {
  std::int64_t size, extent, lead;
  coll::TypeFacts facts() const { return {size, extent, lead, size, lead == 0 && size == extent}; }
};

struct Buffer {
  std::vector<std::uint8_t> bytes;
  std::int64_t origin = 0;                 // index of the byte at the buffer's address
};

// Elements in a buffer, to and from packed bytes; false when outside.
bool put(Buffer& buffer, std::int64_t offset, const SimType& type, const std::vector<std::uint8_t>& packed);
bool get(const Buffer& buffer, std::int64_t offset, const SimType& type, std::int64_t count, std::vector<std::uint8_t>& packed);

struct SimRank {
  coll::Schedule schedule;
  Buffer send, receive;
  SimType send_type{1, 1, 0}, receive_type{1, 1, 0};
  std::vector<SimType> send_types, receive_types;
};

// inout = in (op) inout, for one packed element.
using Combine = std::function<void(const std::uint8_t* in, std::uint8_t* inout)>;

// Empty when all went well.
std::string simulate(std::vector<SimRank>& ranks, const Combine& combine);

}  // namespace weft::plan_test
