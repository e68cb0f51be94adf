// Interface lists, cards, and which addresses are tried in which order.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "fabric/tcp/card.hpp"
#include "fabric/tcp/interfaces.hpp"

namespace weft::fabric::tcp {
namespace {

os::InterfaceAddress entry(const char* interface, std::uint32_t index, const char* address, int prefix_bits, std::uint32_t megabits = 0) {
  os::InterfaceAddress result;
  result.interface = interface;
  result.index = index;
  EXPECT_TRUE(os::parse_address(address, result.address));
  if (result.address.is_link_local()) result.address.scope = index;
  result.prefix_bits = prefix_bits;
  result.megabits = megabits;
  return result;
}

const std::vector<os::InterfaceAddress> present = {
    entry("lo", 1, "127.0.0.1", 8),           entry("eth0", 2, "10.77.0.1", 24, 1000),  entry("eth0", 2, "fe80::1", 64, 1000),
    entry("ib0", 3, "10.99.0.1", 16, 100000), entry("docker0", 4, "172.17.0.1", 16),    entry("virbr0", 5, "192.168.122.1", 24),
};

std::string names(std::string_view list) {
  const auto chosen = chosen_addresses(present, list);
  if (!chosen) return chosen.failure().note;
  std::string text;
  for (const os::InterfaceAddress& each : *chosen) text += fmt::format("{} ", each.interface);
  return text;
}

TEST(TcpInterfaces, NamesPatternsAndSubnetsIncludeAndExclude) {
  EXPECT_EQ(names(""), "lo eth0 eth0 ib0 docker0 virbr0 ");
  EXPECT_EQ(names("eth0"), "eth0 eth0 ");
  EXPECT_EQ(names("eth0, ib0"), "eth0 eth0 ib0 ");
  EXPECT_EQ(names("10.0.0.0/8"), "eth0 ib0 ");
  EXPECT_EQ(names("10.99.0.1"), "ib0 ");
  EXPECT_EQ(names("fe80::/10"), "eth0 ");
  EXPECT_EQ(names("^docker0,!virbr0"), "lo eth0 eth0 ib0 ");
  EXPECT_EQ(names("10.0.0.0/8,^ib0"), "eth0 ");
  EXPECT_EQ(names("^docker*,^br*"), "lo eth0 eth0 ib0 virbr0 ");
}

TEST(TcpInterfaces, WhatMatchesNothingIsAnErrorThatNamesWhatThereIs) {
  for (const char* list : {"eht0", "^eht0", "eth0,11.0.0.0/8"}) {
    const std::string note = names(list);
    EXPECT_NE(note.find("matches none"), std::string::npos) << note;
    EXPECT_NE(note.find("ib0 10.99.0.1/16"), std::string::npos) << note;
  }
  EXPECT_NE(names("10.0.0/8").find("is no subnet"), std::string::npos);
  EXPECT_NE(names("10.0.0.0/33").find("is no subnet"), std::string::npos);
  EXPECT_NE(names("^*").find("leaves none"), std::string::npos);
  EXPECT_EQ(chosen_addresses({}, "").failure().status, Status::unsupported);
}

Card card_of(std::uint64_t network, std::vector<os::InterfaceAddress> addresses) {
  Card card;
  card.network = network;
  card.port = 4000;
  card.id = 7;
  card.key = {1, 2};
  card.addresses = std::move(addresses);
  return card;
}

std::string order(const Card& ours, const Card& theirs) {
  std::string text;
  for (const os::Address& address : candidates(ours, theirs)) {
    os::Address plain = address;
    plain.scope = 0;
    text += address.scope != 0 ? fmt::format("{}%{} ", os::text_of(plain), address.scope) : fmt::format("{} ", os::text_of(plain));
  }
  return text;
}

TEST(TcpCard, SaysTheSameAfterItsWayAsText) {
  const Card card = card_of(9, present);
  Card back;
  ASSERT_TRUE(parse(compose(card), back));
  EXPECT_EQ(back.id, card.id);
  EXPECT_EQ(back.key, card.key);
  EXPECT_EQ(back.network, card.network);
  EXPECT_EQ(back.port, card.port);
  ASSERT_EQ(back.addresses.size(), card.addresses.size());
  EXPECT_EQ(back.addresses[3].interface, "ib0");
  EXPECT_EQ(back.addresses[3].megabits, 100000u);
  EXPECT_FALSE(parse("no card", back));
  EXPECT_FALSE(parse(compose(card) + "x", back));
}

TEST(TcpCard, SharedSubnetsComeFirstByTheirSpeed) {
  const Card ours = card_of(1, present);
  const Card theirs = card_of(2, {entry("lo", 1, "127.0.0.1", 8), entry("docker0", 2, "172.17.0.1", 16), entry("wan0", 3, "8.8.8.8", 24, 400000),
                                  entry("eth1", 4, "10.77.0.2", 24, 1000), entry("ib1", 5, "10.99.3.2", 16, 100000), entry("eth1", 4, "fe80::2", 64, 1000)});
  EXPECT_EQ(order(ours, theirs), "10.99.3.2 10.77.0.2 8.8.8.8 fe80::2%2 ");    // what both have, docker0's, leads nowhere
}

TEST(TcpCard, LoopbackLeadsOnlyWithinAHost) {
  const Card ours = card_of(1, present);
  EXPECT_EQ(order(ours, ours).substr(0, 10), "127.0.0.1 ");
  const Card lonely = card_of(2, {entry("lo", 1, "127.0.0.1", 8)});
  EXPECT_FALSE(can_reach(ours, lonely));
  EXPECT_FALSE(can_reach(lonely, ours));
  EXPECT_TRUE(can_reach(lonely, lonely));
  EXPECT_EQ(order(ours, lonely), "");
}

TEST(TcpCard, KindsOfAddressesMustBeShared) {
  const Card v4 = card_of(1, {entry("eth0", 1, "10.0.0.1", 8)});
  const Card v6 = card_of(2, {entry("eth0", 1, "fd00::1", 64)});
  EXPECT_FALSE(can_reach(v4, v6));
  EXPECT_FALSE(can_reach(v6, v4));
  EXPECT_TRUE(can_reach(v6, card_of(3, {entry("eth0", 1, "fd00::2", 64)})));
}

}  // namespace
}  // namespace weft::fabric::tcp
