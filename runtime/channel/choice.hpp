// The cheapest paradigm of a pair, from facts that both sides know, so that both come to the same answer without a word.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "channel/paradigm.hpp"
#include "fabric/caps.hpp"

namespace weft::channel {

// What the user let us know, the same on all ranks (options peers-hint, message-size-hint, fan-in-hint).
struct Hints {
  double peers = 1;              // that a rank will talk to over this fabric
  double message_bytes = 8;
  double fan_in = 0;             // clients that keep one server busy at a time; 0: nothing known
  double ring_memory = 256e6;    // bytes a rank may spend on rings
  double ring_bytes = 49152;     // of a pair
};

struct Preference {
  Paradigm paradigm;
  std::string reason;
};

// Among those the caps carry; the caps carry at least one.
Preference preferred(const fabric::Caps& caps, const Hints& hints);
double cost_ns(const Paradigm& paradigm, const fabric::Caps& caps, const Hints& hints);
// The first operation a paradigm needs and the caps lack, with the link that needs it, in words; empty when it runs.
std::string lacking(const Paradigm& paradigm, const fabric::Caps& caps);

}  // namespace weft::channel
