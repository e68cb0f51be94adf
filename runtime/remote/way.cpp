// Choosing the ways of an object's members.
#include "remote/way.hpp"

#include <algorithm>

namespace weft::remote {
namespace {

bool goes_through(const Reach& member, int fabric) noexcept { return (member.atomics >> fabric & 1) != 0; }
bool within_port(const Reach& member, int fabric) noexcept { return (member.port_scope >> fabric & 1) != 0; }

}  // namespace

const char* way_name(Way way) noexcept {
  switch (way) {
    case Way::memory: return "memory";
    case Way::endpoint: return "endpoint";
    case Way::served: return "served";
  }
  return "";
}

Plan plan_ways(std::span<const Reach> members, int home) noexcept {
  Plan plan;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Reach& member = members[i];
    if (member.fabric == Reach::mapped) {
      plan.mates |= static_cast<int>(i) != home;
      continue;
    }
    if (!goes_through(member, member.fabric)) continue;
    if (!within_port(member, member.fabric)) {
      if (plan.served_by_cpu == Plan::none) plan.served_by_cpu = member.fabric;
    } else if (std::all_of(members.begin(), members.end(), [&](const Reach& each) { return goes_through(each, member.fabric); })) {
      plan.card = member.fabric;
    }
  }
  return plan;
}

}  // namespace weft::remote
