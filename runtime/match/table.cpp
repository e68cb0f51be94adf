// Queues under keys.
#include "match/table.hpp"

namespace weft::match {

MatchTable::Queue* MatchTable::queue_of(const Key& key) {
  if (recent_ != nullptr && recent_->head == nullptr) drop_queue(recent_);
  recent_ = find(key);
  if (recent_ != nullptr) return recent_;
  if (queues_ >= buckets_.size()) grow();
  recent_ = pool_.take();
  Queue*& first = bucket(key);
  *recent_ = Queue{key, nullptr, nullptr, first, nullptr};
  first = recent_;
  ++queues_;
  return recent_;
}

void MatchTable::drop_queue(Queue* queue) noexcept {
  Queue** link = &bucket(queue->key);
  while (*link != queue) link = &(*link)->next_in_bucket;
  *link = queue->next_in_bucket;
  pool_.give(queue);
  --queues_;
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
