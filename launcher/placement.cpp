// Mapping and binding policies.
#include "launcher/placement.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

using Indices = std::vector<int>;   // into cores

struct LevelName { const char* name; Level level; };
constexpr LevelName level_names[] = {
    {"none", Level::none}, {"hwthread", Level::hwthread}, {"core", Level::core},       {"slot", Level::core},
    {"l3", Level::l3},     {"l3cache", Level::l3},        {"numa", Level::numa},       {"socket", Level::package},
    {"package", Level::package}, {"node", Level::node},   {"board", Level::node},
};

bool parse_level(std::string_view text, Level& level) {
  for (const LevelName& entry : level_names)
    if (text == entry.name) { level = entry.level; return true; }
  return false;
}

bool parse_count(std::string_view text, int& count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc{} && end == text.data() + text.size() && count > 0;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t colon = std::min(text.find(':', start), text.size());
    parts.push_back(text.substr(start, colon - start));
    start = colon + 1;
  }
  return parts;
}

Failure bad_word(std::string_view option, std::string_view text, std::string_view word, std::string_view allowed) {
  return {Status::bad_argument, fmt::format("{} {}: '{}' is not known; allowed: {}", option, text, word, allowed)};
}

int group_of(const os::Core& core, int index, Level level) {
  switch (level) {
    case Level::l3: return core.l3;
    case Level::numa: return core.numa;
    case Level::package: return core.package;
    case Level::node: return 0;
    default: return index;
  }
}

// The objects of a level, each as the cores it holds.
std::vector<Indices> objects(const std::vector<os::Core>& cores, const Indices& usable, Level level) {
  std::map<int, Indices> groups;
  for (const int index : usable) groups[group_of(cores[static_cast<std::size_t>(index)], index, level)].push_back(index);
  std::vector<Indices> result;
  for (auto& [id, members] : groups) result.push_back(std::move(members));
  return result;
}

os::Cpus cpus_of(const std::vector<os::Core>& cores, const Indices& chosen) {
  os::Cpus cpus;
  for (const int index : chosen) {
    const os::Cpus& more = cores[static_cast<std::size_t>(index)].cpus;
    cpus.insert(cpus.end(), more.begin(), more.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

Placement unbound(int ranks, bool shared, std::string why) {
  Placement placement;
  placement.cpus.resize(static_cast<std::size_t>(ranks));
  placement.shared = shared;
  placement.why = std::move(why);
  return placement;
}

// Free cores shared out in runs of neighbours; the first ranks get the odd ones.
Placement share_out(const std::vector<os::Core>& cores, const Indices& free_cores, int ranks) {
  Placement placement;
  placement.bound = true;
  placement.why = "cores shared out";
  const int total = static_cast<int>(free_cores.size());
  int next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const int count = total / ranks + (rank < total % ranks ? 1 : 0);
    const Indices mine(free_cores.begin() + next, free_cores.begin() + next + count);
    placement.cpus.push_back(cpus_of(cores, mine));
    next += count;
  }
  return placement;
}

// Cores of each rank by --map-by: whole objects in turn, or K per object with ppr. Empty: they don't suffice.
std::vector<Indices> map_ranks(const std::vector<Indices>& groups, int ranks, const Policy& policy) {
  const std::size_t width = static_cast<std::size_t>(std::max(policy.cores_per_rank, 1));
  std::vector<std::size_t> used(groups.size(), 0);
  std::vector<int> placed(groups.size(), 0);
  std::vector<Indices> result;
  const bool pack = policy.per_object > 0;
  std::size_t at = 0, refused = 0;
  while (static_cast<int>(result.size()) < ranks && refused < groups.size()) {
    const Indices& group = groups[at];
    const bool room = used[at] + width <= group.size() && (!pack || placed[at] < policy.per_object);
    if (room) {
      const auto first = group.begin() + static_cast<std::ptrdiff_t>(used[at]);
      result.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
      used[at] += width;
      ++placed[at];
      refused = 0;
    } else {
      ++refused;
    }
    if (!pack || !room) at = (at + 1) % groups.size();
  }
  if (static_cast<int>(result.size()) < ranks) result.clear();
  return result;
}

os::Cpus widen(const std::vector<os::Core>& cores, const Indices& all, const Indices& mine, Level bind_to) {
  if (bind_to == Level::l3 || bind_to == Level::numa || bind_to == Level::package || bind_to == Level::node) {
    const int wanted = group_of(cores[static_cast<std::size_t>(mine.front())], mine.front(), bind_to);
    Indices whole;
    for (const int index : all)
      if (group_of(cores[static_cast<std::size_t>(index)], index, bind_to) == wanted) whole.push_back(index);
    return cpus_of(cores, whole);
  }
  os::Cpus cpus = cpus_of(cores, mine);
  if (bind_to == Level::hwthread) cpus.resize(1);
  return cpus;
}

// Hardware threads as if each were a core, for --map-by hwthread.
std::vector<os::Core> threads_as_cores(const std::vector<os::Core>& cores) {
  std::vector<os::Core> threads;
  for (const os::Core& core : cores)
    for (const int cpu : core.cpus) threads.push_back({{cpu}, core.package, core.numa, core.l3});
  return threads;
}

Indices every(std::size_t count) {
  Indices all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i);
  return all;
}

}  // namespace

Done parse_map_by(std::string_view text, Policy& policy) {
  std::vector<std::string_view> parts = split(text);
  std::size_t at = 0;
  if (parts[0] == "ppr") {
    if (parts.size() < 3 || !parse_count(parts[1], policy.per_object))
      return bad_word("--map-by", text, text, "ppr:RANKS:OBJECT[:PE=CORES]");
    at = 2;
  }
  if (!parse_level(parts[at], policy.map_by) || policy.map_by == Level::none)
    return bad_word("--map-by", text, parts[at], "core, hwthread, l3, numa, socket, node, ppr:RANKS:OBJECT, each with :PE=CORES");
  for (++at; at < parts.size(); ++at) {
    const std::string_view word = parts[at];
    const bool cores = word.starts_with("PE=") || word.starts_with("pe=");
    if (word == "OVERSUBSCRIBE" || word == "NOOVERSUBSCRIBE" || word == "SPAN") continue;
    if (!cores || !parse_count(word.substr(3), policy.cores_per_rank)) return bad_word("--map-by", text, word, "PE=CORES");
  }
  return Nothing{};
}

Done parse_bind_to(std::string_view text, Policy& policy) {
  if (parse_level(text, policy.bind_to)) return Nothing{};
  return bad_word("--bind-to", text, text, "none, hwthread, core, l3, numa, socket, node");
}

Expected<Placement> place(const std::vector<os::Core>& all_cores, const std::vector<int>& free_cores, int quota, int ranks,
                          const Policy& policy) {
  const bool by_thread = policy.map_by == Level::hwthread;
  const std::vector<os::Core> cores = by_thread ? threads_as_cores(all_cores) : all_cores;
  const Indices all = every(cores.size());
  const int usable = quota > 0 ? std::min(quota, static_cast<int>(cores.size())) : static_cast<int>(cores.size());
  const bool shared = ranks > usable;
  const bool asked = policy.map_by != Level::automatic || policy.bind_to != Level::automatic || policy.cores_per_rank > 0;
  if (policy.bind_to == Level::none) return unbound(ranks, shared, "not bound, as asked");
  if (!asked) {
    if (shared) return unbound(ranks, true, fmt::format("not bound: {} ranks on {} cores", ranks, usable));
    if (static_cast<int>(free_cores.size()) < ranks)
      return unbound(ranks, true, fmt::format("not bound: other jobs hold {} of {} cores", cores.size() - free_cores.size(), cores.size()));
    return share_out(cores, free_cores, ranks);
  }
  const bool in_order = policy.map_by == Level::automatic || by_thread || policy.map_by == Level::core;
  const Level map_by = !in_order ? policy.map_by : policy.per_object > 0 ? Level::core : Level::node;   // core after core: one large object
  const std::vector<Indices> groups = objects(cores, all, map_by);
  const std::vector<Indices> mapped = map_ranks(groups, ranks, policy);
  if (mapped.empty()) {
    if (policy.per_object > 0)
      return Failure{Status::bad_argument, fmt::format("--map-by ppr: {} per object on {} objects hold fewer than {} ranks of {} cores",
                                                       policy.per_object, groups.size(), ranks, std::max(policy.cores_per_rank, 1))};
    return unbound(ranks, true, fmt::format("not bound: {} ranks of {} cores on {} cores", ranks, std::max(policy.cores_per_rank, 1), cores.size()));
  }
  Placement placement;
  placement.bound = true;
  placement.shared = shared;
  placement.why = "as asked";
  for (const Indices& mine : mapped) placement.cpus.push_back(widen(cores, all, mine, policy.bind_to));
  return placement;
}

}  // namespace weft::launcher
