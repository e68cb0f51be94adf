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
  // One place in one queue; a member of the item it stands for.
  struct Entry {
    Entry* next;
    Entry* previous;
    Queue* queue;
    void* item;
  };

  MatchTable() : buckets_(64, nullptr) {}

  void push(const Key& key, Entry& entry, void* item) {
    Queue* queue = recent_ != nullptr && recent_->key == key ? recent_ : queue_of(key);
    entry.item = item;
    entry.queue = queue;
    entry.next = nullptr;
    entry.previous = queue->tail;
    (queue->tail != nullptr ? queue->tail->next : queue->head) = &entry;
    queue->tail = &entry;
  }
  void remove(Entry& entry) noexcept {
    Queue* queue = entry.queue;
    (entry.previous != nullptr ? entry.previous->next : queue->head) = entry.next;
    (entry.next != nullptr ? entry.next->previous : queue->tail) = entry.previous;
    if (queue->head == nullptr && queue != recent_) drop_queue(queue);
  }
  // The oldest item of exactly this key (wildcards are values here), or null.
  Entry* front(const Key& key) noexcept {
    if (recent_ != nullptr && recent_->key == key) [[likely]] return recent_->head;
    if (queues_ == 0) return nullptr;
    Queue* queue = find(key);
    return queue == nullptr ? nullptr : queue->head;
  }

  struct Queue {
    Key key;
    Entry* head;
    Entry* tail;
    Queue* next_in_bucket;
    Queue* next_free;
  };

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
  Queue* queue_of(const Key& key);     // found or made; it becomes the recent one
  void drop_queue(Queue* queue) noexcept;
  void grow();

  std::vector<Queue*> buckets_;
  std::size_t queues_ = 0;
  Queue* recent_ = nullptr;            // last pushed to; stays although it is empty, since the next push is often its own
  os::Pool<Queue> pool_;
};

}  // namespace weft::match
