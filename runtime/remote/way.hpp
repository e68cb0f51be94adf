// How the members of a communicator reach words that live at one of them, the home, so that every operation is atomic
// against every other. A pure function of what the members say about themselves, so that all come to the same answer.
//
//   memory     the words are mapped here: the CPU's own atomics
//   endpoint   a fabric's atomics: a network card executes them, or the home's end of the fabric does
//   served     a message to the home, which executes and answers: where a fabric has no atomics
//
// memory and served are the home's CPU, and so is an endpoint whose atomics are of AtomicScope::memory: these mix. A card
// with AtomicScope::port is atomic with itself only: if one member comes that way all do, the home included; and if one
// of them cannot, the others are served.
#pragma once

#include <cstdint>
#include <span>

namespace weft::remote {

enum class Way : std::uint8_t { memory, endpoint, served };
const char* way_name(Way way) noexcept;

// What a member knows of itself. Fabrics are counted as in fabric::fabrics(); bit i stands for fabric i.
struct Reach {
  static constexpr std::int32_t mapped = -1;
  std::int32_t fabric = mapped;      // that carries its messages to the home; mapped: it can map the home's memory
  std::uint32_t atomics = 0;         // fabrics with both atomics over which it reaches the home
  std::uint32_t port_scope = 0;      // of those: atomic with themselves only
};

struct Plan {
  static constexpr int none = -1;
  int card = none;                   // all, the home included, go through this fabric
  int served_by_cpu = none;          // else: this one's atomics are the home's CPU; its members use them
  bool mates = false;                // members besides the home map the words

  Way way_of(const Reach& member) const noexcept {
    if (card != none) return Way::endpoint;
    if (member.fabric == Reach::mapped) return Way::memory;
    return member.fabric == served_by_cpu ? Way::endpoint : Way::served;
  }
  int fabric_of(const Reach& member) const noexcept { return card != none ? card : member.fabric; }
};

Plan plan_ways(std::span<const Reach> members, int home) noexcept;

}  // namespace weft::remote
