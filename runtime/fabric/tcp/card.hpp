// The card of a tcp port: where it listens, and the key that proves a caller to be of the job, for only its ranks get cards.
// From two cards follows which addresses are worth trying, best first. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/address.hpp"
#include "os/keyed_hash.hpp"

namespace weft::fabric::tcp {

struct Card {
  std::uint64_t id = 0;               // of the port, random: tells a wrong host, or another job, from the right one
  os::SecretKey key{};
  std::uint64_t network = 0;          // same value: same host and network namespace, so loopback leads there
  std::uint16_t port = 0;
  std::vector<os::InterfaceAddress> addresses;   // index is that of the card's host
};

std::string compose(const Card& card);
bool parse(std::string_view text, Card& card);      // false: not the card of such a port

// What identifies this host and network namespace.
std::uint64_t network_identity();

// Do the two have a kind of address in common? The same answer on both sides.
bool can_reach(const Card& ours, const Card& theirs);

// The addresses of the peer to try, best first: loopback within a host, shared subnets by speed, others that may be
// routed, link-local ones by each of our interfaces. Addresses that the peer shares with us lead nowhere and are left out.
std::vector<os::Address> candidates(const Card& ours, const Card& theirs);

}  // namespace weft::fabric::tcp
