// Queues under keys.
#include "match/table.hpp"

namespace weft::match {

void MatchTable::push(const Key& key, Entry& entry, void* item) {
  Queue* queue = find(key);
  if (queue == nullptr) queue = make_queue(key);
  entry.item = item;
  entry.queue = queue;
  entry.next = nullptr;
  entry.previous = queue->tail;
  (queue->tail != nullptr ? queue->tail->next : queue->head) = &entry;
  queue->tail = &entry;
}

void MatchTable::remove(Entry& entry) noexcept {
  Queue* queue = entry.queue;
  (entry.previous != nullptr ? entry.previous->next : queue->head) = entry.next;
  (entry.next != nullptr ? entry.next->previous : queue->tail) = entry.previous;
  if (queue->head == nullptr) drop_queue(queue);
}

MatchTable::Queue* MatchTable::make_queue(const Key& key) {
  if (queues_ >= buckets_.size()) grow();
  Queue* queue = pool_.take();
  Queue*& first = bucket(key);
  *queue = Queue{key, nullptr, nullptr, first, nullptr};
  first = queue;
  ++queues_;
  return queue;
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
