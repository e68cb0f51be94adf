// The tcp port: a listener, endpoints, and the memory peers may reach over sockets; their requests are served inside poll(). See
// fabric/port.hpp for the contract, greeting.hpp for how connections are made. Everything watched stands in one epoll, which is
// also what a sleeper waits on. Sockets that have been busy lately are asked directly, and epoll only now and then: an idle
// turn with one busy peer costs one system call. Threads: one at a time.
#pragma once

#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "fabric/fabrics.hpp"
#include "fabric/tcp/card.hpp"
#include "fabric/tcp/endpoint.hpp"
#include "fabric/tcp/handshake.hpp"
#include "fabric/tcp/regions.hpp"

namespace weft::fabric::tcp {

struct Settings {
  std::int64_t connect_timeout_s = 30;
  std::int64_t timeout_s = 60;              // a silent host is lost after this
  std::int64_t buffer_bytes = 0;
  std::uint32_t sockets = 1;                // that carry large reads
  bool restricted = false;                  // to some interfaces
};

class TcpPort final : public Port {
 public:
  static Expected<std::unique_ptr<Port>> open(const Circumstances& circumstances);
  ~TcpPort() override;

  const char* name() const noexcept override { return "tcp"; }
  const Caps& caps() const noexcept override { return caps_; }
  std::string card() const override { return compose(card_); }
  bool reaches(std::string_view peer_card) const noexcept override;
  Expected<Region> allocate(std::size_t bytes) override;
  void free(const Region& region) noexcept override;
  Status expose(void* address, std::size_t bytes, Region& region) noexcept override;
  void conceal(const Region& region) noexcept override { regions_.remove(region.remote.key); }
  Expected<Endpoint*> open(int world_rank, const std::string& peer_card, const Opening& ours) override;
  int poll_contact() noexcept override;
  bool poll() noexcept override;
  bool has_poll() const noexcept override { return true; }
  std::size_t max_message_bytes() const noexcept override { return MessageBlock::largest_message; }
  void prepare_sleep() noexcept override;
  void cancel_sleep() noexcept override {}
  void sleep(std::int64_t timeout_ns) noexcept override;
  int wait_fd() noexcept override { return epoll_.get(); }
  void wake_self() noexcept override;
  bool crowded() noexcept override { return crowded_; }

  // ---- for endpoints and lanes
  const Settings& settings() const noexcept { return settings_; }
  Regions& regions() noexcept { return regions_; }
  os::Pool<Outgoing>& outgoing() noexcept { return outgoing_; }
  os::Pool<MessageBlock>& blocks() noexcept { return blocks_; }
  std::vector<std::byte>& scratch() noexcept { return scratch_; }
  void watch(Lane& lane) noexcept;
  void retire(Lane& lane) noexcept;         // closes; no list names it any more
  void add_blocked(Lane& lane);
  void add_unsettled(TcpEndpoint& endpoint);
  void warm(FrameLane& lane) noexcept;
  void warm(StreamLane& lane) noexcept;
  void cool(StreamLane& lane) noexcept;
  void call(TcpEndpoint& endpoint, std::uint32_t lane);      // connects a lane

  // ---- for handshakes (contacts.cpp)
  const Card& our_card() const noexcept { return card_; }
  bool may_call(int rank) const noexcept { return rank >= 0 && rank < world_size_ && rank != world_rank_; }
  const Opening& opening_towards(int rank) const noexcept;
  void admit(Handshake& caller);            // has proved to be of the job
  void conclude(Handshake& call);           // has been welcomed
  void establish(Handshake& handshake);     // is the lane
  void call_failed(Handshake& call, const char* why, bool unanswered);
  void watch_input(const os::Fd& socket, Watched& as) noexcept;
  void unwatch(const os::Fd& socket) noexcept;

 private:
  TcpPort() : listening_(Watched::Kind::listener), ringing_(Watched::Kind::bell), ticking_(Watched::Kind::timer) {}
  Done prepare(const Circumstances& circumstances);

  // A lane that we are connecting: addresses are tried one after the other without waiting for the one before to fail.
  struct Call {
    TcpEndpoint* endpoint;
    std::uint32_t lane;
    std::vector<os::Address> left;
    int under_way;
    int second_tries;
    std::string errors;
    std::int64_t last_start_ns;
    std::int64_t deadline_ns;
    std::int64_t failed_ns;                 // 0: some may still succeed
  };

  bool look() noexcept;                     // at what epoll has
  bool handle(Watched& watched, std::uint32_t events) noexcept;
  bool handle_lane(Lane& lane, std::uint32_t events) noexcept;
  bool flush_blocked() noexcept;
  void settle() noexcept;
  void look_at_clock() noexcept;
  void add(const os::Fd& socket, Watched& as, std::uint32_t events) noexcept;

  TcpEndpoint* find(int rank) const noexcept;
  bool we_decide(int rank) const noexcept { return world_rank_ < rank; }
  void accept_callers();
  void start_next(Call& call);
  Call* call_of(const TcpEndpoint* endpoint, std::uint32_t lane) noexcept;
  void end_call(const TcpEndpoint* endpoint, std::uint32_t lane) noexcept;
  void tick() noexcept;
  void tick_calls(std::int64_t now_ns);
  void reap() noexcept;                     // handshakes that are over
  bool has_handshake(int rank, std::uint32_t lane) const noexcept;
  void set_timer(bool on) noexcept;

  Caps caps_{};
  Settings settings_{};
  Card card_{};
  int world_rank_ = 0;
  int world_size_ = 1;
  bool crowded_ = false;
  Watched listening_, ringing_, ticking_;
  os::Fd epoll_, listener_, event_, timer_;
  bool timer_on_ = false;
  struct Release { void operator()(std::byte* memory) const noexcept { std::free(memory); } };
  using Owned = std::unique_ptr<std::byte, Release>;
  Regions regions_;
  std::unordered_map<std::byte*, Owned> owned_;      // given by allocate()
  os::Pool<Outgoing> outgoing_;
  os::Pool<MessageBlock> blocks_;
  std::vector<std::byte> scratch_;
  std::unordered_map<int, std::unique_ptr<TcpEndpoint>> endpoints_;
  std::vector<std::unique_ptr<Handshake>> handshakes_;
  std::vector<Call> calls_;
  std::vector<int> contacts_;               // proven callers whose side of ours is not open
  std::vector<FrameLane*> hot_;
  std::uint32_t hot_streams_ = 0;
  std::vector<Lane*> blocked_;
  std::vector<TcpEndpoint*> unsettled_;
  std::uint32_t turns_to_look_ = 1;
  std::uint32_t looks_ = 0;
  std::int64_t clock_looked_ns_ = 0;
};

}  // namespace weft::fabric::tcp
