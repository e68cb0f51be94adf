// Gathering.
#include "launcher/fences.hpp"

#include <set>

namespace weft::launcher {

std::vector<int> Fences::hosts_of(const FenceId& fence) const {
  std::set<int> hosts;
  if (fence.ranks.empty())
    for (std::size_t host = 0; host < map_.hosts.size(); ++host) hosts.insert(static_cast<int>(host));
  for (const int rank : fence.ranks)
    if (rank >= 0 && static_cast<std::size_t>(rank) < map_.ranks.size()) hosts.insert(map_.ranks[static_cast<std::size_t>(rank)].host);
  return {hosts.begin(), hosts.end()};
}

std::optional<Fences::Complete> Fences::enter(int host, const FenceId& fence, std::string cards) {
  std::map<int, std::string>& gathered = open_[fence];
  gathered.emplace(host, std::move(cards));
  Complete complete{hosts_of(fence), {}};
  if (gathered.size() < complete.hosts.size()) return std::nullopt;
  for (const auto& [from, brought] : gathered) complete.cards += brought;
  open_.erase(fence);
  return complete;
}

}  // namespace weft::launcher
