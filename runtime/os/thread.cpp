// Starting threads.
#include "os/thread.hpp"

#include <signal.h>

namespace weft::os {

int start_thread(pthread_t& thread, const char* name, std::size_t stack_bytes, void* (*run)(void*), void* argument) noexcept {
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  (void)::sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(&thread, &attributes, run, argument);
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  (void)::pthread_attr_destroy(&attributes);
  if (error == 0) (void)::pthread_setname_np(thread, name);
  return error;
}

}  // namespace weft::os
