// Addresses to text and back, and getifaddrs(3).
#include "os/address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "os/fd.hpp"

namespace weft::os {
namespace {

// From ethtool; virtual interfaces may have none.
std::uint32_t speed_of(const Fd& socket, const char* interface) {
  ethtool_cmd command{};
  command.cmd = ETHTOOL_GSET;
  ifreq request{};
  std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&command);
  if (!socket || ::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) return 0;
  const std::uint32_t speed = ethtool_cmd_speed(&command);
  return speed == static_cast<std::uint32_t>(SPEED_UNKNOWN) || speed > 10'000'000 ? 0 : speed;
}

int prefix_of(const sockaddr* mask) {
  if (mask == nullptr) return 0;
  SocketAddress from;
  std::memcpy(&from.storage, mask, mask->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  int bits = 0;
  for (const std::uint8_t byte : address_of(from).bytes) bits += std::popcount(byte);
  return bits;
}

}  // namespace

bool Address::is_loopback() const noexcept {
  if (version == 4) return bytes[0] == 127;
  return IN6_IS_ADDR_LOOPBACK(reinterpret_cast<const in6_addr*>(bytes.data()));
}

bool Address::is_link_local() const noexcept { return version == 6 && bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80; }

bool Address::in_subnet(const Address& network, int prefix_bits) const noexcept {
  if (version != network.version) return false;
  for (int bit = 0; bit < prefix_bits; bit += 8) {
    const int left = prefix_bits - bit;
    const auto mask = static_cast<std::uint8_t>(left >= 8 ? 0xff : 0xff << (8 - left));
    const auto at = static_cast<std::size_t>(bit / 8);
    if (((bytes[at] ^ network.bytes[at]) & mask) != 0) return false;
  }
  return true;
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  (void)::inet_ntop(address.version == 4 ? AF_INET : AF_INET6, address.bytes.data(), text, sizeof text);
  if (address.scope == 0) return text;
  char interface[IF_NAMESIZE];
  return ::if_indextoname(address.scope, interface) != nullptr ? fmt::format("{}%{}", text, interface) : fmt::format("{}%{}", text, address.scope);
}

std::string text_of(const Address& address, std::uint16_t port) {
  return address.version == 4 ? fmt::format("{}:{}", text_of(address), port) : fmt::format("[{}]:{}", text_of(address), port);
}

bool parse_address(std::string_view text, Address& address) {
  const std::string copy(text);
  address = Address{};
  address.version = copy.find(':') == std::string::npos ? 4 : 6;
  return ::inet_pton(address.version == 4 ? AF_INET : AF_INET6, copy.c_str(), address.bytes.data()) == 1;
}

SocketAddress socket_address(const Address& address, std::uint16_t port) {
  SocketAddress result;
  if (address.version == 4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes.data(), sizeof v4.sin_addr);
    std::memcpy(&result.storage, &v4, sizeof v4);
    result.length = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    v6.sin6_scope_id = address.scope;
    std::memcpy(&v6.sin6_addr, address.bytes.data(), sizeof v6.sin6_addr);
    std::memcpy(&result.storage, &v6, sizeof v6);
    result.length = sizeof v6;
  }
  return result;
}

Address address_of(const SocketAddress& from) {
  Address address;
  if (from.storage.ss_family == AF_INET) {
    std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in*>(&from.storage)->sin_addr, 4);
    return address;
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&from.storage);
  if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
    std::memcpy(address.bytes.data(), v6->sin6_addr.s6_addr + 12, 4);
    return address;
  }
  address.version = 6;
  std::memcpy(address.bytes.data(), &v6->sin6_addr, 16);
  if (address.is_link_local()) address.scope = v6->sin6_scope_id;
  return address;
}

std::uint16_t port_of(const SocketAddress& from) {
  return ntohs(from.storage.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in*>(&from.storage)->sin_port
                                                 : reinterpret_cast<const sockaddr_in6*>(&from.storage)->sin6_port);
}

Expected<std::vector<InterfaceAddress>> interface_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return system_failure("getifaddrs", errno);
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  std::vector<InterfaceAddress> found;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    constexpr unsigned wanted = IFF_UP | IFF_RUNNING;
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & wanted) != wanted) continue;
    if (entry->ifa_addr->sa_family != AF_INET && entry->ifa_addr->sa_family != AF_INET6) continue;
    SocketAddress from;
    std::memcpy(&from.storage, entry->ifa_addr, entry->ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    InterfaceAddress address;
    address.interface = entry->ifa_name;
    address.index = ::if_nametoindex(entry->ifa_name);
    address.address = address_of(from);
    address.prefix_bits = prefix_of(entry->ifa_netmask);
    address.megabits = speed_of(socket, entry->ifa_name);
    found.push_back(std::move(address));
  }
  ::freeifaddrs(list);
  return found;
}

}  // namespace weft::os
