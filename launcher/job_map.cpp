// Filling and dealing.
#include "launcher/job_map.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace weft::launcher {
namespace {

// Two jobs that meet on a host must differ, whichever machines they were started from.
std::string job_name() {
  unsigned chance = 0;
  (void)::getrandom(&chance, sizeof chance, GRND_NONBLOCK);
  return fmt::format("weft-{}-{}-{:08x}", ::getuid(), ::getpid(), chance);
}

struct Room {
  int slots = 0;
  int used = 0;
};

class Mapper {
 public:
  Mapper(JobMap& map, const Policy& policy) : map_(map), policy_(policy) {}

  void add_host(const Host& host) {
    const std::size_t index = index_of(host.name);
    rooms_[index].slots = std::max(rooms_[index].slots, host.slots);
  }

  // The host that gets the next rank of a program; -1 when there is none left.
  int next(const std::vector<Host>& allowed) {
    int best = -1;
    for (const Host& host : allowed) {
      const int index = static_cast<int>(index_of(host.name));
      if (best < 0 || better(index, best)) best = index;
    }
    const bool full = policy_.map_by == Level::node && policy_.per_object > 0 && room(best).used == policy_.per_object;
    if (full) return -1;
    ++room(best).used;
    return best;
  }

  int slots() const {
    return std::accumulate(rooms_.begin(), rooms_.end(), 0, [](int sum, const Room& room) { return sum + room.slots; });
  }

 private:
  Room& room(int index) { return rooms_[static_cast<std::size_t>(index)]; }

  bool better(int a, int b) {
    const Room& first = room(a);
    const Room& second = room(b);
    if (policy_.map_by == Level::node && policy_.per_object > 0) return second.used >= policy_.per_object && first.used < policy_.per_object;
    const int rounds_first = first.used / first.slots, rounds_second = second.used / second.slots;
    if (rounds_first != rounds_second) return rounds_first < rounds_second;
    return policy_.map_by == Level::node && first.used < second.used;
  }

  std::size_t index_of(const std::string& name) {
    const auto known = std::find(map_.hosts.begin(), map_.hosts.end(), name);
    if (known != map_.hosts.end()) return static_cast<std::size_t>(known - map_.hosts.begin());
    map_.hosts.push_back(name);
    rooms_.emplace_back();
    return rooms_.size() - 1;
  }

  JobMap& map_;
  const Policy& policy_;
  std::vector<Room> rooms_;
};

// Hosts without ranks are no part of the job.
void drop_empty_hosts(JobMap& map) {
  std::vector<int> number(map.hosts.size(), -1);
  for (const RankPlace& place : map.ranks) number[static_cast<std::size_t>(place.host)] = 0;
  std::vector<std::string> kept;
  for (std::size_t host = 0; host < map.hosts.size(); ++host) {
    if (number[host] < 0) continue;
    number[host] = static_cast<int>(kept.size());
    kept.push_back(std::move(map.hosts[host]));
  }
  map.hosts = std::move(kept);
  for (RankPlace& place : map.ranks) place.host = number[static_cast<std::size_t>(place.host)];
}

}  // namespace

std::vector<int> JobMap::ranks_of(int host) const {
  std::vector<int> result;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].host == host) result.push_back(static_cast<int>(rank));
  return result;
}

Expected<JobMap> map_job(const JobRequest& request) {
  JobMap map;
  map.job = job_name();
  map.programs = static_cast<int>(request.programs.size());
  Mapper mapper(map, request.policy);
  const std::vector<Host> here{{own_host_name(), request.ranks()}};
  const auto hosts_of = [&here](const Program& program) -> const std::vector<Host>& { return program.hosts.empty() ? here : program.hosts; };
  for (const Program& program : request.programs)
    for (const Host& host : hosts_of(program)) mapper.add_host(host);
  for (std::size_t number = 0; number < request.programs.size(); ++number) {
    const Program& program = request.programs[number];
    for (int i = 0; i < program.ranks; ++i) {
      const int host = mapper.next(hosts_of(program));
      if (host < 0)
        return Failure{Status::bad_argument, fmt::format("--map-by ppr: {} ranks on each of {} hosts are fewer than the {} asked for",
                                                         request.policy.per_object, map.hosts.size(), request.ranks())};
      map.ranks.push_back({host, static_cast<int>(number), i});
    }
  }
  map.slots = std::max(mapper.slots(), request.ranks());
  drop_empty_hosts(map);
  return map;
}

}  // namespace weft::launcher
