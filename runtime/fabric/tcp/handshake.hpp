// One connection on its way to be a lane, of our making or of somebody's who calls: a greeting, step by step (greeting.hpp). Until
// it has proved itself a caller is a stranger: it is told nothing but our nonce, and has little time. Belongs to TcpPort, which
// steps it when epoll says so. Threads: one at a time.
#pragma once

#include <string>

#include "fabric/tcp/greeting.hpp"
#include "fabric/tcp/lane.hpp"

namespace weft::fabric::tcp {

class TcpPort;

class Handshake final : public Watched {
 public:
  enum class Stage : std::uint8_t {
    connecting, answer, welcome,     // a caller's; the latter two name what it waits for
    hello, confirm, contact, commit, // of one who is called; contact: proven, our own side is not open yet
    over,
  };

  // Called: somebody has connected.
  Handshake(TcpPort& port, os::Fd socket, std::int64_t now_ns);
  // Calling.
  Handshake(TcpPort& port, os::Fd socket, const Proofs& proofs, int peer_rank, const os::Address& to, std::int64_t deadline_ns);

  void step() noexcept;                      // as far as it goes
  void proceed(const Opening& ours) noexcept;   // out of `contact`: our side is open; says Welcome
  void time_out() noexcept { fail("no answer in time (WEFT_TCP_CONNECT_TIMEOUT)"); }
  void end() noexcept;                       // closes; the port removes it

  Stage stage() const noexcept { return stage_; }
  bool is_stranger() const noexcept { return stage_ == Stage::hello || stage_ == Stage::confirm; }
  bool is_call() const noexcept { return calls_; }
  int peer_rank() const noexcept { return peer_rank_; }           // once proven, or called by us
  std::uint32_t lane() const noexcept { return proofs_.hello.lane; }
  const os::Address& to() const noexcept { return to_; }
  const Opening& theirs() const noexcept { return theirs_; }
  std::int64_t since_ns() const noexcept { return since_ns_; }    // a stranger's beginning
  std::int64_t deadline_ns() const noexcept { return deadline_ns_; }
  os::Fd& socket() noexcept { return socket_; }
  bool say_commit() noexcept;

 private:
  template <class Words> bool take(Words& words) noexcept;        // true: all of them are here
  template <class Words> bool say(const Words& words) noexcept;
  void fail(const char* why) noexcept;
  void step_called() noexcept;
  void step_caller() noexcept;
  bool greet() noexcept;
  bool recognise(const Hello& hello) noexcept;

  TcpPort& port_;
  os::Fd socket_;
  Stage stage_;
  bool calls_;
  bool blocked_ = false;                     // the last take() found too little
  int peer_rank_ = -1;
  Proofs proofs_{};
  Opening theirs_{};
  os::Address to_{};
  std::int64_t since_ns_ = 0;
  std::int64_t deadline_ns_ = 0;
  std::size_t came_ = 0;
  std::byte buffer_[sizeof(Confirm)];
};

}  // namespace weft::fabric::tcp
