// Internet addresses, and those this machine has: IPv4 and IPv6, as bytes, as text, as the kernel wants them. Used by the
// tcp fabric and whoever must name a host. Any thread.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "os/expected.hpp"

namespace weft::os {

struct Address {
  std::uint8_t version = 4;                 // 4 or 6
  std::uint32_t scope = 0;                  // interface index, for link-local IPv6 only
  std::array<std::uint8_t, 16> bytes{};     // network order; IPv4 takes the first four

  int bits() const noexcept { return version == 4 ? 32 : 128; }
  bool is_loopback() const noexcept;
  bool is_link_local() const noexcept;      // fe80::/10: needs a scope
  bool in_subnet(const Address& network, int prefix_bits) const noexcept;
  bool operator==(const Address& other) const noexcept { return version == other.version && scope == other.scope && bytes == other.bytes; }
};

std::string text_of(const Address& address);                         // "10.0.0.1", "fe80::1%eth0"
std::string text_of(const Address& address, std::uint16_t port);     // "10.0.0.1:80", "[fe80::1%eth0]:80"
bool parse_address(std::string_view text, Address& address);         // without a scope

// What bind, connect and accept speak. An IPv4 address mapped into IPv6 comes back as IPv4.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);

  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
};
SocketAddress socket_address(const Address& address, std::uint16_t port);
Address address_of(const SocketAddress& from);
std::uint16_t port_of(const SocketAddress& from);

struct InterfaceAddress {
  std::string interface;
  std::uint32_t index = 0;                  // of the interface
  Address address;
  int prefix_bits = 0;
  std::uint32_t megabits = 0;               // the interface's speed; 0: unknown
};

// Of all interfaces that are up and have a carrier, in the kernel's order.
Expected<std::vector<InterfaceAddress>> interface_addresses();

}  // namespace weft::os
