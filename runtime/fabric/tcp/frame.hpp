// What travels on an endpoint's frame lanes: a head of fixed size and, for some types, a body of `bytes` bytes. The asked
// side's progress serves what is asked. Both ends run the same build on the same kind of machine; the greeting makes sure.
#pragma once

#include <cstdint>

#include "fabric/endpoint.hpp"

namespace weft::fabric::tcp {

enum class FrameType : std::uint8_t {
  write,             // body to `address` of region `key`
  read,              // asks for `bytes` at `address` of region `key`
  read_reply,        // body: a part of what was asked, from `address` (an offset) on
  fetch_add,         // `first` to the word at `address`
  compare_swap,      // `first` expected, `second` desired
  atomic_reply,      // `first` was there
  message,           // body
  wake,              // nothing but an arrival
  ask_lane,          // connect us lane `token`: you are the side that connects
  complaint,         // body: in words, why we end this; the sender closes
  goodbye,           // the sender leaves in good order
};

struct Frame {
  FrameType type{};
  Notify notify{};
  std::uint16_t token = 0;           // of a read or an atomic; comes back with the reply
  std::uint32_t key = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  std::uint64_t body_bytes() const noexcept {
    return type == FrameType::write || type == FrameType::read_reply || type == FrameType::message || type == FrameType::complaint ? bytes : 0;
  }
};
static_assert(sizeof(Frame) == 40);

}  // namespace weft::fabric::tcp
