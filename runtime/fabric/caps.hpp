// What a port can do, in numbers a chooser can compare. Stated once when the port opens, never changed.
// A post outside the capabilities is refused before anything is written (the paper's Table 2).
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::fabric {

enum Operations : std::uint32_t {
  op_write = 1u << 0,
  op_write_immediate = 1u << 1,
  op_read = 1u << 2,
  op_fetch_add = 1u << 3,
  op_compare_swap = 1u << 4,
  op_send = 1u << 5,
  op_stream = 1u << 6,
};

enum class AtomicScope : std::uint8_t {
  none,
  port,     // atomic among operations of this kind of port only (IBV_ATOMIC_HCA): the owner goes through the port as well
  memory,   // atomic with the owner's CPU too
};

struct Caps {
  std::uint32_t operations = 0;      // Operations, or-ed
  std::size_t max_inline_bytes = 0;  // a source buffer this small may be reused when the post returns
  bool in_order_placement = false;   // the bytes of one write become visible in address order
  AtomicScope atomic_scope = AtomicScope::none;
  bool wait_handle = false;          // a sleeper can be woken by an arrival
  bool served_by_target = false;     // reads, writes and atomics are executed by the target's poll()
  double latency_ns = 0;             // one small message, one way, about
  double bytes_per_ns = 0;           // large transfers, about
  double post_ns = 0;                // the CPU's share of posting one, about

  bool has(std::uint32_t wanted) const noexcept { return (operations & wanted) == wanted; }
};

}  // namespace weft::fabric
