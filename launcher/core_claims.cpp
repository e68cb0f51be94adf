// Claims as abstract socket names.
#include "launcher/core_claims.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

// Empty when another job holds the name. Where sockets are not to be had, nobody can claim and all are free.
os::Fd claim(int cpu, bool& taken) {
  os::Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  taken = false;
  if (!socket) return {};
  const std::string name = fmt::format("weft-core-{}", cpu);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const socklen_t bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0) return socket;
  taken = errno == EADDRINUSE;
  return {};
}

}  // namespace

std::vector<int> CoreClaims::claim_free(const std::vector<os::Core>& cores) {
  std::vector<int> free_cores;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    bool taken = false;
    os::Fd name = claim(cores[i].cpus.front(), taken);
    if (taken) continue;
    free_cores.push_back(static_cast<int>(i));
    if (name) held_.emplace(static_cast<int>(i), std::move(name));
  }
  return free_cores;
}

void CoreClaims::keep_only(const std::vector<os::Core>& cores, const std::vector<os::Cpus>& used) {
  std::erase_if(held_, [&](const auto& claim) {
    const int cpu = cores[static_cast<std::size_t>(claim.first)].cpus.front();
    return std::none_of(used.begin(), used.end(), [cpu](const os::Cpus& cpus) { return std::binary_search(cpus.begin(), cpus.end(), cpu); });
  });
}

}  // namespace weft::launcher
