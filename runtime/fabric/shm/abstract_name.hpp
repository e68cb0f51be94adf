// Names of abstract Unix sockets: in no file system, gone with their owner, unguessable. Any thread.
#pragma once

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "os/clock.hpp"

namespace weft::fabric::shm {

inline std::string random_text() {
  std::uint64_t words[2] = {};
  if (::getrandom(words, sizeof words, 0) != static_cast<ssize_t>(sizeof words)) words[0] = static_cast<std::uint64_t>(os::now_ns());
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

inline socklen_t fill_address(sockaddr_un& address, std::string_view name) {
  std::memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;   // a leading zero byte makes the name abstract
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

}  // namespace weft::fabric::shm
