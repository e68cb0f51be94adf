// The attendant's thread.
#include "remote/attendant.hpp"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "match/engine.hpp"
#include "os/runtime_lock.hpp"
#include "os/thread.hpp"

namespace weft::remote {
namespace {

constexpr std::size_t stack_bytes = 256 << 10;
constexpr long absence_ns = 1'000'000;                   // while the program makes progress by itself

// All under the runtime lock.
int users = 0;
bool ending = false;
bool shared_before = false;
pthread_t thread{};
pid_t process = 0;                                       // that has the thread

void stay_away() {
  const os::runtime_lock::Released released;
  const timespec absence{0, absence_ns};
  (void)::nanosleep(&absence, nullptr);
}

void* run(void*) {
  os::runtime_lock::acquire();
  match::Engine& engine = match::engine();
  match::Waiting& waiting = engine.waiting();
  while (!ending) {
    const std::uint64_t seen = waiting.events;
    const bool held = waiting.sleep(engine, seen, engine.longest_sleep_ns()) == match::Waiting::Slept::not_at_all;
    if (ending) break;
    bool others = !held && waiting.events != seen;       // moved something while this thread was asleep
    while (others && !ending) {
      const std::uint64_t left = waiting.events;
      stay_away();
      others = waiting.events != left;
    }
    while (engine.poll() && !ending) os::runtime_lock::yield();
  }
  os::runtime_lock::release();
  return nullptr;
}

void end() {
  ending = true;
  match::engine().stir();
  {
    const os::runtime_lock::Released released;
    (void)::pthread_join(thread, nullptr);
  }
  if (!shared_before) os::runtime_state = static_cast<std::uint8_t>(os::runtime_state & ~os::many_threads);
}

// A program that ends without MPI_Finalize: what the thread uses is about to go.
void at_exit() {
  if (users == 0 || process != ::getpid()) return;
  os::runtime_lock::acquire();
  if (users != 0) end();
  users = 0;
  os::runtime_lock::release();
}

}  // namespace

Done attend() {
  if (users++ != 0) return Nothing{};
  static const int registered = std::atexit(at_exit);
  (void)registered;
  ending = false;
  shared_before = os::shared_by_threads();
  process = ::getpid();
  os::runtime_state |= os::many_threads;
  const int error = os::start_thread(thread, "weft-attendant", stack_bytes, run, nullptr);
  if (error == 0) return Nothing{};
  users = 0;
  if (!shared_before) os::runtime_state = static_cast<std::uint8_t>(os::runtime_state & ~os::many_threads);
  return system_failure("a thread that makes progress while the program computes", error);
}

void leave() {
  if (users == 0 || --users != 0) return;
  if (process == ::getpid()) end();
}

}  // namespace weft::remote
