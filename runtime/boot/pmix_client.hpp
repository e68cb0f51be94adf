// The few PMIx client calls weft uses, with values read leniently: integers whatever their type, absence as an answer.
// Only boot/ includes this. One thread at a time.
#pragma once

#include <optional>
#include <string>

#include <pmix.h>

namespace weft::boot {

// The value of a key of one rank, or of the whole job with PMIX_RANK_WILDCARD. Never asks the server for job facts that
// it has not given already, so a missing key costs nothing.
std::optional<long> get_integer(const pmix_proc_t& of, const char* key);
std::optional<std::string> get_text(const pmix_proc_t& of, const char* key);

std::optional<long> integer_of(const pmix_value_t& value) noexcept;

// PMIx_Init, with the signal mask, signal actions and CPU affinity of the caller put back where it changed them.
pmix_status_t init_and_restore(pmix_proc_t& self);

// From now on this process ends when its launcher's server is gone: nobody would end it then. A launcher that takes no
// such registration (Slurm) ends its ranks itself.
void end_with_server();

}  // namespace weft::boot
