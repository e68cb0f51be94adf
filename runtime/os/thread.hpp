// A thread of weft's own, beside the program's: its signals are blocked, so that handlers run on the program's threads, and its stack
// is as small as it is said. Any thread may start one.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace weft::os {

// 0, or what is in the way as an errno value. `name` shows in listings: 15 characters at most.
int start_thread(pthread_t& thread, const char* name, std::size_t stack_bytes, void* (*run)(void*), void* argument) noexcept;

}  // namespace weft::os
