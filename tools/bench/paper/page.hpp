// The page: one HTML file that needs no other, with the claims, the plots, the figures behind them and how to get them again.
#pragma once

#include <string>
#include <vector>

#include "bench/paper/claims.hpp"
#include "bench/paper/measurement.hpp"

namespace weft::bench::paper {

std::string make_page(const Record& facts, const std::vector<Measurement>& measurements, const std::vector<Claim>& claims,
                      const std::vector<Claim>& beside_raw);

}  // namespace weft::bench::paper
