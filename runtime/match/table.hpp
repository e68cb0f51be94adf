// MatchTable: items queued under keys (context, source, tag), each of source and tag perhaps a wildcard. Queues are first in,
// first out; all operations take constant time whatever the order of tags, so a pile taken in reverse costs no more.
// Receives stand in one queue, the one of their own key; an unexpected message stands in four, one for each key a receive
// that fits it can have. No heap once the table has seen its largest size. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/ring.hpp"
#include "match/request.hpp"
#include "os/pool.hpp"

namespace weft::match {

using Key = fabric::Envelope;

class MatchTable {
 public:
  struct Queue;
  // One place in one queue; a member of the item it stands for. `previous` means nothing where the entry is the first.
  struct Entry {
    Entry* next;
    Entry* previous;
    Queue* queue;
    void* item;
  };

  struct Queue {
    Key key;
    Entry* head;
    Entry* tail;                       // means nothing while there is no head
    Queue* next_in_bucket;
    Queue* next_free;
  };

  MatchTable() : buckets_(64, nullptr) {}
  MatchTable(const MatchTable&) = delete;
  MatchTable& operator=(const MatchTable&) = delete;

  void push(Key key, Entry& entry, void* item) { append(recent_->key == key ? *recent_ : queue_of(key), entry, item); }
  // The same if it is the key last pushed to, else false.
  [[gnu::always_inline]] bool push_recent(Key key, Entry& entry, void* item) noexcept {
    if (!(recent_->key == key)) [[unlikely]] return false;
    append(*recent_, entry, item);
    return true;
  }
  void remove(Entry& entry) noexcept {
    Queue* queue = entry.queue;
    if (queue->head == &entry) {
      queue->head = entry.next;
    } else {
      entry.previous->next = entry.next;
      (entry.next != nullptr ? entry.next->previous : queue->tail) = entry.previous;
    }
  }
  // The oldest item of exactly this key (wildcards are values here), or null.
  Entry* front(const Key& key) noexcept {
    if (recent_->key == key) [[likely]] return recent_->head;
    if (queues_ == 0) return nullptr;
    Queue* queue = find(key);
    return queue == nullptr ? nullptr : queue->head;
  }
  // The queue last pushed to: whoever takes several items from its head may do it there.
  Queue& recent() noexcept { return *recent_; }

 private:
  static std::uint64_t hash(const Key& key) noexcept {
    std::uint64_t mixed = key.context * 0x9e3779b97f4a7c15u;
    mixed ^= (std::uint64_t{static_cast<std::uint32_t>(key.source)} << 32 | static_cast<std::uint32_t>(key.tag)) * 0xc2b2ae3d27d4eb4fu;
    return mixed ^ (mixed >> 29);
  }
  Queue*& bucket(const Key& key) noexcept { return buckets_[hash(key) & (buckets_.size() - 1)]; }
  Queue* find(const Key& key) noexcept {
    Queue* queue = bucket(key);
    while (queue != nullptr && !(queue->key == key)) queue = queue->next_in_bucket;
    return queue;
  }
  [[gnu::always_inline]] static void append(Queue& queue, Entry& entry, void* item) noexcept {
    entry.item = item;
    entry.queue = &queue;
    entry.next = nullptr;
    entry.previous = queue.tail;
    (queue.head != nullptr ? queue.tail->next : queue.head) = &entry;
    queue.tail = &entry;
  }
  Queue& queue_of(Key key);            // found or made; it becomes the recent one
  void make_room();
  void drop_empty() noexcept;
  void grow();

  std::vector<Queue*> buckets_;
  std::size_t queues_ = 0;             // empty ones too: a key that was used is often used again
  Queue none_{{~std::uint64_t{0}, 0, 0}, nullptr, nullptr, nullptr, nullptr};   // of a key that nothing has
  Queue* recent_ = &none_;             // last pushed to
  os::Pool<Queue> pool_;
};

}  // namespace weft::match
