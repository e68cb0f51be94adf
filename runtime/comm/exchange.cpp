// Binomial broadcast and Bruck's allgather over plain messages of bytes.
#include "comm/exchange.hpp"

#include <cstring>

#include "data/datatype.hpp"
#include "match/engine.hpp"

namespace weft::comm {
namespace {

match::TypedBuffer bytes_at(void* data, std::size_t bytes) {
  return {data, static_cast<std::int64_t>(bytes), data::predefined(data::number::byte)};
}

match::Request* post_send(const Circle& circle, int to, void* data, std::size_t bytes) {
  return match::engine().post_send(circle.world_rank_at(to), circle.context, circle.rank_at(circle.me), circle.tag,
                                   bytes_at(data, bytes), match::SendMode::standard);
}

match::Request* post_receive(const Circle& circle, int from, void* data, std::size_t bytes) {
  return match::engine().post_receive(circle.rank_at(from), circle.context, circle.tag, bytes_at(data, bytes));
}

Status finish(match::Request* request) {
  match::engine().wait(*request);
  const Status status = request->status;
  request->release();
  return status;
}

}  // namespace

Circle circle_of(Communicator& communicator) {
  const auto number = static_cast<int>(communicator.exchange_sequence & 0x7fffffff);
  ++communicator.exchange_sequence;
  return {.peers = communicator.peers, .ranks = {}, .size = communicator.size, .me = communicator.rank,
          .context = communicator.exchange_context(), .tag = number};
}

void Broadcast::start(const Circle& circle, void* data, std::size_t bytes) {
  circle_ = circle;
  data_ = data;
  bytes_ = bytes;
  status_ = Status::ok;
  if (circle_.me == 0) send_on();
  else receive_ = post_receive(circle_, circle_.me & (circle_.me - 1), data_, bytes_);
}

// To the places that differ from mine in one bit below my lowest set one, the largest subtree first.
void Broadcast::send_on() {
  int step = 1;
  while (step < circle_.size && (circle_.me & step) == 0) step <<= 1;
  for (step >>= 1; step > 0; step >>= 1)
    if (circle_.me + step < circle_.size) sends_.push_back(post_send(circle_, circle_.me + step, data_, bytes_));
}

bool Broadcast::poll() {
  if (receive_ != nullptr) {
    if (!receive_->done) return false;
    status_ = receive_->status;
    receive_->release();
    receive_ = nullptr;
    send_on();                       // also after a failure, so that nobody behind us waits for ever
  }
  while (!sends_.empty()) {
    match::Request* send = sends_.back();
    if (!send->done) return false;
    if (status_ == Status::ok) status_ = send->status;
    send->release();
    sends_.pop_back();
  }
  return true;
}

Status broadcast(const Circle& circle, void* data, std::size_t bytes) {
  Broadcast run;
  run.start(circle, data, bytes);
  match::engine().wait_until([&run] { return run.poll(); });
  return run.status();
}

// Blocks are kept turned so that mine comes first; each round doubles how many I have.
Status allgather(const Circle& circle, void* all, std::size_t block_bytes) {
  const int size = circle.size, me = circle.me;
  const auto block = [block_bytes](std::byte* base, int n) { return base + static_cast<std::size_t>(n) * block_bytes; };
  std::byte* const out = static_cast<std::byte*>(all);
  std::vector<std::byte> turned(static_cast<std::size_t>(size) * block_bytes);
  std::memcpy(turned.data(), block(out, me), block_bytes);
  Status status = Status::ok;
  for (int have = 1; have < size; have *= 2) {
    const std::size_t bytes = static_cast<std::size_t>(std::min(have, size - have)) * block_bytes;
    match::Request* receive = post_receive(circle, (me + have) % size, block(turned.data(), have), bytes);
    match::Request* send = post_send(circle, (me - have + size) % size, turned.data(), bytes);
    for (match::Request* request : {receive, send})
      if (const Status outcome = finish(request); status == Status::ok) status = outcome;
  }
  for (int i = 0; i < size; ++i) std::memcpy(block(out, (me + i) % size), block(turned.data(), i), block_bytes);
  return status;
}

}  // namespace weft::comm
