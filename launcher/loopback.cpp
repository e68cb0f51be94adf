// Interface flags of lo.
#include "launcher/loopback.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "os/fd.hpp"

namespace weft::launcher {

Done require_loopback() {
  const os::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return system_failure("socket for the loopback interface", errno);
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0) return Nothing{};   // it has another name here: PMIx will say
  if ((request.ifr_flags & IFF_UP) != 0) return Nothing{};
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0) return Nothing{};
  return Failure{Status::denied, fmt::format("the loopback interface lo is down and can't be brought up ({}); PMIx needs it: ip link set lo up",
                                             std::strerror(errno))};
}

}  // namespace weft::launcher
