// Reading the machine through hwloc, and the process's own limits through the kernel.
#include "os/topology.hpp"

#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <hwloc.h>

#include "os/scoped_variable.hpp"

namespace weft::os {
namespace {

Cpus cpus_of(hwloc_const_bitmap_t set) {
  Cpus cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) cpus.push_back(cpu);
  return cpus;
}

int ancestor_index(hwloc_topology_t topology, hwloc_obj_t core, hwloc_obj_type_t type) {
  const hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, type, core);
  return object != nullptr ? static_cast<int>(object->logical_index) : 0;
}

int numa_of(hwloc_topology_t topology, hwloc_const_bitmap_t cpus) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr)
    if (hwloc_bitmap_intersects(node->cpuset, cpus)) return static_cast<int>(node->logical_index);
  return 0;
}

// hwloc knows the cgroup's set; the affinity mask (taskset, srun) must be asked for.
void restrict_to_mask(hwloc_topology_t topology) {
  const hwloc_bitmap_t mask = hwloc_bitmap_alloc();
  if (mask == nullptr) return;
  if (hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_THREAD) == 0 && !hwloc_bitmap_iszero(mask))
    (void)hwloc_topology_restrict(topology, mask, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);
  hwloc_bitmap_free(mask);
}

}  // namespace

std::string format_cpus(const Cpus& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[first]);
    if (last > first) text += fmt::format("-{}", cpus[last]);
    first = last + 1;
  }
  return text.empty() ? "none" : text;
}

Cpus allowed_cpus() {
  Cpus cpus;
  for (std::size_t count = 1024; count <= 65536; count *= 2) {
    cpu_set_t* const set = CPU_ALLOC(count);
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    if (set == nullptr) return cpus;
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    for (std::size_t cpu = 0; known && cpu < count; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(static_cast<int>(cpu));
    CPU_FREE(set);
    if (known) break;
  }
  return cpus;
}

// A rank that is bound knows only its own CPUs; the process that started it has those of all.
bool outnumber_cores(std::size_t ranks) {
  cpu_set_t ours, parents;
  CPU_ZERO(&ours);
  CPU_ZERO(&parents);
  (void)::sched_getaffinity(0, sizeof ours, &ours);
  (void)::sched_getaffinity(::getppid(), sizeof parents, &parents);
  CPU_OR(&ours, &ours, &parents);
  return ranks > static_cast<std::size_t>(CPU_COUNT(&ours));
}

int cpu_quota() {
  std::FILE* const file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file == nullptr) return 0;
  long quota_us = 0, period_us = 0;
  const int fields = std::fscanf(file, "%ld %ld", &quota_us, &period_us);
  (void)std::fclose(file);
  if (fields != 2 || quota_us <= 0 || period_us <= 0) return 0;   // "max 100000"
  return static_cast<int>((quota_us + period_us - 1) / period_us);
}

void Topology::Destroy::operator()(hwloc_topology* topology) const noexcept { hwloc_topology_destroy(topology); }

Expected<Topology> Topology::load() {
  const PlainHwloc tuned;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return system_failure("hwloc_topology_init", errno);
  Topology topology;
  topology.handle_.reset(raw);
  (void)hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  (void)hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_CORE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE})
    (void)hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return system_failure("hwloc_topology_load", errno);
  topology.real_ = hwloc_topology_is_thissystem(raw) != 0;
  if (topology.real_) restrict_to_mask(raw);
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_CORE, core)) != nullptr) {
    Core entry;
    entry.cpus = cpus_of(core->cpuset);
    if (entry.cpus.empty()) continue;
    entry.package = ancestor_index(raw, core, HWLOC_OBJ_PACKAGE);
    entry.l3 = ancestor_index(raw, core, HWLOC_OBJ_L3CACHE);
    entry.numa = numa_of(raw, core->cpuset);
    topology.cores_.push_back(std::move(entry));
  }
  // Some virtual machines show no cores; then each CPU is one.
  if (topology.cores_.empty())
    for (const int cpu : allowed_cpus()) topology.cores_.push_back(Core{{cpu}, 0, 0, 0});
  return topology;
}

}  // namespace weft::os
