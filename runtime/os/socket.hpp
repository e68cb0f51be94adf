// Non-blocking sockets: the calls that move bytes, with what they answer in one number, and the options we set. No SIGPIPE, no
// EINTR, no short count goes unseen. Any thread.
#pragma once

#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "os/address.hpp"
#include "os/fd.hpp"

namespace weft::os {

// Bytes moved; 0: none now; negative: -errno, or stream_ended where the other side has closed in order.
using Moved = std::int64_t;
inline constexpr Moved stream_ended = -ESHUTDOWN;

Moved send_now(int socket, const void* from, std::size_t bytes) noexcept;
Moved send_pieces_now(int socket, const iovec* pieces, int count) noexcept;
Moved receive_now(int socket, void* into, std::size_t bytes) noexcept;

// Listens on all addresses, IPv4 and IPv6 where there is both. Ports: from `first` to `last`, 0: any.
Expected<Fd> listen_anywhere(std::uint16_t first, std::uint16_t last);
std::uint16_t listening_port(const Fd& listener);
// Begins to connect; the socket is writable when it has ended, and then connect_error() tells how: 0, or errno.
Expected<Fd> begin_connect(const Address& address, std::uint16_t port);
int connect_error(const Fd& socket) noexcept;
Fd accept_now(const Fd& listener) noexcept;                    // empty: nobody
SocketAddress remote_address(const Fd& socket) noexcept;
SocketAddress local_address(const Fd& socket) noexcept;

// No delay for small sends; probes while idle, so that a silent host is found out within timeout_s; buffers, 0: the kernel's.
void tune(const Fd& socket, std::int64_t timeout_s, std::int64_t buffer_bytes) noexcept;
// Where something sent waits for the other host's word that it has come: how long ago that host said anything, in ms; else 0.
std::int64_t unanswered_ms(const Fd& socket) noexcept;

}  // namespace weft::os
