// Registering memory.
#include "fabric/verbs/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace weft::fabric::verbs {
namespace {

std::uintptr_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

Region region_of(const ibv_mr& registration, void* address, std::size_t bytes) noexcept {
  return {static_cast<std::byte*>(address), bytes, registration.lkey, {reinterpret_cast<std::uintptr_t>(address), registration.rkey}};
}

}  // namespace

std::string registration_failure(std::size_t bytes, int error) {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_MEMLOCK, &limit);
  if ((error == ENOMEM || error == EAGAIN || error == EPERM) && limit.rlim_cur != RLIM_INFINITY)
    return fmt::format("locked memory is limited to {} KiB (ulimit -l), and {} KiB are needed here", limit.rlim_cur >> 10, (bytes + 1023) >> 10);
  return fmt::format("registering {} bytes: {}", bytes, std::strerror(error));
}

// The sink of a READ is written by the peer on iWARP, so all memory may be written remotely.
Memory::Memory(ibv_pd* domain, bool with_atomics) noexcept
    : domain_(domain),
      access_(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | (with_atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0)) {}

Expected<Region> Memory::allocate(std::size_t bytes) {
  const std::size_t whole = (bytes + page_bytes() - 1) & ~(page_bytes() - 1);
  void* address = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return system_failure(fmt::format("map {} bytes for the verbs fabric", whole), errno);
  Owned owned{os::Mapping(address, whole), Registration(ibv_reg_mr(domain_, address, whole, access_))};
  if (owned.registration == nullptr) return Failure{errno == ENOMEM ? Status::no_memory : Status::system, registration_failure(whole, errno)};
  const Region region = region_of(*owned.registration, address, bytes);
  owned_.emplace(region.address, std::move(owned));
  return region;
}

void Memory::free(const Region& region) noexcept {
  const auto found = owned_.find(region.address);
  if (found == owned_.end()) return;
  found->second.registration.reset();
  owned_.erase(found);
}

// Whole pages: two transfers from one page share its registration, and neither can lose the page while the other lives.
Status Memory::expose(void* address, std::size_t bytes, Region& region) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t begin = at & ~(page_bytes() - 1);
  const std::uintptr_t end = (at + bytes + page_bytes() - 1) & ~(page_bytes() - 1);
  for (Exposed& entry : exposed_) {
    if (entry.begin > begin || entry.end < end || !entry.writable) continue;
    ++entry.users;
    region = region_of(*entry.registration, address, bytes);
    return Status::ok;
  }
  Exposed entry{begin, end, 1, true, Registration(ibv_reg_mr(domain_, reinterpret_cast<void*>(begin), end - begin, access_))};
  if (entry.registration == nullptr && errno != ENOMEM) {   // perhaps memory that is only for reading: sent from, never written
    entry.writable = false;
    entry.registration.reset(ibv_reg_mr(domain_, reinterpret_cast<void*>(begin), end - begin, IBV_ACCESS_REMOTE_READ));
  }
  if (entry.registration == nullptr) return errno == ENOMEM ? Status::no_memory : Status::unsupported;
  region = region_of(*entry.registration, address, bytes);
  exposed_.push_back(std::move(entry));
  return Status::ok;
}

void Memory::conceal(const Region& region) noexcept {
  for (Exposed& entry : exposed_) {
    if (entry.registration->lkey != region.local_key) continue;
    if (--entry.users != 0) return;
    if (&entry != &exposed_.back()) std::swap(entry, exposed_.back());
    exposed_.pop_back();
    return;
  }
}

}  // namespace weft::fabric::verbs
