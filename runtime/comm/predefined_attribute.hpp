// The attributes every communicator has from the start: MPI_TAG_UB and the like. Read by api, under the runtime lock.
#pragma once

namespace weft::comm {

// True when the keyval is one of them. `value` is the address of the attribute's value, null when it has none here.
bool predefined_attribute(int keyval, void*& value) noexcept;

void set_universe(int universe_size, int application_number) noexcept;   // by bring_up; -1: not known

}  // namespace weft::comm
