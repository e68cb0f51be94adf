// Greetings, step by step.
#include "fabric/tcp/handshake.hpp"

#include <cstring>

#include <fmt/format.h>

#include "fabric/tcp/port.hpp"
#include "os/log.hpp"

namespace weft::fabric::tcp {

Handshake::Handshake(TcpPort& port, os::Fd socket, std::int64_t now_ns)
    : Watched(Kind::handshake), port_(port), socket_(std::move(socket)), stage_(Stage::hello), calls_(false), since_ns_(now_ns) {
  to_ = os::address_of(os::remote_address(socket_));
}

Handshake::Handshake(TcpPort& port, os::Fd socket, const Proofs& proofs, int peer_rank, const os::Address& to, std::int64_t deadline_ns)
    : Watched(Kind::handshake), port_(port), socket_(std::move(socket)), stage_(Stage::connecting), calls_(true), peer_rank_(peer_rank),
      proofs_(proofs), to_(to), deadline_ns_(deadline_ns) {}

void Handshake::end() noexcept {
  if (stage_ == Stage::over) return;
  stage_ = Stage::over;
  if (socket_) port_.unwatch(socket_);
  socket_.reset();
}

void Handshake::fail(const char* why) noexcept {
  if (stage_ == Stage::over) return;
  const Stage stage = stage_;
  end();
  if (calls_) port_.call_failed(*this, why, stage == Stage::answer);
  else os::log_debug("a caller from {} is turned away: {}", os::text_of(to_), why);
}

template <class Words>
bool Handshake::take(Words& words) noexcept {
  static_assert(sizeof words <= sizeof buffer_);
  while (came_ < sizeof words) {
    const os::Moved came = os::receive_now(socket_.get(), buffer_ + came_, sizeof words - came_);
    if (came == 0) return false;
    if (came < 0) {
      fail(came == os::stream_ended ? "it closed the connection" : ::strerror(static_cast<int>(-came)));
      return false;
    }
    came_ += static_cast<std::size_t>(came);
  }
  came_ = 0;
  std::memcpy(&words, buffer_, sizeof words);
  return true;
}

// A fresh socket takes a greeting as a whole, or something is wrong with it.
template <class Words>
bool Handshake::say(const Words& words) noexcept {
  const os::Moved gone = os::send_now(socket_.get(), &words, sizeof words);
  if (gone == static_cast<os::Moved>(sizeof words)) return true;
  fail(gone < 0 ? ::strerror(static_cast<int>(-gone)) : "it takes no greeting");
  return false;
}

void Handshake::step() noexcept {
  if (stage_ == Stage::over) return;
  calls_ ? step_caller() : step_called();
}

bool Handshake::greet() noexcept {
  proofs_.hello.proof = proofs_.of_hello();
  return say(proofs_.hello);
}

void Handshake::step_caller() noexcept {
  if (stage_ == Stage::connecting) {
    if (const int error = os::connect_error(socket_); error != 0) return fail(::strerror(error));
    stage_ = Stage::answer;
    if (!greet()) return;
    port_.watch_input(socket_, *this);
  }
  if (stage_ == Stage::answer) {
    Answer answer;
    if (!take(answer)) return;
    proofs_.answer_nonce = answer.nonce;
    if (answer.proof != proofs_.of_answer()) return fail("it is not the rank that was called");
    Confirm confirm{port_.opening_towards(peer_rank_), 0};
    confirm.proof = proofs_.of_confirm(confirm.opening);
    stage_ = Stage::welcome;
    if (!say(confirm)) return;
  }
  if (stage_ == Stage::welcome) {
    Welcome welcome;
    if (!take(welcome)) return;
    if (welcome.proof != proofs_.of_welcome(welcome.opening)) return fail("its welcome is not genuine");
    theirs_ = welcome.opening;
    port_.conclude(*this);
  }
}

bool Handshake::recognise(const Hello& hello) noexcept {
  proofs_.key = port_.our_card().key;
  proofs_.hello = hello;
  return hello.magic == Hello::magic_value && hello.port_id == port_.our_card().id && hello.lane < Lane::most &&
         port_.may_call(hello.rank) && hello.proof == proofs_.of_hello();
}

void Handshake::step_called() noexcept {
  if (stage_ == Stage::hello) {
    Hello hello;
    if (!take(hello)) return;
    if (!recognise(hello)) return fail("it is not of this job");
    Answer answer;
    if (!os::fill_random(&answer.nonce, sizeof answer.nonce)) return fail("no random numbers");
    proofs_.answer_nonce = answer.nonce;
    answer.proof = proofs_.of_answer();
    stage_ = Stage::confirm;
    if (!say(answer)) return;
  }
  if (stage_ == Stage::confirm) {
    Confirm confirm;
    if (!take(confirm)) return;
    if (confirm.proof != proofs_.of_confirm(confirm.opening)) return fail("it cannot prove that it is of this job");
    theirs_ = confirm.opening;
    peer_rank_ = proofs_.hello.rank;
    stage_ = Stage::contact;
    return port_.admit(*this);
  }
  if (stage_ == Stage::contact) {
    std::byte early;
    if (take(early)) fail("it spoke out of turn");
  }
  if (stage_ == Stage::commit) {
    Commit commit;
    if (!take(commit)) return;
    if (commit.proof != proofs_.of_commit()) return fail("its commitment is not genuine");
    port_.establish(*this);
  }
}

void Handshake::proceed(const Opening& ours) noexcept {
  Welcome welcome{ours, 0};
  welcome.proof = proofs_.of_welcome(ours);
  stage_ = Stage::commit;
  (void)say(welcome);
}

bool Handshake::say_commit() noexcept {
  Commit commit;
  commit.proof = proofs_.of_commit();
  return say(commit);
}

}  // namespace weft::fabric::tcp
