// The table of paradigms and the rules that demand one.
#include "channel/paradigm.hpp"

#include <gtest/gtest.h>

#include "channel/choice.hpp"

namespace weft::channel {
namespace {

TEST(Paradigm, TheSixAndHybridsHaveNames) {
  EXPECT_EQ(paradigms().size(), 6u);
  for (const Paradigm& paradigm : paradigms()) {
    const auto parsed = parse_paradigm(paradigm.name);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->request, paradigm.request);
    EXPECT_EQ(parsed->reply, paradigm.reply);
  }
  const auto hybrid = parse_paradigm("write-send");
  ASSERT_TRUE(hybrid);
  EXPECT_EQ(hybrid->request, LinkType::push);
  EXPECT_EQ(hybrid->reply, LinkType::message);
}

TEST(Paradigm, WhatDoesNotExistIsNamedWithWhatDoes) {
  const auto parsed = parse_paradigm("wrote-write");
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.failure().note.find("wrote-write"), std::string::npos);
  EXPECT_NE(parsed.failure().note.find("read-write"), std::string::npos);
}

TEST(Paradigm, TheFirstRuleThatFitsAPairDecidesOnBothSides) {
  const char* rules = "0:2=read-read, 0:*=write-read, *=auto";
  for (const auto& [a, b] : {std::pair{0, 2}, std::pair{2, 0}}) {
    const auto demand = demanded(rules, a, b);
    ASSERT_TRUE(demand);
    EXPECT_STREQ(demand->paradigm.name, "read-read");
  }
  EXPECT_STREQ(demanded(rules, 5, 0)->paradigm.name, "write-read");
  EXPECT_TRUE(demanded(rules, 5, 6)->automatic);
  EXPECT_TRUE(demanded("auto", 1, 0)->automatic);
  EXPECT_STREQ(demanded("send-send", 1, 0)->paradigm.name, "send-send");
  EXPECT_FALSE(demanded("x:*=auto", 1, 0));
  EXPECT_FALSE(demanded("1:*=fast", 1, 0));
}

// No side is passive where its CPU serves the other: no hint makes rings worth it over sockets.
TEST(Paradigm, SocketsAreForFabricsThatTheTargetServes) {
  fabric::Caps caps;
  caps.operations = fabric::op_write | fabric::op_write_immediate | fabric::op_read | fabric::op_send | fabric::op_stream;
  caps.latency_ns = 15'000;
  caps.bytes_per_ns = 2;
  caps.post_ns = 1'500;
  for (const double fan_in : {0.0, 8.0, 64.0, 1024.0}) {
    Hints hints;
    hints.fan_in = fan_in;
    caps.served_by_target = true;
    EXPECT_STREQ(preferred(caps, hints).paradigm.name, "socket-socket") << fan_in;
    caps.served_by_target = false;
    EXPECT_EQ(preferred(caps, hints).paradigm.name == std::string_view("write-read"), fan_in >= 64) << fan_in;
  }
}

}  // namespace
}  // namespace weft::channel
