// The option table, and reading it from the environment.
#include "os/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

extern char** environ;

namespace weft::os {
namespace {

constexpr Option table[] = {
    {"log", OptionType::text, "error", "how much to say on stderr: error, info or debug"},
    {"fabrics", OptionType::text, "shm,verbs,tcp", "fabrics that may be used, in order of preference, shm first within a node; self is always there"},
    {"paradigm", OptionType::text, "auto", "how a pair of ranks talks: auto, a paradigm, or rules such as 0:*=write-write,*=auto"},
    {"rendezvous", OptionType::text, "auto", "how large payloads travel between nodes: get (read), put (written), fragments; auto takes the first of them that can be"},
    {"peers-hint", OptionType::number, "-1", "peers on other nodes that a rank will talk to; -1: all of them"},
    {"message-size-hint", OptionType::bytes, "8", "the usual message, for the choice of paradigms"},
    {"fan-in-hint", OptionType::number, "0", "clients that keep one server busy at a time, for the choice of paradigms"},
    {"ring-memory", OptionType::bytes, "256M", "bytes a rank may spend on rings for peers on other nodes before paradigms without rings are chosen"},
    {"eager-limit", OptionType::bytes, "16k", "bytes up to which a message is sent before its receive is known"},
    {"ring-slots", OptionType::number, "256", "slots of a push ring, a power of two"},
    {"ring-bytes", OptionType::bytes, "32k", "payload bytes of a push ring, a power of two"},
    {"direct", OptionType::flag, "1", "write-write over shm takes the short way; 0: over an endpoint like the other paradigms, to compare them"},
    {"remote-ring-slots", OptionType::number, "128", "slots of a ring over an endpoint, a power of two"},
    {"remote-ring-bytes", OptionType::bytes, "16k", "payload bytes of a ring over an endpoint, a power of two"},
    {"unexpected-limit", OptionType::bytes, "64M", "bytes of unexpected messages held for one peer before its sender must wait"},
    {"verbs-device", OptionType::text, "", "RDMA device to use, name or name:port; the best active one by default"},
    {"verbs-gid", OptionType::number, "-1", "index of the device's address (GID); -1: chosen, routed IPv4 ones first"},
    {"verbs-transport", OptionType::text, "rc", "rc; ud: messages only, memory flat in the number of peers; uc: no reads, and a lost packet hangs the job"},
    {"verbs-mtu", OptionType::number, "0", "bytes of a packet, at most; 0: what the port has"},
    {"verbs-timeout", OptionType::number, "14", "until a packet is sent again: 4.096 us times 2 to this power"},
    {"verbs-retries", OptionType::number, "6", "times a packet is sent again before its peer is lost"},
    {"verbs-receiver-retries", OptionType::number, "7", "the same for a peer that answers but has no receive posted; 7: for ever"},
    {"verbs-receiver-timer", OptionType::number, "12", "pause before that, as InfiniBand numbers it: 1 is 10 us, 12 is 640 us, 31 is 491 ms"},
    {"verbs-depth", OptionType::number, "31", "requests in a send queue"},
    {"verbs-inline", OptionType::bytes, "128", "bytes that are copied into a request instead of being fetched, at most"},
    {"verbs-receives", OptionType::number, "512", "receives posted, shared by all peers"},
    {"verbs-message-bytes", OptionType::bytes, "8k", "payload that a posted receive has room for"},
    {"verbs-silence", OptionType::number, "0", "seconds until a peer over UD that does not acknowledge is lost; 0: for ever, since it may be computing"},
    {"verbs-cache-bytes", OptionType::bytes, "512M", "bytes of the program's memory that may stay registered between transfers, where the kernel tells of changes"},
    {"verbs-cache-entries", OptionType::number, "256", "stretches of memory that may; 0: none"},
    {"single-copy", OptionType::text, "auto", "copies between processes by the kernel: auto (probed at start) or off"},
    {"tcp-interfaces", OptionType::text, "", "interfaces of the tcp fabric: names, patterns or subnets, ^ before one to exclude it; empty: all that are up"},
    {"tcp-ports", OptionType::text, "", "ports the tcp fabric may listen on, such as 4000-4100; empty: any"},
    {"tcp-connect-timeout", OptionType::number, "30", "seconds in which a tcp connection must come about"},
    {"tcp-timeout", OptionType::number, "60", "seconds without a sign of life from its host after which a tcp peer is lost"},
    {"tcp-sockets", OptionType::number, "1", "sockets that carry large tcp transfers of a pair"},
    {"tcp-buffer", OptionType::bytes, "0", "send and receive buffers of a tcp socket; 0 lets the kernel choose"},
    {"spin", OptionType::number, "-1", "microseconds to spin before a wait sleeps; -1 lets weft choose"},
    {"algorithms", OptionType::text, "", "collective algorithms by name, such as allreduce:ring,broadcast:chain; the rest is chosen"},
    {"shared-collectives", OptionType::flag, "1", "small collectives of ranks on one node go through shared memory; 0: as messages"},
    {"chaos-seed", OptionType::number, "0", "for tests: all that fabrics may reorder, delay, split or put off, they do, from this seed; 0: off"},
    {"check", OptionType::flag, "0", "compare call, root, count, type and operation of every collective over its ranks"},
    {"atomics", OptionType::text, "auto", "how counters and locks are reached: auto, endpoint (a fabric's atomics), served (messages to the home)"},
    {"report", OptionType::flag, "0", "print fabric, paradigm and binding of each rank at start"},
    {"strict", OptionType::flag, "0", "refuse to start where weft would otherwise only warn"},
    {"launcher", OptionType::text, "", "set by the launcher: its name; it then tells why a job ended"},
};

struct Loaded {
  std::vector<OptionValue> values;
  std::string unknown;     // WEFT_ names that are no option, with the nearest one
};

Loaded& loaded() {
  static Loaded instance = [] {
    Loaded fresh;
    for (const Option& option : table) fresh.values.push_back({&option, option.fallback, "default", 0});
    return fresh;
  }();
  return instance;
}

bool parse_number(std::string_view text, bool with_suffix, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return false;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.empty()) return true;
  if (!with_suffix || rest.size() != 1 || number < 0) return false;
  int shift = 0;
  switch (std::tolower(static_cast<unsigned char>(rest[0]))) {
    case 'k': shift = 10; break;
    case 'm': shift = 20; break;
    case 'g': shift = 30; break;
    default: return false;
  }
  if (number > (INT64_MAX >> shift)) return false;
  number <<= shift;
  return true;
}

bool parse(const Option& option, std::string_view text, std::int64_t& number) {
  switch (option.type) {
    case OptionType::text: return true;
    case OptionType::number: return parse_number(text, false, number);
    case OptionType::bytes: return parse_number(text, true, number);
    case OptionType::flag:
      number = text == "1" || text == "yes" || text == "on" || text == "true";
      return number == 1 || text == "0" || text == "no" || text == "off" || text == "false" || text.empty();
  }
  return false;
}

const char* expects(OptionType type) {
  switch (type) {
    case OptionType::text: return "a text";
    case OptionType::number: return "a whole number";
    case OptionType::bytes: return "a number of bytes (suffixes k, M, G)";
    case OptionType::flag: return "0 or 1";
  }
  return "";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string nearest_variable(std::string_view name) {
  std::string best;
  std::size_t best_distance = SIZE_MAX;
  for (const Option& option : table) {
    const std::string variable = option_variable(option);
    const bool begins_it = variable.starts_with(name) && name.size() > 5;     // WEFT_EAGER for WEFT_EAGER_LIMIT
    const std::size_t distance = begins_it ? 0 : edit_distance(name, variable);
    if (distance < best_distance) { best_distance = distance; best = variable; }
  }
  return best;
}

// The compiler wrappers' and the tests' own.
bool belongs_to_others(std::string_view variable) {
  return variable == "WEFT_CC" || variable == "WEFT_CXX" || variable.starts_with("WEFT_TEST_") || variable.starts_with("WEFT_VM_");
}

OptionValue* find_by_variable(std::string_view variable) {
  for (OptionValue& value : loaded().values)
    if (option_variable(*value.option) == variable) return &value;
  return nullptr;
}

const OptionValue& find(std::string_view name) {
  for (const OptionValue& value : loaded().values)
    if (name == value.option->name) return value;
  WEFT_REQUIRE(!"an option that is in the table");
  __builtin_unreachable();
}

}  // namespace

std::span<const Option> option_table() noexcept { return table; }

std::string option_variable(const Option& option) {
  std::string variable = "WEFT_";
  for (const char* c = option.name; *c != '\0'; ++c)
    variable += *c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  return variable;
}

Done load_options() {
  std::string notes;
  loaded().unknown.clear();
  for (OptionValue& value : loaded().values) {
    value.text = value.option->fallback;
    value.origin = "default";
    (void)parse(*value.option, value.option->fallback, value.number);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "WEFT_", 5) != 0) continue;
    const std::string_view pair(*entry);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view variable = pair.substr(0, equals);
    const std::string_view text = pair.substr(equals + 1);
    OptionValue* value = find_by_variable(variable);
    if (value == nullptr) {
      if (!belongs_to_others(variable))
        loaded().unknown += fmt::format("{}{}: no such variable; did you mean {}?", loaded().unknown.empty() ? "" : "; ", variable, nearest_variable(variable));
      continue;
    }
    std::int64_t number = 0;
    if (!parse(*value->option, text, number)) {
      notes += fmt::format("{}{}={}: expects {}", notes.empty() ? "" : "; ", variable, text, expects(value->option->type));
      continue;
    }
    value->text = text;
    value->number = number;
    value->origin = variable;
  }
  if (!notes.empty()) return Failure{Status::bad_argument, notes};
  return Nothing{};
}

const std::string& unknown_options() { return loaded().unknown; }
std::span<const OptionValue> option_values() { return loaded().values; }
std::int64_t option_number(std::string_view name) { return find(name).number; }
const std::string& option_text(std::string_view name) { return find(name).text; }
bool option_is_set(std::string_view name) { return find(name).origin != "default"; }

}  // namespace weft::os
