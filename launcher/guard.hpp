// The launcher is two processes. The one the user started stands guard: it only hands on signals and, should the worker be
// killed, ends what is left and removes its directory. The worker does everything else; should the guard be killed, it
// hears of it and clears up at once. So nothing stays behind when either gets SIGKILL.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

namespace weft::launcher {

// Sent by the kernel to the worker when the guard dies.
int guard_lost_signal() noexcept;
// Sent by the guard to the worker, with the signal it hands on as its value. A real-time signal, since of two plain ones that are
// pending, one to the whole process group and one from the guard, only the first would ever be seen.
int handed_on_signal() noexcept;

// What a signalfd of the handled signals has: children that changed, the guard's death, and signals it hands on, in order.
struct Heard {
  bool children = false;
  bool guard_lost = false;
  std::vector<int> handed_on;
};
Heard hear(int signal_fd);

class Guard {
 public:
  // Returns in the worker. In the guard it never returns: it ends with the worker's exit code. handled: the signals to
  // hand on, already blocked. What reaches the worker directly, being sent to the process group, the guard has as well.
  static void split(const sigset_t& handled);
  // Agents clear up by themselves when the worker is gone: they are given time.
  static void expect_agents() noexcept;
  // What the guard is to remove if the worker can't.
  static void remember_directory(const std::string& path) noexcept;
};

}  // namespace weft::launcher
