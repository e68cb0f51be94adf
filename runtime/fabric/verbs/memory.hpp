// Memory the device may reach: rings and buffers of weft's own (allocate), and memory of the program while a transfer lasts
// (expose). Threads: one at a time.
//
// Registrations of the program's memory are shared by the transfers that are alive at the same time, and no longer: the
// device holds on to the physical pages, so a registration that outlives its transfers may name pages that the program has
// since unmapped and replaced, and nothing tells us. While a transfer lasts, MPI forbids the program to do that.
#pragma once

#include <infiniband/verbs.h>

#include <unordered_map>
#include <vector>

#include "fabric/endpoint.hpp"
#include "fabric/verbs/handle.hpp"
#include "os/expected.hpp"
#include "os/mapping.hpp"

namespace weft::fabric::verbs {

class Memory {
 public:
  Memory(ibv_pd* domain, bool with_atomics) noexcept;

  Expected<Region> allocate(std::size_t bytes);
  void free(const Region& region) noexcept;

  Status expose(void* address, std::size_t bytes, Region& region) noexcept;
  void conceal(const Region& region) noexcept;

 private:
  using Registration = Handle<ibv_mr, ibv_dereg_mr>;
  struct Owned {
    os::Mapping mapping;
    Registration registration;         // goes first
  };
  struct Exposed {
    std::uintptr_t begin;              // whole pages
    std::uintptr_t end;
    std::uint32_t users;
    bool writable;
    Registration registration;
  };

  ibv_pd* domain_;
  int access_;
  std::unordered_map<const std::byte*, Owned> owned_;
  std::vector<Exposed> exposed_;       // as many as transfers are under way
};

// Why memory could not be registered, with the limit that is in the way where there is one.
std::string registration_failure(std::size_t bytes, int error);

}  // namespace weft::fabric::verbs
