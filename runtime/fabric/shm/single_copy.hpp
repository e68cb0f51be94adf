// One copy between processes, by the kernel (process_vm_readv). Whether it is allowed is found out by reading a word the
// peer published, once a peer; where it is not (no ptrace right, another pid namespace, a seccomp filter), the caller moves
// the data through the ring instead and nobody is told. Threads: one at a time.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "fabric/shm/layout.hpp"
#include "os/status.hpp"

namespace weft::fabric::shm {

// Our pid and a word to read, at open. The word lives as long as peers may probe.
void publish_proof(RankPage& page, std::uint64_t& word) noexcept;
bool prove(const RankPage& page) noexcept;            // can this process read that one?

// Reads consecutive remote bytes into the runs of `local`, all of them or fails. Copes with short counts and with the
// kernel's limit a call.
Status read_remote(std::int32_t process_id, std::uint64_t remote_address, const iovec* local, int runs) noexcept;

}  // namespace weft::fabric::shm
