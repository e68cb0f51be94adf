// Datagrams of one byte.
#include "fabric/shm/bell_socket.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "fabric/shm/abstract_name.hpp"
#include "os/log.hpp"

namespace weft::fabric::shm {

std::optional<BellSocket> BellSocket::make() {
  BellSocket bell;
  bell.name_ = "weft-bell-" + random_text();
  bell.socket_ = os::Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address;
  const socklen_t length = fill_address(address, bell.name_);
  if (!bell.socket_ || ::bind(bell.socket_.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) {
    os::log_error("no socket to sleep on: {}; sleeps are cut short instead", std::strerror(errno));
    return std::nullopt;
  }
  return bell;
}

void BellSocket::drain() const noexcept {
  char byte = 0;
  while (::recv(socket_.get(), &byte, sizeof byte, 0) >= 0) {}
}

// A full socket has been rung already; one that is gone has nobody asleep on it.
void ring_socket(const char* name) noexcept {
  static const os::Fd ringer(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address;
  const socklen_t length = fill_address(address, name);
  const char byte = 'b';
  (void)::sendto(ringer.get(), &byte, sizeof byte, MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), length);
}

}  // namespace weft::fabric::shm
