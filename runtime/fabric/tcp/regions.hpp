// The memory that peers may reach, by key. A key is the place in the table and how often that place has been used, so a key
// that was concealed stays invalid. After warm-up exposing costs no heap. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::fabric::tcp {

class Regions {
 public:
  struct Entry {
    std::byte* address = nullptr;
    std::size_t bytes = 0;
    std::uint32_t uses = 0;
    bool live = false;
  };

  static constexpr std::uint32_t no_key = UINT32_MAX;   // the last place is never given

  std::uint32_t add(std::byte* address, std::size_t bytes) {
    if (free_.empty()) {
      if (entries_.size() == place_mask) return no_key;
      entries_.emplace_back();
      free_.reserve(entries_.capacity());
      free_.push_back(static_cast<std::uint32_t>(entries_.size() - 1));
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    Entry& entry = entries_[place];
    entry = {address, bytes, entry.uses + 1, true};
    return (entry.uses & uses_mask) << place_bits | place;
  }
  void remove(std::uint32_t key) noexcept {
    if (const Entry* entry = find(key); entry == nullptr) return;
    entries_[key & place_mask].live = false;
    free_.push_back(key & place_mask);    // has room: add() took this place from it
  }
  // Null: no such region, or no longer.
  const Entry* find(std::uint32_t key) const noexcept {
    const std::uint32_t place = key & place_mask;
    if (place >= entries_.size()) return nullptr;
    const Entry& entry = entries_[place];
    return entry.live && (entry.uses & uses_mask) == key >> place_bits ? &entry : nullptr;
  }
  // The memory that a peer names, or null where it is not all inside the region.
  std::byte* resolve(std::uint32_t key, std::uint64_t address, std::uint64_t bytes) const noexcept {
    const Entry* entry = find(key);
    if (entry == nullptr) return nullptr;
    const std::uint64_t offset = address - reinterpret_cast<std::uintptr_t>(entry->address);
    return offset <= entry->bytes && bytes <= entry->bytes - offset ? entry->address + offset : nullptr;
  }

 private:
  static constexpr int place_bits = 20;
  static constexpr std::uint32_t place_mask = (1u << place_bits) - 1;
  static constexpr std::uint32_t uses_mask = (1u << (32 - place_bits)) - 1;

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weft::fabric::tcp
