// From a job to a process engine: opens the ports that are allowed, exchanges the cards that ports need, and gives the
// engine its switchboard. Called once by init, by one thread; take_down() once by finalize.
#pragma once

#include "os/expected.hpp"

namespace weft::match {

Done bring_up();      // needs boot::join() and the options; a fence of the whole job when it has more than one rank
void take_down();     // finishes what has been sent

}  // namespace weft::match
