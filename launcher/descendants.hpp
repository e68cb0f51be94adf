// Every process that came from the ranks, also those that left their session or were orphaned: the launcher is their
// subreaper, so the tree below it is complete. Main thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace weft::launcher {

void become_subreaper() noexcept;
std::vector<pid_t> descendants();                 // of this process
void signal_descendants(int signal) noexcept;     // each once
bool wait_for_children(int limit_ms) noexcept;    // true: all have ended
std::string in_words(pid_t pid);                  // its number, name and state; empty when it is gone
void kill_descendants() noexcept;                 // SIGKILL until none is left; waits for them, at most a second

}  // namespace weft::launcher
