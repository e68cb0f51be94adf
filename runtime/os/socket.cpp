// send(2), recv(2), listen(2) and their options.
#include "os/socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>

#include <fmt/format.h>

namespace weft::os {
namespace {

constexpr int backlog = 4096;         // a whole job may call at once

Moved moved(ssize_t count) noexcept {
  if (count >= 0) return count;
  return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

bool bind_port(const Fd& socket, int version, std::uint16_t port) noexcept {
  Address any;
  any.version = static_cast<std::uint8_t>(version);
  SocketAddress address = socket_address(any, port);
  return ::bind(socket.get(), address.get(), address.length) == 0;
}

void set(const Fd& socket, int level, int name, int value) noexcept { (void)::setsockopt(socket.get(), level, name, &value, sizeof value); }

}  // namespace

Moved send_now(int socket, const void* from, std::size_t bytes) noexcept {
  ssize_t count;
  do {
    count = ::send(socket, from, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  return moved(count);
}

Moved send_pieces_now(int socket, const iovec* pieces, int count) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces);
  message.msg_iovlen = static_cast<std::size_t>(count);
  ssize_t sent;
  do {
    sent = ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return moved(sent);
}

Moved receive_now(int socket, void* into, std::size_t bytes) noexcept {
  ssize_t count;
  do {
    count = ::recv(socket, into, bytes, MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  return count == 0 ? stream_ended : moved(count);
}

Expected<Fd> listen_anywhere(std::uint16_t first, std::uint16_t last) {
  int version = 6;
  Fd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket) {
    set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  } else {
    version = 4;
    socket = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  }
  if (!socket) return system_failure("socket", errno);
  for (int port = first; port <= last; ++port)
    if (bind_port(socket, version, static_cast<std::uint16_t>(port))) {
      if (::listen(socket.get(), backlog) != 0) break;
      return socket;
    }
  return system_failure(fmt::format("listening on a port from {} to {}", first, last), errno);
}

std::uint16_t listening_port(const Fd& listener) { return port_of(local_address(listener)); }

Expected<Fd> begin_connect(const Address& address, std::uint16_t port) {
  SocketAddress to = socket_address(address, port);
  Fd socket(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return system_failure("socket", errno);
  if (::connect(socket.get(), to.get(), to.length) == 0 || errno == EINPROGRESS || errno == EINTR) return socket;
  return system_failure(text_of(address, port), errno);
}

int connect_error(const Fd& socket) noexcept {
  int error = 0;
  socklen_t length = sizeof error;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

Fd accept_now(const Fd& listener) noexcept {
  int number;
  do {
    number = ::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  } while (number < 0 && (errno == EINTR || errno == ECONNABORTED));
  return Fd(number);
}

SocketAddress remote_address(const Fd& socket) noexcept {
  SocketAddress address;
  (void)::getpeername(socket.get(), address.get(), &address.length);
  return address;
}

SocketAddress local_address(const Fd& socket) noexcept {
  SocketAddress address;
  (void)::getsockname(socket.get(), address.get(), &address.length);
  return address;
}

// TCP_USER_TIMEOUT is not for us: it also ends connections whose other side is alive but does not read for a while.
void tune(const Fd& socket, std::int64_t timeout_s, std::int64_t buffer_bytes) noexcept {
  constexpr int probes = 3;
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(timeout_s, 2, 30'000));
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, timeout / 2));
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, timeout / 2 / probes));
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, probes);
  if (buffer_bytes <= 0) return;
  const int bytes = static_cast<int>(std::min<std::int64_t>(buffer_bytes, INT32_MAX / 2));
  set(socket, SOL_SOCKET, SO_SNDBUF, bytes);
  set(socket, SOL_SOCKET, SO_RCVBUF, bytes);
}

std::int64_t unanswered_ms(const Fd& socket) noexcept {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  const bool waits = info.tcpi_unacked != 0 || info.tcpi_probes != 0;
  return waits ? std::max(1u, std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv)) : 0;
}

}  // namespace weft::os
