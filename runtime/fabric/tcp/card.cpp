// Cards as bytes, and the order of candidates.
#include "fabric/tcp/card.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace weft::fabric::tcp {
namespace {

constexpr std::uint32_t card_version = 0x77745401;

struct Head {
  std::uint32_t version;
  std::uint16_t port;
  std::uint16_t count;
  std::uint64_t id;
  std::uint64_t network;
  os::SecretKey key;
};
struct Entry {
  std::uint32_t megabits;
  std::uint8_t version;
  std::uint8_t prefix_bits;
  std::array<std::uint8_t, 16> bytes;
  std::array<char, 16> interface;
};

bool is_ours(const Card& ours, const os::Address& address) {
  return std::any_of(ours.addresses.begin(), ours.addresses.end(),
                     [&](const os::InterfaceAddress& mine) { return mine.address.version == address.version && mine.address.bytes == address.bytes; });
}

struct Ranked {
  int group;
  std::uint32_t megabits;
  os::Address address;
};

// Link-local addresses say nothing about the link they are on: one candidate for each of our interfaces that has one.
void add_link_local(const Card& ours, const os::InterfaceAddress& theirs, std::vector<Ranked>& ranked) {
  for (const os::InterfaceAddress& mine : ours.addresses) {
    if (!mine.address.is_link_local()) continue;
    os::Address scoped = theirs.address;
    scoped.scope = mine.index;
    ranked.push_back({3, std::min(mine.megabits, theirs.megabits), scoped});
  }
}

}  // namespace

std::string compose(const Card& card) {
  Head head{card_version, card.port, static_cast<std::uint16_t>(card.addresses.size()), card.id, card.network, card.key};
  std::string text(reinterpret_cast<const char*>(&head), sizeof head);
  for (const os::InterfaceAddress& from : card.addresses) {
    Entry entry{};
    entry.megabits = from.megabits;
    entry.version = from.address.version;
    entry.prefix_bits = static_cast<std::uint8_t>(from.prefix_bits);
    entry.bytes = from.address.bytes;
    std::memcpy(entry.interface.data(), from.interface.data(), std::min(from.interface.size(), entry.interface.size() - 1));
    text.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  return text;
}

bool parse(std::string_view text, Card& card) {
  Head head;
  if (text.size() < sizeof head) return false;
  std::memcpy(&head, text.data(), sizeof head);
  if (head.version != card_version || text.size() != sizeof head + head.count * sizeof(Entry)) return false;
  card = Card{head.id, head.key, head.network, head.port, {}};
  for (std::size_t i = 0; i < head.count; ++i) {
    Entry entry;
    std::memcpy(&entry, text.data() + sizeof head + i * sizeof entry, sizeof entry);
    os::InterfaceAddress address;
    address.interface = entry.interface.data();
    address.address.version = entry.version;
    address.address.bytes = entry.bytes;
    address.prefix_bits = entry.prefix_bits;
    address.megabits = entry.megabits;
    card.addresses.push_back(std::move(address));
  }
  return true;
}

std::uint64_t network_identity() {
  char boot[64] = "";
  if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    (void)!std::fread(boot, 1, sizeof boot - 1, file);
    std::fclose(file);
  }
  struct stat space{};
  (void)::stat("/proc/self/ns/net", &space);
  const os::SecretKey key{space.st_dev, space.st_ino};
  return os::keyed_hash(key, boot, sizeof boot);
}

bool can_reach(const Card& ours, const Card& theirs) {
  const bool same_network = ours.network == theirs.network;
  for (const os::InterfaceAddress& mine : ours.addresses)
    for (const os::InterfaceAddress& other : theirs.addresses)
      if (mine.address.version == other.address.version && mine.address.is_link_local() == other.address.is_link_local() &&
          (same_network || (!mine.address.is_loopback() && !other.address.is_loopback())))
        return true;
  return false;
}

std::vector<os::Address> candidates(const Card& ours, const Card& theirs) {
  const bool same_network = ours.network == theirs.network;
  std::vector<Ranked> ranked;
  for (const os::InterfaceAddress& entry : theirs.addresses) {
    if (entry.address.is_loopback()) {
      if (same_network) ranked.push_back({0, entry.megabits, entry.address});
    } else if (entry.address.is_link_local()) {
      add_link_local(ours, entry, ranked);
    } else if (same_network || !is_ours(ours, entry.address)) {
      Ranked candidate{2, entry.megabits, entry.address};
      for (const os::InterfaceAddress& mine : ours.addresses) {
        if (!entry.address.in_subnet(mine.address, std::max(1, mine.prefix_bits)) || mine.address.is_loopback()) continue;
        candidate.group = 1;
        candidate.megabits = std::min(candidate.megabits, mine.megabits);
      }
      ranked.push_back(candidate);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.group != b.group ? a.group < b.group : a.megabits > b.megabits;
  });
  std::vector<os::Address> result;
  for (const Ranked& candidate : ranked)
    if (std::find(result.begin(), result.end(), candidate.address) == result.end()) result.push_back(candidate.address);
  return result;
}

}  // namespace weft::fabric::tcp
