// The endpoint of the tcp fabric: lanes towards one peer, what we have asked it for, and what it asks of us. Belongs to its
// TcpPort, which polls it. See fabric/endpoint.hpp for the contract. Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fabric/endpoint.hpp"
#include "fabric/tcp/lane.hpp"
#include "os/keyed_hash.hpp"

namespace weft::fabric::tcp {

class TcpPort;

// What stays known of a peer's card.
struct PeerAddress {
  std::uint64_t port_id = 0;
  os::SecretKey key{};
  std::uint16_t port = 0;
  os::Address proven{};              // where lane 0 leads
};

class TcpEndpoint final : public Endpoint {
 public:
  TcpEndpoint(TcpPort& port, int world_rank, const PeerAddress& address, const Opening& ours) noexcept
      : port_(port), world_rank_(world_rank), address_(address), opening_(ours) {}
  ~TcpEndpoint() override;

  Outcome post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept override;
  Outcome post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept override;
  Outcome post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept override;
  Outcome post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept override;
  Outcome post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept override;
  Message poll_message() noexcept override;
  std::size_t post_stream(const iovec* pieces, int count) noexcept override;
  std::size_t poll_stream(void* into, std::size_t bytes) noexcept override;
  void wake() noexcept override;

  // ---- for the port
  int world_rank() const noexcept { return world_rank_; }
  const PeerAddress& address() const noexcept { return address_; }
  const Opening& opening() const noexcept { return opening_; }
  const std::vector<os::Address>& addresses() const noexcept { return addresses_; }
  void set_addresses(std::vector<os::Address> addresses) noexcept { addresses_ = std::move(addresses); }
  bool has_lane(std::uint32_t number) const noexcept { return (lanes_ & 1u << number) != 0; }
  // A greeting has ended well: `we_called` tells who connected.
  void establish(std::uint32_t number, os::Fd socket, const Opening& theirs, bool we_called);
  void lose(std::string why) noexcept;      // at once for state(), the rest in settle()
  void settle() noexcept;                   // inside poll: what follows from lanes that have ended
  void say_goodbye() noexcept;
  void look_for_silence(std::int64_t now_ns) noexcept;

  // ---- for its lanes
  TcpPort& port() const noexcept { return port_; }
  bool may_receive() const noexcept { return state_ == State::open && messages_waiting_ < most_messages_waiting; }
  // Where the body of a frame goes; null where the frame is refused. finish() once the body, if any, is there.
  std::byte* begin(const Frame& frame) noexcept;
  void finish(const Frame& frame, FrameLane& lane) noexcept;
  // A socket call failed or found the end (errno; ESHUTDOWN). What that means is found out in settle(): the peer may have said
  // goodbye, and we have not read it yet. Until then posts answer `again`.
  void lane_ended(Lane& lane, int error) noexcept;

 private:
  static constexpr std::uint16_t most_asked = 64;          // reads and atomics that wait for answers
  static constexpr int most_messages_waiting = 64;         // then our lanes are not read any more

  struct Asked {
    Operation* operation = nullptr;  // null: free
    AtomicOperation* atomic = nullptr;
    std::byte* to = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t left = 0;
  };

  void bury() noexcept;                                     // closes, and marks all operations lost
  std::string ending_of(const Lane& lane) const;
  Asked* free_asked(std::uint16_t& token) noexcept;
  Outcome post_atomic(Frame frame, AtomicOperation& operation) noexcept;
  void want_lane(std::uint32_t number) noexcept;
  std::byte* refuse(std::string why) noexcept;              // complains to the peer and loses it
  std::byte* begin_message(std::uint64_t bytes) noexcept;
  bool is_asked(const Frame& frame) const noexcept;
  void serve_read(const Frame& frame, FrameLane& lane) noexcept;
  void serve_atomic(const Frame& frame, FrameLane& lane) noexcept;
  void finish_part(const Frame& frame) noexcept;
  void finish_atomic(const Frame& frame) noexcept;
  template <class Do> void for_each_lane(Do&& what) noexcept;

  TcpPort& port_;
  int world_rank_;
  PeerAddress address_;
  Opening opening_;
  std::vector<os::Address> addresses_;      // to try; none once it is open
  bool we_called_ = false;
  bool left_ = false;                // the peer has said goodbye
  std::uint32_t lanes_ = 0;          // those there are, a bit each
  std::uint32_t wanted_ = 0;         // asked for
  std::unique_ptr<FrameLane> frames_;
  std::unique_ptr<StreamLane> stream_;
  std::vector<std::unique_ptr<FrameLane>> extra_;
  std::unique_ptr<Asked[]> asked_;   // once something has been asked
  int asked_count_ = 0;
  std::uint16_t asked_next_ = 0;
  std::uint32_t reply_turn_ = 0;     // which lane takes the next part of a read
  int messages_waiting_ = 0;         // complete ones
  MessageBlock* first_block_ = nullptr;
  MessageBlock* last_block_ = nullptr;
  std::byte complaint_[256];
  std::string why_;
};

}  // namespace weft::fabric::tcp
