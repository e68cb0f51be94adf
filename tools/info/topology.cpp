// weft-info topology: the machine as hwloc sees it, and the processors this process may use.
#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "info/sections.hpp"

namespace weft::info {
namespace {

struct Kind { const char* name; hwloc_obj_type_t type; };
constexpr Kind kinds[] = {{"packages", HWLOC_OBJ_PACKAGE}, {"NUMA nodes", HWLOC_OBJ_NUMANODE}, {"L3 caches", HWLOC_OBJ_L3CACHE},
                          {"L2 caches", HWLOC_OBJ_L2CACHE}, {"cores", HWLOC_OBJ_CORE},         {"processors", HWLOC_OBJ_PU}};

std::string list_text(hwloc_const_bitmap_t set) {
  char* text = nullptr;
  if (hwloc_bitmap_list_asprintf(&text, set) < 0) return "unknown";
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  return text;
}

std::string binding(hwloc_topology_t topology) {
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (hwloc_get_cpubind(topology, set.get(), HWLOC_CPUBIND_PROCESS) != 0) return "unknown";
  return list_text(set.get());
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

Facts gather_topology() {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owned(topology, &hwloc_topology_destroy);
  Facts facts = {{"host", host_name()}};
  if (hwloc_topology_load(topology) != 0) {
    facts["error"] = "hwloc cannot read the topology of this machine";
    return facts;
  }
  for (const Kind& kind : kinds) facts[kind.name] = hwloc_get_nbobjs_by_type(topology, kind.type);
  const hwloc_obj_t first = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  const char* model = first != nullptr ? hwloc_obj_get_info_by_name(first, "CPUModel") : nullptr;
  if (model != nullptr) facts["model"] = model;
  facts["memory MiB"] = hwloc_get_root_obj(topology)->total_memory >> 20;
  facts["allowed processors"] = list_text(hwloc_topology_get_allowed_cpuset(topology));
  facts["bound to"] = binding(topology);
  return facts;
}

}  // namespace weft::info
