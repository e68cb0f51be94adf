// The list of interfaces, item by item.
#include "fabric/tcp/interfaces.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace weft::fabric::tcp {
namespace {

struct Item {
  std::string text;
  bool excludes = false;
  bool is_subnet = false;
  os::Address network{};
  int prefix_bits = 0;

  bool matches(const os::InterfaceAddress& entry) const {
    if (is_subnet) return entry.address.in_subnet(network, prefix_bits);
    return ::fnmatch(text.c_str(), entry.interface.c_str(), 0) == 0;
  }
  bool may_match_nothing() const { return text.find_first_of("*?[") != std::string::npos; }
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A subnet is what has a slash, or is an address as a whole.
bool parse_subnet(std::string_view text, Item& item) {
  const std::size_t slash = text.find('/');
  if (!os::parse_address(text.substr(0, slash), item.network)) return false;
  item.prefix_bits = item.network.bits();
  if (slash == std::string_view::npos) return true;
  const std::string_view bits = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), item.prefix_bits);
  return error == std::errc{} && end == bits.data() + bits.size() && item.prefix_bits >= 0 && item.prefix_bits <= item.network.bits();
}

std::string listing(const std::vector<os::InterfaceAddress>& present) {
  std::string text;
  for (const os::InterfaceAddress& entry : present)
    text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", entry.interface, os::text_of(entry.address), entry.prefix_bits);
  return text.empty() ? "none that is up" : text;
}

}  // namespace

Expected<std::vector<os::InterfaceAddress>> chosen_addresses(const std::vector<os::InterfaceAddress>& present, std::string_view list) {
  std::vector<Item> items;
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    std::string_view text = trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (text.empty()) continue;
    Item item;
    item.excludes = text.front() == '^' || text.front() == '!';
    if (item.excludes) text = trimmed(text.substr(1));
    item.text = text;
    const bool slash = text.find('/') != std::string_view::npos;
    item.is_subnet = parse_subnet(text, item);
    if (slash && !item.is_subnet) return Failure{Status::bad_argument, fmt::format("WEFT_TCP_INTERFACES={}: '{}' is no subnet", list, text)};
    const bool found = std::any_of(present.begin(), present.end(), [&item](const os::InterfaceAddress& entry) { return item.matches(entry); });
    if (!found && !item.may_match_nothing())
      return Failure{Status::bad_argument, fmt::format("WEFT_TCP_INTERFACES={}: '{}' matches none of the interfaces of this host ({})", list, text, listing(present))};
    items.push_back(std::move(item));
  }
  const bool all = std::all_of(items.begin(), items.end(), [](const Item& item) { return item.excludes; });
  std::vector<os::InterfaceAddress> chosen;
  for (const os::InterfaceAddress& entry : present) {
    bool wanted = all;
    bool unwanted = false;
    for (const Item& item : items)
      if (item.matches(entry)) (item.excludes ? unwanted : wanted) = true;
    if (wanted && !unwanted) chosen.push_back(entry);
  }
  if (chosen.empty()) {
    if (items.empty()) return Failure{Status::unsupported, "no network interface is up"};
    return Failure{Status::bad_argument, fmt::format("WEFT_TCP_INTERFACES={}: leaves none of the interfaces of this host ({})", list, listing(present))};
  }
  return chosen;
}

}  // namespace weft::fabric::tcp
