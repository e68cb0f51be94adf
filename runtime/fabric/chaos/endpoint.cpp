// Holding back, cutting up, shuffling.
#include "fabric/chaos/endpoint.hpp"

#include <algorithm>
#include <span>

namespace weft::fabric::chaos {
namespace {

constexpr std::size_t most_parcels = 24;
constexpr std::uint32_t most_pieces = 12;
constexpr std::uint32_t most_advances = 6;             // a step

std::span<const std::byte> bytes_of(const void* data, std::size_t bytes) { return {static_cast<const std::byte*>(data), bytes}; }

}  // namespace

// What a post answers before anything else; done: go on.
Outcome ChaosEndpoint::refusal(std::uint32_t operation) noexcept {
  if (state_ == State::lost || !caps_.has(operation)) return Outcome::failed;
  if (state_ == State::opening || parcels_.size() >= most_parcels || dice(8) == 0) return Outcome::again;
  return Outcome::done;
}

ChaosEndpoint::Parcel& ChaosEndpoint::hold(Kind kind, std::size_t bytes) {
  Parcel& parcel = parcels_.emplace_back();
  parcel.kind = kind;
  parcel.bytes = bytes;
  parcel.told_in = dice(6);
  if (kind == Kind::write || kind == Kind::read) cut_up(parcel);
  else parcel.pieces.push_back({0, bytes});
  return parcel;
}

// At any byte, and in any order.
void ChaosEndpoint::cut_up(Parcel& parcel) {
  std::vector<std::size_t> cuts{0, parcel.bytes};
  const std::uint32_t wanted = dice(4) == 0 ? 0 : dice(most_pieces);
  for (std::uint32_t i = 0; i < wanted && parcel.bytes > 1; ++i) cuts.push_back(random_() % parcel.bytes);
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    if (cuts[i] != cuts[i + 1]) parcel.pieces.push_back({cuts[i], cuts[i + 1] - cuts[i]});
  if (parcel.pieces.empty()) parcel.pieces.push_back({0, 0});
  std::shuffle(parcel.pieces.begin(), parcel.pieces.end(), random_);
}

Outcome ChaosEndpoint::post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept {
  if (const Outcome refused = refusal(notify == Notify::immediate ? op_write | op_write_immediate : op_write); refused != Outcome::done) return refused;
  Parcel& parcel = hold(Kind::write, bytes);
  parcel.local = from;
  if (bytes <= caps_.max_inline_bytes) {
    const auto source = bytes_of(from.address, bytes);
    parcel.copy.assign(source.begin(), source.end());
  }
  parcel.remote = to;
  parcel.notify = is_noticed(notify) ? notify : Notify::none;   // what follows may be put off
  parcel.operation = operation;
  return Outcome::posted;
}

Outcome ChaosEndpoint::post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept {
  if (const Outcome refused = refusal(op_read); refused != Outcome::done) return refused;
  Parcel& parcel = hold(Kind::read, bytes);
  parcel.local = to;
  parcel.remote = from;
  parcel.operation = &operation;
  return Outcome::posted;
}

Outcome ChaosEndpoint::post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept {
  if (const Outcome refused = refusal(op_fetch_add); refused != Outcome::done) return refused;
  Parcel& parcel = hold(Kind::fetch_add, sizeof add);
  parcel.remote = at;
  parcel.operands[0] = add;
  parcel.operation = parcel.atomic = &operation;
  return Outcome::posted;
}

Outcome ChaosEndpoint::post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept {
  if (const Outcome refused = refusal(op_compare_swap); refused != Outcome::done) return refused;
  Parcel& parcel = hold(Kind::compare_swap, sizeof desired);
  parcel.remote = at;
  parcel.operands[0] = expected;
  parcel.operands[1] = desired;
  parcel.operation = parcel.atomic = &operation;
  return Outcome::posted;
}

Outcome ChaosEndpoint::post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept {
  if (const Outcome refused = refusal(op_send); refused != Outcome::done) return refused;
  Parcel& parcel = hold(Kind::send, head_bytes + payload_bytes);
  parcel.copy.reserve(head_bytes + payload_bytes);
  for (const auto part : {bytes_of(head, head_bytes), bytes_of(payload, payload_bytes)}) parcel.copy.insert(parcel.copy.end(), part.begin(), part.end());
  return Outcome::done;
}

Message ChaosEndpoint::poll_message() noexcept {
  if (state_ != State::open || dice(4) == 0) return {};
  return inner_.poll_message();
}

std::size_t ChaosEndpoint::post_stream(const iovec* pieces, int count) noexcept {
  if (state_ != State::open || dice(6) == 0) return 0;
  std::size_t whole = 0;
  for (int i = 0; i < count; ++i) whole += pieces[i].iov_len;
  std::size_t left = dice(2) == 0 ? whole : whole == 0 ? 0 : 1 + random_() % whole;
  std::vector<iovec> cut;
  for (int i = 0; i < count && left != 0; ++i) {
    cut.push_back({pieces[i].iov_base, std::min(pieces[i].iov_len, left)});
    left -= cut.back().iov_len;
  }
  return inner_.post_stream(cut.data(), static_cast<int>(cut.size()));
}

std::size_t ChaosEndpoint::poll_stream(void* into, std::size_t bytes) noexcept {
  if (state_ != State::open || dice(4) == 0 || bytes == 0) return 0;
  return inner_.poll_stream(into, dice(2) == 0 ? bytes : 1 + random_() % std::min<std::size_t>(bytes, 100));
}

Outcome ChaosEndpoint::post_piece(Parcel& parcel, const Piece& piece) noexcept {
  parcel.inner = {};
  parcel.inner.done = false;
  const bool last = parcel.pieces.size() == 1;
  Local local{parcel.local.address + piece.offset, parcel.local.key};
  if (!parcel.copy.empty()) local.address = parcel.copy.data() + piece.offset;
  const Remote remote{parcel.remote.address + piece.offset, parcel.remote.key};
  switch (parcel.kind) {
    case Kind::write: return inner_.post_write(local, remote, piece.bytes, last ? parcel.notify : Notify::none, &parcel.inner);
    case Kind::send: return inner_.post_send(parcel.copy.data(), parcel.bytes, nullptr, 0);
    case Kind::read: return inner_.post_read(local, remote, piece.bytes, parcel.inner);
    case Kind::fetch_add: return inner_.post_fetch_add(parcel.remote, parcel.operands[0], parcel.inner);
    case Kind::compare_swap: return inner_.post_compare_swap(parcel.remote, parcel.operands[0], parcel.operands[1], parcel.inner);
  }
  return Outcome::failed;
}

// One piece more, or the end of the one under way.
bool ChaosEndpoint::advance(Parcel& parcel) noexcept {
  if (!parcel.inner.done) return false;
  if (parcel.inner.status != Status::ok) {
    cut();
    return true;
  }
  if (parcel.pieces.empty()) {
    parcel.over = true;
    return true;
  }
  const Outcome outcome = post_piece(parcel, parcel.pieces.back());
  if (outcome != Outcome::posted || parcel.kind == Kind::send) parcel.inner.done = true;
  if (outcome == Outcome::again) return false;
  if (outcome == Outcome::failed) {
    cut();
    return true;
  }
  parcel.pieces.pop_back();
  if (parcel.pieces.empty() && parcel.inner.done) parcel.over = true;
  return true;
}

void ChaosEndpoint::tell(Parcel& parcel, Status status) noexcept {
  if (parcel.operation == nullptr) return;
  if (parcel.atomic != nullptr) parcel.atomic->value = parcel.inner.value;
  parcel.operation->status = status;
  parcel.operation->done = true;
}

// What the inner endpoint knows, late.
bool ChaosEndpoint::follow() noexcept {
  if (state_ == State::lost) return false;
  if (inner_.state() == State::lost) {
    loss_ = inner_.loss();
    cut();
    return true;
  }
  if (state_ == State::opening && inner_.state() == State::open) {
    if (opens_in_ != 0) {
      --opens_in_;
      return false;
    }
    peer_opening_ = inner_.peer_opening();
    state_ = State::open;
    return true;
  }
  if (immediates_ == inner_.immediates() || dice(3) == 0) return false;
  ++immediates_;
  return true;
}

bool ChaosEndpoint::step() noexcept {
  bool moved = follow();
  for (std::uint32_t turns = dice(most_advances); turns != 0 && !parcels_.empty() && state_ == State::open; --turns) {
    std::vector<Parcel*> ready;        // the first write or send, and reads and atomics with no write or send before them
    for (Parcel& parcel : parcels_) {
      if (parcel.over) continue;
      ready.push_back(&parcel);
      if (is_ordered(parcel)) break;
    }
    if (ready.empty()) break;
    moved |= advance(*ready[dice(static_cast<std::uint32_t>(ready.size()))]);
  }
  for (auto parcel = parcels_.begin(); parcel != parcels_.end();) {
    if (!parcel->over || (parcel->told_in != 0 && parcel->told_in-- != 0)) {
      ++parcel;
      continue;
    }
    tell(*parcel, Status::ok);
    parcel = parcels_.erase(parcel);
    moved = true;
  }
  return moved;
}

void ChaosEndpoint::cut() noexcept {
  if (state_ == State::lost) return;
  state_ = State::lost;
  if (*loss_ == '\0') loss_ = "cut by the chaos fabric";
  // the inner endpoint may still be moving a piece: parcels stay, their operations end
  for (Parcel& parcel : parcels_) {
    tell(parcel, Status::peer_lost);
    parcel.operation = nullptr;
  }
}

}  // namespace weft::fabric::chaos
