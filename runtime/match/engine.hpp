// The engine: envelopes to receives, eager and rendezvous, and the one progress loop. One per process (tests make more).
// Everything that moves in weft moves inside poll(): links, announced messages, schedules (as services), new contacts.
// Threads: callers hold the runtime lock where threads share the runtime; waiting gives it up.
// Invariants: sends to one peer leave in order (a message that must wait makes all later ones wait behind it); a receive
// gets the oldest message that fits, a message the oldest receive that fits.
#pragma once

#include <memory>
#include <vector>

#include "channel/copy.hpp"
#include "channel/switchboard.hpp"
#include "match/blocks.hpp"
#include "match/remote_copy.hpp"
#include "match/transfer.hpp"
#include "match/wait.hpp"

namespace weft::match {

// Something that progress drives besides links: a schedule in flight. poll() answers whether anything moved.
class Service {
 public:
  virtual bool poll() = 0;
  // How long a sleep may be, where nobody rings when poll() would find something.
  virtual std::int64_t longest_sleep_ns() const { return INT64_MAX; }

 protected:
  ~Service() = default;
};

// A message of the engine to its twin, on its way.
struct Control {
  Key key;
  Kind kind;
  std::uint32_t length;
  std::byte payload[fabric::slot_inline_bytes];
  Control* next;
  Control* next_free;
};

// A peer we have exchanged something with, or are about to.
struct Peer {
  channel::DirectSender* direct_out;   // `out` where it is of that type, else one that never has credit
  std::int64_t eager_left;             // payload the next eager message may have; -1 while sends wait in the outbox
  channel::DirectReceiver* direct_in;
  channel::SendLink* out;
  channel::ReceiveLink* in;
  int world_rank;
  std::size_t eager_limit;             // payload that may go with the head
  std::int64_t parked_left;            // eager_left meanwhile
  std::uint64_t eager_end;             // sum of costs at which eager_left runs out
  Control* controls_head;              // control messages that found no credit, in order
  Control* controls_tail;
  Send* outbox_head;                   // sends that could not be posted yet, in order
  Send* outbox_tail;
  std::uint64_t held_sum;              // as receiver: cost of eager messages ever taken out again
  std::uint64_t held_tell;             // where the sender is told of it next
  std::uint64_t lent;                  // room beyond the limit that was given, ever
  bool lost;                           // told to the loss handler
  channel::Channel channel;
};

class Engine {
 public:
  // `lost` is told once of each peer whose endpoint fails; it may end the process.
  using LossHandler = void (*)(int world_rank, const char* why);
  Done open(std::unique_ptr<channel::Switchboard> switchboard, int world_rank, int world_size, LossHandler lost = nullptr);
  void finish_sends();                 // until all that was sent has left
  void close();                        // that, and then nothing moves any more
  // Peers may still need us after finish_sends(): leaving takes agreement. The same on all ranks.
  bool leaves_together() const noexcept { return leaves_together_; }

  // ---- sending. peer: world rank; my_rank: ours in the communicator that the context belongs to
  // The fast way of a few bytes: posts the message now, without a call, or answers false and nothing happened.
  // `key()` is asked for only when the message does leave.
  template <class MakeKey>
  [[gnu::always_inline]] bool send_now(int peer, MakeKey&& key, const void* payload, std::size_t bytes) {
    if (bytes > fabric::slot_inline_bytes) [[unlikely]] return false;
    Peer* known = peers_[static_cast<std::size_t>(peer)];
    const std::int64_t left = known->eager_left - static_cast<std::int64_t>(cost(bytes));
    if (left < 0 || !known->direct_out->has_credit()) [[unlikely]] return false;
    known->eager_left = left;
    const Key made = key();
    known->direct_out->post_inline(made, {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(Kind::eager)}, payload);
    return true;
  }
  bool send_now(int peer, std::uint64_t context, int my_rank, int tag, const TypedBuffer& buffer) {
    Peer* known = peers_[static_cast<std::size_t>(peer)];
    return known != &nobody_ && try_eager(*known, context, my_rank, tag, buffer);
  }
  Request* post_send(int peer, std::uint64_t context, int my_rank, int tag, const TypedBuffer& buffer, SendMode mode);
  // The same send, kept for start().
  Send* prepare_send(int peer, std::uint64_t context, int my_rank, int tag, const TypedBuffer& buffer, SendMode mode);

  Request* prepare_nothing(int source, int tag, bool receive);

  // ---- receiving. source: rank in the communicator, or any_source
  // The fast way of a few bytes: takes the message of exactly this key if it has come, is the next one from `peer` (the
  // source's world rank) and nothing else could claim it. Answers the bytes that were sent, -1: not so, nothing was taken.
  [[gnu::always_inline]] std::int64_t receive_now(int peer, Key key, void* room, std::size_t room_bytes) {
    if ((posted_count_ | unexpected_count_) != 0) [[unlikely]] return -1;
    Peer* known = peers_[static_cast<std::size_t>(peer)];
    if (known->direct_in == nullptr) [[unlikely]] return -1;
    const fabric::Slot* slot = known->direct_in->poll_inline(key, static_cast<std::uint32_t>(Kind::eager));
    if (slot == nullptr) [[unlikely]] return -1;
    const std::size_t bytes = slot->header.content.length();
    channel::copy_few(room, slot->payload, bytes <= room_bytes ? bytes : room_bytes);
    released(*known, bytes);
    return static_cast<std::int64_t>(bytes);
  }
  // The same for any message, and it looks for a while.
  std::int64_t receive_soon(int peer, Key key, void* room, std::size_t room_bytes) {
    if ((posted_count_ | unexpected_count_) != 0) return -1;
    Peer* known = peers_[static_cast<std::size_t>(peer)];
    return known != &nobody_ ? take_next(*known, key, room, room_bytes) : -1;
  }
  // The same for a message that is to come, from a source of the communicator, with a tag, into one run of memory: null
  // when one is here that might fit.
  [[gnu::always_inline]] Receive* receive_later(Key key, void* run, std::size_t room_bytes, const void* owner) {
    if (unexpected_count_ != 0) [[unlikely]] return nullptr;
    Receive* receive = receives_.take_ready();
    if (receive == nullptr) [[unlikely]] return nullptr;
    static_cast<Life&>(*receive) = fresh_receive;
    receive->active = true;
    receive->detached = receive->cancelled = receive->matched = false;
    receive->limit_bytes = room_bytes;
    receive->owner = owner;
    receive->engine = this;
    receive->buffer.address = run;
    receive->buffer.count = static_cast<std::int64_t>(room_bytes);
    receive->key = key;
    receive->sequence = ++sequence_;
    ++posted_count_;
    return receive;
  }
  // ... and then, when the program has its handle.
  [[gnu::always_inline]] void stand_in_line(Key key, Receive* receive) {
    if (!posted_.push_recent(key, receive->entry, receive)) [[unlikely]] stand_in_other_line(receive);
  }
  Request* post_receive(int source, std::uint64_t context, int tag, const TypedBuffer& buffer);
  Receive* prepare_receive(int source, std::uint64_t context, int tag, const TypedBuffer& buffer);

  // ---- probing. The oldest message that fits, if it has come; does not progress by itself.
  const Unexpected* find(int source, std::uint64_t context, int tag);
  Unexpected* take(int source, std::uint64_t context, int tag);                    // out of matching, for receive_taken
  Request* receive_taken(Unexpected* message, const TypedBuffer& buffer);

  // ---- progress
  bool poll();                         // one bounded turn; did anything move?
  // The same for calls that look and return (test, probe): a program that loops over them must not keep its core from the
  // rank that has work.
  bool glance() {
    if (poll()) {
      idle_glances_ = 0;
      return true;
    }
    if (++idle_glances_ % glances_a_rest == 0) [[unlikely]] waiting_.rest(*this, idle_glances_ / glances_a_rest);
    return false;
  }
  template <class Condition>
  void wait_until(Condition&& condition) {
    wait_until(std::forward<Condition>(condition), nullptr);
  }
  template <class Condition>
  void wait_until(Condition&& condition, const Request* blocked) {
    if (condition()) return;
    Waiter waiter(*this, blocked);
    for (;;) {
      const std::uint64_t seen = waiting_.events;
      if (condition()) return;
      if (!poll()) waiter.idle(seen);
      else Waiter::moved();
    }
  }
  void wait(const Request& request) {
    wait_until([&request] { return request.done; }, &request);
  }
  // Something a wait may be for changed outside poll(): waiting threads look again.
  void stir() noexcept {
    ++waiting_.events;
    if (waiting_.sleepers != 0) waiting_.wake_sleepers();
  }
  // Relief (relief.cpp): a receive that waits behind messages which its sender may not send for lack of room here.
  bool choked() const noexcept { return choked_ != 0; }
  void relieve(const Receive& blocked);
  std::uint64_t heard() const noexcept;           // changes with every message that comes
  void fetched(Receive& fetch);

  // How long a sleep may be, since not all that can come would ring.
  std::int64_t longest_sleep_ns() const noexcept;
  void expect_sleep() noexcept;
  std::uint64_t wasted_reads() const noexcept;     // of pull links, that found nothing

  void add_service(Service* service) { services_.push_back(service); }
  void remove_service(Service* service);

  channel::Switchboard& switchboard() noexcept { return *switchboard_; }
  // An endpoint to the peer over this port, for remote memory: that of its channel, else one without links. Both sides ask.
  Expected<fabric::Endpoint*> endpoint(int world_rank, fabric::Port& port);
  // The peer is lost, `why` in words. For who finds that in a post of its own, before the progress loop does: nobody else may hear
  // of it. Told once a peer.
  void tell_loss(int world_rank, const char* why);
  int world_rank() const noexcept { return world_rank_; }
  Status start(Send& send);
  Status start(Receive& receive);
  void withdraw(Send& send);
  void withdraw(Receive& receive);
  void detach(Send& send);
  void give(Send* send) noexcept;
  void give(Receive* receive) noexcept {
    receive->magic = 0;
    if (receive->buffer.type != bytes_type()) [[unlikely]] forget_type(*receive);
    receives_.give(receive);
  }
  Waiting& waiting() noexcept { return waiting_; }
  // Bytes of unexpected messages held for all peers now, and the cap for one.
  std::uint64_t unexpected_bytes() const noexcept { return unexpected_bytes_; }
  std::uint64_t unexpected_limit() const noexcept { return unexpected_limit_; }

 private:
  // What an eager message counts for in unexpected memory: its payload and what describes it.
  static constexpr std::uint64_t overhead = 128;
  static constexpr std::uint64_t cost(std::size_t bytes) noexcept { return bytes + overhead; }

  Peer* peer(int world_rank) {
    Peer* known = peers_[static_cast<std::size_t>(world_rank)];
    return __builtin_expect(known != &nobody_, 1) ? known : connect(world_rank);
  }
  Peer* connect(int world_rank);

  bool try_eager(Peer& peer, std::uint64_t context, int my_rank, int tag, const TypedBuffer& buffer) {
    const std::size_t bytes = buffer.bytes();
    if (bytes > peer.eager_limit) return false;
    const void* payload = buffer.run();
    return post_eager(peer, Key{context, my_rank, tag}, payload != nullptr ? payload : pack_whole(buffer, bytes), bytes);
  }
  bool post_eager(Peer& peer, Key key, const void* payload, std::size_t bytes);
  static void take_room(std::int64_t& left, std::size_t bytes) noexcept { left -= static_cast<std::int64_t>(cost(bytes)); }
  void look_for_room(Peer& peer, std::int64_t& left) noexcept;
  const void* pack_whole(const TypedBuffer& buffer, std::size_t bytes);

  void enqueue(Send& send);
  bool push(Peer& peer, Send& send);                // posts as much as it can; true when it can leave the outbox
  bool push_announcement(Peer& peer, Send& send);
  bool push_fragments(Peer& peer, Send& send);
  bool flush_outbox(Peer& peer);
  bool flush_controls(Peer& peer);
  bool flush_waiting();
  void post_control(Peer& peer, Kind kind, Key key, const void* payload, std::uint32_t length);

  static constexpr int arrivals_a_turn = 64;   // of one peer, before the next gets its turn
  bool poll_peer(Peer& peer);
  void tell_loss(Peer& peer);
  bool poll_direct(Peer& peer);
  bool poll_contacts();
  void handle(Peer& peer, const channel::Arrival& arrival);
  void handle_message(Peer& peer, const channel::Arrival& arrival);
  void handle_request(Peer& peer, const channel::Arrival& arrival);
  void handle_fragment(const channel::Arrival& arrival);
  void handle_withdraw(Peer& peer, const channel::Arrival& arrival);

  void count_posted(const Key& key, int change) noexcept;
  static constexpr Life fresh_receive{Request::magic_value, false, Status::ok, false, Form::receive};
  static const data::Datatype* bytes_type() noexcept { return data::predefined_by_number[data::number::byte]; }
  static void forget_type(Receive& receive) noexcept;
  [[gnu::noinline]] void stand_in_other_line(Receive* receive) { posted_.push(receive->key, receive->entry, receive); }
  int take_posted(Peer& peer);
  std::int64_t take_next(Peer& peer, Key key, void* room, std::size_t room_bytes);
  void match_or_post(Receive& receive);
  Receive* match_posted(const Key& key);
  Receive* match_posted_wild(const Key& key);
  Unexpected* first_unexpected(int source, std::uint64_t context, int tag);
  void keep(Peer& peer, const channel::Arrival& arrival);
  bool is_choked(const Unexpected& message) const noexcept {
    return message.kind == Kind::announce && message.announcement.held_back != 0;
  }
  void take_over(Unexpected& message);
  void claim(Receive& receive, Unexpected& message);
  void unlink(Unexpected& message) noexcept;
  void drop(Unexpected* message) noexcept;
  void released(Peer& peer, std::uint64_t bytes) noexcept {
    peer.held_sum += cost(bytes);
    if (peer.held_sum >= peer.held_tell) [[unlikely]] tell_released(peer);
  }
  void tell_released(Peer& peer) noexcept;
  void accept(Receive& receive, Unexpected* message);
  void deliver(Receive& receive, const Key& key, const void* payload, std::size_t bytes);
  void begin_rendezvous(Receive& receive, Peer& peer, const Key& key, const Announcement& announcement);
  bool begin_remote_read(Receive& receive, Peer& peer, const Announcement& announcement, std::size_t bytes);
  bool begin_remote_write(Send& send, Peer& peer, const PayloadRequest& request);
  RemoteCopy* prepare_remote_copy(Peer& peer, const TypedBuffer& buffer, fabric::Remote remote, std::uint64_t twin, std::size_t bytes);
  Outcome post_piece(RemoteCopy& copy, fabric::Operation& piece);
  bool advance(RemoteCopy& copy);
  bool poll_remote_copies();
  void tell_over(RemoteCopy& copy);
  void finish(RemoteCopy& copy);
  bool poll_ports();
  void find_polled_ports();
  void expose(Receive& receive, Peer& peer, std::size_t bytes);
  Status read_announced(Receive& receive, Peer& peer, const Announcement& announcement, std::size_t bytes);

  int world_rank_ = 0;
  std::vector<Peer*> peers_;           // by world rank; nobody_ before first contact
  Peer nobody_ = {};                   // admits nothing, so that the fast ways need not ask whether there is a peer
  channel::DirectSender nowhere_;
  std::vector<Peer*> connected_;
  std::uint32_t unexpected_count_ = 0;
  std::uint64_t handled_ = 0;          // arrivals that came to handle()
  std::uint32_t choked_ = 0;           // of those: announced only for lack of room in unexpected memory
  std::uint32_t posted_count_ = 0;
  std::uint32_t posted_wild_ = 0;      // of those: with a wildcard, and which
  std::uint32_t posted_any_source_ = 0;
  std::uint32_t posted_any_tag_ = 0;
  std::uint32_t posted_any_both_ = 0;
  std::uint32_t busy_outboxes_ = 0;     // peers with sends that wait for credit
  std::uint32_t busy_controls_ = 0;     // peers with control messages that do
  static constexpr std::uint32_t glances_a_rest = 16;
  std::uint32_t idle_glances_ = 0;     // in a row
  std::uint64_t sequence_ = 0;
  std::uint64_t unexpected_bytes_ = 0;
  std::uint64_t unexpected_limit_ = 0;
  std::size_t option_eager_limit_ = 0;
  std::size_t detached_sends_ = 0;     // freed by the program before they were done: close() waits for them
  MatchTable posted_;
  MatchTable unexpected_;
  std::vector<Service*> services_;
  std::vector<fabric::Port*> polled_ports_;        // those whose poll() has anything to do
  bool leaves_together_ = false;                   // some had from the start
  std::vector<RemoteCopy*> remote_copies_;
  os::Pool<RemoteCopy> remote_copy_pool_;
  LossHandler loss_handler_ = nullptr;
  static constexpr std::int64_t silent_sleep_ns = 1'000'000;
  int silent_links_ = 0;               // receive links that nobody rings for at times
  std::vector<std::byte> scratch_;     // a packed message or fragment on its way into a link
  os::Pool<Send> sends_;
  os::Pool<Receive> receives_;
  os::Pool<Unexpected> unexpected_pool_;
  os::Pool<Control> control_pool_;
  Blocks blocks_;
  Waiting waiting_;
  std::unique_ptr<channel::Switchboard> switchboard_;
};

// The process's engine.
namespace detail {
extern Engine process_engine [[gnu::visibility("hidden")]];
}
inline Engine& engine() noexcept { return detail::process_engine; }

}  // namespace weft::match
