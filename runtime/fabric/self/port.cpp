// A ring in private memory, and memmove for single copy.
#include "fabric/self/port.hpp"

#include <cstdlib>
#include <cstring>

#include "os/futex.hpp"

namespace weft::fabric::self {

void SelfPort::Release::operator()(std::byte* memory) const noexcept { std::free(memory); }

SelfPort::SelfPort(int world_rank, RingShape shape) : world_rank_(world_rank), shape_(shape) {
  caps_.operations = op_write | op_read | op_fetch_add | op_compare_swap;
  caps_.max_inline_bytes = SIZE_MAX;
  caps_.in_order_placement = true;
  caps_.atomic_scope = AtomicScope::memory;
  caps_.wait_handle = true;
  caps_.latency_ns = 20;
  caps_.bytes_per_ns = 20;
  caps_.post_ns = 5;
}

void SelfPort::prepare_sleep() noexcept { sleep_word_ = doorbell_.load(std::memory_order_acquire); }
void SelfPort::sleep(std::int64_t timeout_ns) noexcept { os::futex_wait(doorbell_, sleep_word_, timeout_ns); }
void SelfPort::wake_self() noexcept {
  doorbell_.fetch_add(1, std::memory_order_release);
  os::futex_wake(doorbell_, 1);
}

PushTarget SelfPort::open_push() {
  if (!memory_) {
    const std::size_t bytes = (shape_.bytes() + line_bytes - 1) & ~(line_bytes - 1);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(line_bytes, bytes)));
    std::memset(memory_.get(), 0, bytes);
  }
  return PushTarget{Ring(memory_.get(), shape_)};
}

Status SelfPort::read(std::uint64_t address, const iovec* local, int runs) noexcept {
  const std::byte* from = reinterpret_cast<const std::byte*>(address);
  for (int run = 0; run < runs; ++run) {
    std::memmove(local[run].iov_base, from, local[run].iov_len);
    from += local[run].iov_len;
  }
  return Status::ok;
}

}  // namespace weft::fabric::self
