// What carries each pair of ranks, and why: checked at start on every rank, and with --report told once for the whole job, as
// a matrix. Called by bring_up() only.
#pragma once

#include <string>
#include <vector>

#include "boot/job.hpp"
#include "channel/switchboard.hpp"

namespace weft::match {

// A paradigm or fabric that cannot serve a pair is an error at start, not at the first message. With the report option all
// ranks meet here, and rank 0 prints.
Done check_choices(const channel::Switchboard& switchboard, const boot::Job& job);

// The report's text: rows[rank][peer] is what carries the pair, in words. Up to 40 ranks a matrix of letters, beyond that rows of
// ranges, equal rows told once; then what the letters mean.
std::vector<std::string> matrix_lines(const std::vector<std::vector<std::string>>& rows);

}  // namespace weft::match
