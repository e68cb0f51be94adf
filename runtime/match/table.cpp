// Queues under keys. Empty ones stay until there are as many queues as buckets.
#include "match/table.hpp"

namespace weft::match {

MatchTable::Queue& MatchTable::queue_of(Key key) {
  if (Queue* known = find(key); known != nullptr) return *(recent_ = known);
  if (queues_ >= buckets_.size()) make_room();
  recent_ = pool_.take();
  Queue*& first = bucket(key);
  *recent_ = Queue{key, nullptr, nullptr, first, nullptr};
  first = recent_;
  ++queues_;
  return *recent_;
}

// Drops the empty queues; that must be worth the walk, or there are too few buckets.
void MatchTable::make_room() {
  recent_ = &none_;
  drop_empty();
  if (queues_ > buckets_.size() / 2) grow();
}

void MatchTable::drop_empty() noexcept {
  for (Queue*& first : buckets_)
    for (Queue** link = &first; *link != nullptr;) {
      Queue* queue = *link;
      if (queue->head != nullptr) {
        link = &queue->next_in_bucket;
        continue;
      }
      *link = queue->next_in_bucket;
      pool_.give(queue);
      --queues_;
    }
}

void MatchTable::grow() {
  std::vector<Queue*> old(buckets_.size() * 2, nullptr);
  old.swap(buckets_);
  for (Queue* queue : old)
    while (queue != nullptr) {
      Queue* next = queue->next_in_bucket;
      Queue*& first = bucket(queue->key);
      queue->next_in_bucket = first;
      first = queue;
      queue = next;
    }
}

}  // namespace weft::match
