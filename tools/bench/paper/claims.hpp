// The paper's claims as hypotheses, beside what was seen here. Pure functions of the records.
#pragma once

#include <string>
#include <vector>

#include "bench/paper/measurement.hpp"

namespace weft::bench::paper {

struct Claim {
  std::string paper;     // what the paper says
  std::string seen;      // the same ratio here, from the least to the most; empty: not measured
  std::string holds;     // "yes", "no", "not measured"
  std::string command;   // which measurement
};

std::vector<Claim> check_claims(const std::vector<Measurement>& measurements);
// Weft's one-way latency beside that of the same operation on the raw device; nothing where one of them is not measured.
std::vector<Claim> compare_with_raw(const std::vector<Measurement>& measurements);

}  // namespace weft::bench::paper
