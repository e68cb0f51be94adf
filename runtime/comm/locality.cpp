// Which package, memory node, cache, core this process may run on, by /sys; colours for comm/create's split.
#include "comm/locality.hpp"

#include <mpi.h>
#include <sched.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "boot/job.hpp"
#include "comm/create.hpp"
#include "comm/exchange.hpp"
#include "comm/info.hpp"

namespace weft::comm {
namespace {

constexpr int nowhere = -1;            // spread over several parts, or the kernel doesn't say

int number_in(const std::string& path) {
  int number = nowhere;
  if (std::FILE* file = std::fopen(path.c_str(), "re")) {
    if (std::fscanf(file, "%d", &number) != 1) number = nowhere;
    (void)std::fclose(file);
  }
  return number;
}

int memory_node_of(int cpu) {
  constexpr int most_nodes = 256;
  for (int node = 0; node < most_nodes; ++node) {
    const std::string path = fmt::format("/sys/devices/system/cpu/cpu{}/node{}/cpulist", cpu, node);
    if (number_in(path) != nowhere) return node;
  }
  return 0;
}

// The number of the part of this kind that a processor belongs to; unique on the node. The first processor that shares it
// names a core (the kernel's own core numbers repeat in each package).
int part_of(int cpu, Locality locality) {
  const std::string base = fmt::format("/sys/devices/system/cpu/cpu{}/", cpu);
  switch (locality) {
    case Locality::package: return number_in(base + "topology/physical_package_id");
    case Locality::memory_node: return memory_node_of(cpu);
    case Locality::last_cache: {
      for (int index = 4; index >= 0; --index)
        if (const int first = number_in(fmt::format("{}cache/index{}/shared_cpu_list", base, index)); first != nowhere) return first;
      return nowhere;
    }
    case Locality::core: return number_in(base + "topology/thread_siblings_list");
    case Locality::hardware_thread: return cpu;
    default: return 0;
  }
}

// The part all processors of this process's mask lie in.
int my_part(Locality locality) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return nowhere;
  int part = nowhere;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mask)) continue;
    const int here = part_of(cpu, locality);
    if (here == nowhere || (part != nowhere && part != here)) return nowhere;
    part = here;
  }
  return part;
}

// What each member tells the others.
constexpr auto first_level = Locality::node, last_level = Locality::hardware_thread;
constexpr std::size_t levels = static_cast<std::size_t>(last_level) - static_cast<std::size_t>(first_level) + 1;
constexpr Locality level(std::size_t i) { return static_cast<Locality>(static_cast<std::size_t>(first_level) + i); }
constexpr std::size_t index_of(Locality locality) { return static_cast<std::size_t>(locality) - static_cast<std::size_t>(first_level); }

struct Place {
  Locality wanted;
  int part[levels];            // part[0]: the node, named by the lowest world rank on it
};

Place my_place(Locality wanted) {
  Place place{wanted, {}};
  place.part[0] = boot::job().local_peers.front();
  for (std::size_t i = 1; i < levels; ++i)
    place.part[i] = wanted == Locality::next_level || wanted == level(i) ? my_part(level(i)) : nowhere;
  return place;
}

bool same_part(const Place& a, const Place& b, Locality locality) {
  const std::size_t i = index_of(locality);
  return a.part[0] == b.part[0] && a.part[i] == b.part[i];
}

Locality common_wish(const std::vector<Place>& places) {
  Locality common = Locality::undefined;
  for (const Place& place : places) {
    if (place.wanted == Locality::undefined) continue;
    if (common != Locality::undefined && common != place.wanted) return Locality::unknown;
    common = place.wanted;
  }
  return common;
}

// The widest kind of part that all members know and that not all share.
Locality next_level_of(const std::vector<Place>& places) {
  for (std::size_t i = 0; i < levels; ++i) {
    const auto unknown = [i](const Place& place) { return place.part[i] == nowhere; };
    const auto apart = [&](const Place& place) { return !same_part(place, places.front(), level(i)); };
    if (std::none_of(places.begin(), places.end(), unknown) && std::any_of(places.begin(), places.end(), apart)) return level(i);
  }
  return Locality::unknown;
}

constexpr std::pair<const char*, Locality> names[] = {
    {"mpi_shared_memory", Locality::node}, {"machine", Locality::node}, {"node", Locality::node},
    {"package", Locality::package}, {"socket", Locality::package},
    {"numanode", Locality::memory_node}, {"numa", Locality::memory_node},
    {"l3cache", Locality::last_cache}, {"core", Locality::core},
    {"pu", Locality::hardware_thread}, {"hwthread", Locality::hardware_thread},
};

}  // namespace

Locality wanted_locality(const Info* hints) {
  const std::string* wanted = hints == nullptr ? nullptr : hints->find("mpi_hw_resource_type");
  if (wanted == nullptr) return Locality::unknown;
  std::string name = *wanted;
  if (const std::size_t scheme = name.find("://"); scheme != std::string::npos) name.erase(0, scheme + 3);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, locality] : names)
    if (name == known) return locality;
  return Locality::unknown;
}

const char* name_of(Locality locality) noexcept {
  switch (locality) {
    case Locality::node: return "mpi_shared_memory";
    case Locality::package: return "hwloc://Package";
    case Locality::memory_node: return "hwloc://NUMANode";
    case Locality::last_cache: return "hwloc://L3Cache";
    case Locality::core: return "hwloc://Core";
    case Locality::hardware_thread: return "hwloc://PU";
    default: return "";
  }
}

void describe_locality(Info& info) {
  for (std::size_t i = 0; i < levels; ++i)
    info.set(name_of(level(i)), i == 0 || my_part(level(i)) != nowhere ? "true" : "false");
}

Status split_by_locality(Communicator& parent, Locality& wanted, int key, Communicator*& made) {
  std::vector<Place> places(static_cast<std::size_t>(parent.size));
  Place& mine = places[static_cast<std::size_t>(parent.rank)];
  mine = my_place(wanted);
  if (const Status status = allgather(circle_of(parent), places.data(), sizeof(Place)); status != Status::ok) return status;
  Locality common = common_wish(places);
  if (common == Locality::next_level) common = next_level_of(places);
  const bool splits = common != Locality::undefined && common != Locality::unknown;
  int color = MPI_UNDEFINED;
  if (splits && mine.wanted != Locality::undefined && mine.part[index_of(common)] != nowhere) {
    const auto with_me = [&](const Place& place) { return place.wanted != Locality::undefined && same_part(place, mine, common); };
    color = static_cast<int>(std::find_if(places.begin(), places.end(), with_me) - places.begin());
  }
  wanted = common;
  return split(parent, color, key, made);
}

}  // namespace weft::comm
