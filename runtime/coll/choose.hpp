// Which algorithm a call gets: one table, in choose.cpp. Choices look only at facts that all ranks share.
#pragma once

#include <span>

#include "coll/plan.hpp"

namespace weft::coll {

struct Algorithm {
  Collective collective;
  const char* name;
  Plan plan;
  bool (*able)(const Facts&);       // gives the right result for these facts
  bool (*preferred)(const Facts&);  // wanted for these facts; of the able ones of a collective the first preferred wins
};

std::span<const Algorithm> algorithms() noexcept;
const Algorithm& choose(const Facts& facts) noexcept;

}  // namespace weft::coll
