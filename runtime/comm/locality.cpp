// Which package, memory node, cache, core this process may run on, by /sys; colours for comm/create's split.
#include "comm/locality.hpp"

#include <mpi.h>
#include <sched.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

int node_color() { return boot::job().local_peers.front(); }

Status split_inside_nodes(Communicator& parent, Locality locality, int key, Communicator*& made) {
  Communicator* node = nullptr;
  Status status = split(parent, node_color(), key, node);
  if (status != Status::ok) return status;
  const int part = my_part(locality);
  status = split(*node, part == nowhere ? MPI_UNDEFINED : part, key, made);
  release(*node);
  return status;
}

constexpr std::array levels{Locality::node, Locality::package, Locality::memory_node, Locality::last_cache, Locality::core,
                            Locality::hardware_thread};

// The widest kind of part that is narrower than the communicator, for all of its members alike.
Status find_next_level(Communicator& parent, Locality& locality) {
  struct Parts { std::array<int, levels.size()> number; };
  std::vector<Parts> all(static_cast<std::size_t>(parent.size));
  Parts& mine = all[static_cast<std::size_t>(parent.rank)];
  for (std::size_t i = 0; i < levels.size(); ++i) mine.number[i] = levels[i] == Locality::node ? node_color() : my_part(levels[i]);
  const Status status = allgather(circle_of(parent), all.data(), sizeof(Parts));
  locality = Locality::none;
  for (std::size_t i = 0; status == Status::ok && i < levels.size(); ++i) {
    const auto differs = [&](const Parts& other) { return other.number[i] != all.front().number[i]; };
    const auto unknown = [&](const Parts& other) { return other.number[i] == nowhere; };
    if (std::any_of(all.begin(), all.end(), unknown) || std::none_of(all.begin(), all.end(), differs)) continue;
    locality = levels[i];
    break;
  }
  return status;
}

}  // namespace

Locality wanted_locality(const Info* hints) {
  if (hints == nullptr) return Locality::none;
  const std::string* wanted = hints->find("mpi_hw_resource_type");
  if (wanted == nullptr) return Locality::none;
  std::string name = *wanted;
  if (const std::size_t scheme = name.find("://"); scheme != std::string::npos) name.erase(0, scheme + 3);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::pair<const char*, Locality> names[] = {
      {"mpi_shared_memory", Locality::node}, {"machine", Locality::node}, {"node", Locality::node},
      {"package", Locality::package}, {"socket", Locality::package},
      {"numanode", Locality::memory_node}, {"numa", Locality::memory_node},
      {"l3cache", Locality::last_cache}, {"core", Locality::core},
      {"pu", Locality::hardware_thread}, {"hwthread", Locality::hardware_thread},
  };
  for (const auto& [known, locality] : names)
    if (name == known) return locality;
  return Locality::none;
}

void describe_locality(Info& info) {
  constexpr std::pair<const char*, Locality> kinds[] = {
      {"mpi_shared_memory", Locality::node}, {"hwloc://Package", Locality::package}, {"hwloc://NUMANode", Locality::memory_node},
      {"hwloc://L3Cache", Locality::last_cache}, {"hwloc://Core", Locality::core}, {"hwloc://PU", Locality::hardware_thread},
  };
  for (const auto& [name, locality] : kinds) info.set(name, my_part(locality) == nowhere ? "false" : "true");
}

Status split_by_locality(Communicator& parent, Locality locality, int key, Communicator*& made) {
  if (locality == Locality::next_level) {
    if (const Status status = find_next_level(parent, locality); status != Status::ok) return status;
  }
  switch (locality) {
    case Locality::none: return split(parent, MPI_UNDEFINED, key, made);
    case Locality::node: return split(parent, node_color(), key, made);
    default: return split_inside_nodes(parent, locality, key, made);
  }
}

}  // namespace weft::comm
