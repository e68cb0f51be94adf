// process_vm_readv, in a loop.
#include "fabric/shm/single_copy.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>

namespace weft::fabric::shm {

void publish_proof(RankPage& page, std::uint64_t& word) noexcept {
  if (::getrandom(&word, sizeof word, 0) != static_cast<ssize_t>(sizeof word) || word == 0)
    word = reinterpret_cast<std::uintptr_t>(&word) ^ static_cast<std::uint64_t>(::getpid());
  page.process_id = ::getpid();
  page.proof_address = reinterpret_cast<std::uintptr_t>(&word);
  page.proof_value.store(word, std::memory_order_release);
}

bool prove(const RankPage& page) noexcept {
  std::uint64_t seen = 0;
  const iovec local{&seen, sizeof seen};
  return read_remote(page.process_id, page.proof_address, &local, 1) == Status::ok && seen == page.proof_value.load(std::memory_order_relaxed);
}

Status read_remote(std::int32_t process_id, std::uint64_t remote_address, const iovec* local, int runs) noexcept {
  constexpr std::size_t call_bytes = std::size_t{1} << 30;   // the kernel moves at most 2 GiB less a page a call
  constexpr int call_runs = 64;
  int run = 0;
  std::size_t done = 0;   // bytes of local[run] already there
  while (run < runs) {
    iovec into[call_runs];
    int used = 0;
    std::size_t wanted = 0;
    for (int next = run; next < runs && used < call_runs && wanted < call_bytes; ++next, ++used) {
      const std::size_t skip = next == run ? done : 0;
      const std::size_t left = local[next].iov_len - skip;
      into[used].iov_base = static_cast<std::byte*>(local[next].iov_base) + skip;
      into[used].iov_len = left < call_bytes - wanted ? left : call_bytes - wanted;
      wanted += into[used].iov_len;
    }
    if (wanted == 0) return Status::ok;   // only empty runs are left
    const iovec from{reinterpret_cast<void*>(remote_address), wanted};
    const ssize_t count = ::process_vm_readv(process_id, into, static_cast<unsigned long>(used), &from, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? status_of_errno(errno) : Status::peer_lost;
    remote_address += static_cast<std::uint64_t>(count);
    done += static_cast<std::size_t>(count);
    while (run < runs && done >= local[run].iov_len) done -= local[run++].iov_len;
  }
  return Status::ok;
}

}  // namespace weft::fabric::shm
