// The attendant: a thread that makes progress while the program computes, for what others want of this process without its
// calling in. There is one while anything here needs it, and none otherwise; from attend() on the runtime is shared by
// threads. It never spins: it sleeps on the bell when nobody else does, and stays away for a millisecond whenever the
// program has made progress by itself. It blocks all signals, so handlers run where they always did.
// attend() and leave() are called under the runtime lock, taken whatever the state (not by api::Guard, which looks at the
// state twice); they count. After a fork the child has no attendant, as it has no other thread.
#pragma once

#include "os/expected.hpp"

namespace weft::remote {

Done attend();
void leave();

}  // namespace weft::remote
