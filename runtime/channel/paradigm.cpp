// The table of paradigms and the rules that demand one.
#include "channel/paradigm.hpp"

#include <charconv>

#include <fmt/format.h>

namespace weft::channel {
namespace {

constexpr Paradigm table[] = {
    {"write-write", LinkType::push, LinkType::push, "few hot peers, lowest latency"},
    {"read-write", LinkType::pull, LinkType::push, "a client that must stay passive"},
    {"write-read", LinkType::push, LinkType::pull, "fan-in: many clients, one busy server"},
    {"read-read", LinkType::pull, LinkType::pull, "both sides passive"},
    {"send-send", LinkType::message, LinkType::message, "many or cold peers, least memory"},
    {"socket-socket", LinkType::stream, LinkType::stream, "no RDMA, or sharing denied"},
};

constexpr const char* verbs[] = {"write", "read", "send", "socket"};
constexpr const char* names[] = {"push", "pull", "message", "stream"};

bool parse_verb(std::string_view text, LinkType& type) {
  for (std::size_t i = 0; i < std::size(verbs); ++i)
    if (text == verbs[i]) {
      type = static_cast<LinkType>(i);
      return true;
    }
  return false;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A rank, or * for any.
bool side_matches(std::string_view text, int rank, bool& valid) {
  if (text == "*") return true;
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) valid = false;
  return number == rank;
}

bool pair_matches(std::string_view pair, int rank, int peer, bool& valid) {
  const std::size_t colon = pair.find(':');
  const std::string_view first = pair.substr(0, colon);
  const std::string_view second = colon == std::string_view::npos ? std::string_view("*") : pair.substr(colon + 1);
  const bool forward = side_matches(first, rank, valid) && side_matches(second, peer, valid);
  const bool backward = side_matches(first, peer, valid) && side_matches(second, rank, valid);
  return forward || backward;
}

}  // namespace

std::span<const Paradigm> paradigms() noexcept { return table; }
const char* link_name(LinkType type) noexcept { return names[static_cast<int>(type)]; }
const char* link_verb(LinkType type) noexcept { return verbs[static_cast<int>(type)]; }

Expected<Paradigm> parse_paradigm(std::string_view name) {
  for (const Paradigm& paradigm : table)
    if (name == paradigm.name) return paradigm;
  const std::size_t dash = name.find('-');
  Paradigm hybrid{"hybrid", LinkType::push, LinkType::push, "a hybrid"};
  if (dash != std::string_view::npos && parse_verb(name.substr(0, dash), hybrid.request) && parse_verb(name.substr(dash + 1), hybrid.reply))
    return hybrid;
  std::string known;
  for (const Paradigm& paradigm : table) known += fmt::format("{}{}", known.empty() ? "" : ", ", paradigm.name);
  return Failure{Status::bad_argument, fmt::format("paradigm '{}': not one of auto, {}, or a hybrid such as write-send", name, known)};
}

Expected<Demand> demanded(std::string_view rules, int rank, int peer) {
  while (!rules.empty()) {
    const std::size_t comma = rules.find(',');
    const std::string_view rule = trimmed(rules.substr(0, comma));
    rules = comma == std::string_view::npos ? std::string_view() : rules.substr(comma + 1);
    const std::size_t equals = rule.find('=');
    const std::string_view pair = equals == std::string_view::npos ? std::string_view("*") : trimmed(rule.substr(0, equals));
    const std::string_view name = equals == std::string_view::npos ? rule : trimmed(rule.substr(equals + 1));
    Demand demand;
    if (name != "auto") {
      Expected<Paradigm> paradigm = parse_paradigm(name);
      if (!paradigm) return paradigm.failure();
      demand = Demand{false, *paradigm};
    }
    bool valid = true;
    const bool matches = pair_matches(pair, rank, peer, valid);
    if (!valid) return Failure{Status::bad_argument, fmt::format("paradigm rule '{}': '{}' is not RANK:RANK or *", rule, pair)};
    if (matches) return demand;
  }
  return Demand{};
}

}  // namespace weft::channel
