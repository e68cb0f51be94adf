// Reading and checking the options.
#include "fabric/verbs/settings.hpp"

#include <fmt/format.h>

#include "os/options.hpp"

namespace weft::fabric::verbs {
namespace {

struct Limit {
  const char* option;
  std::int64_t least;
  std::int64_t most;
};

// Retries end at 6, since some devices take 7 for "for ever", and then a dead peer would never be found. Not so for receivers
// that are slow: they answer, so they are alive, and a rank that computes for a minute is no dead one.
constexpr Limit limits[] = {
    {"verbs-gid", -1, 255},          {"verbs-timeout", 1, 31},     {"verbs-retries", 0, 6},        {"verbs-receiver-retries", 0, 7},
    {"verbs-receiver-timer", 1, 31}, {"verbs-depth", 7, 4095},     {"verbs-inline", 0, 1024},      {"verbs-receives", 64, 65536},
    {"verbs-message-bytes", 512, 1 << 20}, {"verbs-cache-bytes", 0, INT64_MAX}, {"verbs-cache-entries", 0, 4096}, {"verbs-silence", 0, 1'000'000},
};

}  // namespace

Expected<Settings> Settings::read() {
  for (const Limit& limit : limits) {
    const std::int64_t value = os::option_number(limit.option);
    if (value < limit.least || value > limit.most)
      return Failure{Status::bad_argument, fmt::format("option {}: {} is not from {} to {}", limit.option, value, limit.least, limit.most)};
  }
  Settings settings;
  settings.device = os::option_text("verbs-device");
  settings.gid_index = static_cast<int>(os::option_number("verbs-gid"));
  settings.timeout = static_cast<std::uint8_t>(os::option_number("verbs-timeout"));
  settings.retries = static_cast<std::uint8_t>(os::option_number("verbs-retries"));
  settings.receiver_retries = static_cast<std::uint8_t>(os::option_number("verbs-receiver-retries"));
  settings.receiver_timer = static_cast<std::uint8_t>(os::option_number("verbs-receiver-timer"));
  settings.depth = static_cast<std::uint32_t>(os::option_number("verbs-depth"));
  settings.inline_bytes = static_cast<std::uint32_t>(os::option_number("verbs-inline"));
  settings.receives = static_cast<std::uint32_t>(os::option_number("verbs-receives"));
  settings.message_bytes = static_cast<std::uint32_t>(os::option_number("verbs-message-bytes")) + message_head_bytes;
  if (const std::int64_t seconds = os::option_number("verbs-silence"); seconds != 0) settings.silence_ns = seconds * 1'000'000'000;
  settings.cache_bytes = static_cast<std::size_t>(os::option_number("verbs-cache-bytes"));
  settings.cache_entries = static_cast<std::uint32_t>(os::option_number("verbs-cache-entries"));
  const std::string& transport = os::option_text("verbs-transport");
  if (transport == "rc") settings.transport = Transport::rc;
  else if (transport == "uc") settings.transport = Transport::uc;
  else if (transport == "ud") settings.transport = Transport::ud;
  else return Failure{Status::bad_argument, fmt::format("option verbs-transport: '{}' is none of rc, uc, ud", transport)};
  const std::int64_t mtu = os::option_number("verbs-mtu");
  switch (mtu) {
    case 256: settings.mtu = IBV_MTU_256; break;
    case 512: settings.mtu = IBV_MTU_512; break;
    case 1024: settings.mtu = IBV_MTU_1024; break;
    case 2048: settings.mtu = IBV_MTU_2048; break;
    case 0:
    case 4096: settings.mtu = IBV_MTU_4096; break;
    default: return Failure{Status::bad_argument, fmt::format("option verbs-mtu: {} is none of 0, 256, 512, 1024, 2048, 4096", mtu)};
  }
  return settings;
}

}  // namespace weft::fabric::verbs
