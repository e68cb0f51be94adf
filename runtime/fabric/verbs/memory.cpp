// Registering memory.
#include "fabric/verbs/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "fabric/ring.hpp"
#include "os/log.hpp"

namespace weft::fabric::verbs {
namespace {

constexpr std::size_t chunk_bytes = 128 * 1024;

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
Memory::Memory(ibv_pd* domain, bool with_atomics, Cache cache)
    : domain_(domain),
      access_(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | (with_atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0)),
      cache_(cache) {}

Expected<Memory::Chunk*> Memory::chunk_with_room(std::size_t bytes) {
  for (Chunk& chunk : chunks_)
    if (chunk.has_room(bytes)) return &chunk;
  const std::size_t wanted = bytes > chunk_bytes / 4 ? bytes : chunk_bytes;
  const std::size_t whole = (wanted + page_bytes() - 1) & ~(page_bytes() - 1);
  void* address = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return system_failure(fmt::format("map {} bytes for the verbs fabric", whole), errno);
  Chunk chunk{os::Mapping(address, whole), Registration(ibv_reg_mr(domain_, address, whole, access_))};
  if (chunk.registration == nullptr) return Failure{errno == ENOMEM ? Status::no_memory : Status::system, registration_failure(whole, errno)};
  chunks_.push_back(std::move(chunk));
  return &chunks_.back();
}

Expected<Region> Memory::allocate(std::size_t bytes) {
  const std::size_t lines = std::max(line_bytes, (bytes + line_bytes - 1) & ~(line_bytes - 1));
  const Expected<Chunk*> found = chunk_with_room(lines);
  if (!found) return found.failure();
  Chunk& chunk = **found;
  const Region region = region_of(*chunk.registration, chunk.mapping.data() + chunk.used, bytes);
  chunk.used += lines;
  ++chunk.regions;
  return region;
}

void Memory::free(const Region& region) noexcept {
  for (Chunk& chunk : chunks_) {
    if (!chunk.holds(region.address)) continue;
    if (--chunk.regions != 0) return;
    if (&chunk != &chunks_.back()) std::swap(chunk, chunks_.back());
    chunks_.pop_back();
    return;
  }
}

// Whole pages: two transfers from one page share its registration, and neither can lose the page while the other lives.
Status Memory::expose(void* address, std::size_t bytes, Region& region) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t begin = at & ~(page_bytes() - 1);
  const std::uintptr_t end = (at + bytes + page_bytes() - 1) & ~(page_bytes() - 1);
  ++calls_;
  drop_changed();
  Exposed* entry = find(begin, end);
  if (entry == nullptr) {
    Exposed fresh{begin, end, 0, begin_watch(begin, end), true, 0, make(begin, end, access_)};
    if (fresh.registration == nullptr && errno != ENOMEM) {   // perhaps memory that is only for reading: sent from, never written
      fresh.is_open = false;
      fresh.registration = make(begin, end, IBV_ACCESS_REMOTE_READ);
    }
    const int error = errno;
    if (fresh.watched >= 0 && (fresh.registration == nullptr || !fresh.is_open)) {
      watch_->forget(fresh.watched);
      fresh.watched = -1;
    }
    if (fresh.registration == nullptr) return error == ENOMEM ? Status::no_memory : Status::unsupported;
    if (fresh.watched >= 0) {
      ++cached_;
      cached_bytes_ += fresh.bytes();
    }
    exposed_.push_back(std::move(fresh));
    entry = &exposed_.back();
  }
  ++entry->users;
  entry->used = calls_;
  region = region_of(*entry->registration, address, bytes);
  return Status::ok;
}

void Memory::conceal(const Region& region) noexcept {
  for (Exposed& entry : exposed_) {
    if (entry.registration->lkey != region.local_key) continue;
    if (--entry.users == 0 && entry.watched < 0) drop(entry);
    return;
  }
}

// One that is not watched covers its pages for certain only while a transfer of all of them lasts.
Memory::Exposed* Memory::find(std::uintptr_t begin, std::uintptr_t end) noexcept {
  for (Exposed& entry : exposed_) {
    if (entry.begin > begin || entry.end < end || !entry.is_open) continue;
    if (entry.watched < 0 ? entry.begin == begin && entry.end == end : watch_->is_unchanged(entry.watched)) return &entry;
  }
  return nullptr;
}

// What is cached makes room, for this and under the limit of locked memory.
Memory::Registration Memory::make(std::uintptr_t begin, std::uintptr_t end, int access) noexcept {
  Registration made;
  do {
    made.reset(ibv_reg_mr(domain_, reinterpret_cast<void*>(begin), end - begin, access));
  } while (made == nullptr && errno == ENOMEM && drop_oldest());
  return made;
}

int Memory::begin_watch(std::uintptr_t begin, std::uintptr_t end) noexcept {
  if (cache_.entries == 0 || end - begin > cache_.bytes) return -1;
  if (!watch_) {
    watch_.emplace(static_cast<int>(cache_.entries));
    if (!watch_->open()) {
      os::log_info("fabric verbs: the kernel does not tell of changed memory (userfaultfd: {}), so no registration is kept", std::strerror(errno));
      cache_.entries = 0;
      watch_.reset();
      return -1;
    }
  }
  while (cached_ == cache_.entries || cached_bytes_ + (end - begin) > cache_.bytes)
    if (!drop_oldest()) return -1;
  return watch_->watch(begin, end);
}

// Those that are in use go with their last user.
void Memory::drop_changed() noexcept {
  if (!watch_ || changes_seen_ == watch_->changes()) return;
  changes_seen_ = watch_->changes();
  for (std::size_t i = exposed_.size(); i-- > 0;) {
    Exposed& entry = exposed_[i];
    if (entry.watched < 0 || watch_->is_unchanged(entry.watched)) continue;
    entry.is_open = false;
    if (entry.users == 0) drop(entry);
    else uncache(entry);
  }
}

bool Memory::drop_oldest() noexcept {
  Exposed* oldest = nullptr;
  for (Exposed& entry : exposed_)
    if (entry.users == 0 && (oldest == nullptr || entry.used < oldest->used)) oldest = &entry;
  if (oldest != nullptr) drop(*oldest);
  return oldest != nullptr;
}

void Memory::uncache(Exposed& entry) noexcept {
  if (entry.watched < 0) return;
  watch_->forget(entry.watched);
  entry.watched = -1;
  --cached_;
  cached_bytes_ -= entry.bytes();
}

void Memory::drop(Exposed& entry) noexcept {
  uncache(entry);
  if (&entry != &exposed_.back()) std::swap(entry, exposed_.back());
  exposed_.pop_back();
}

}  // namespace weft::fabric::verbs
