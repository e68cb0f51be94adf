// An endpoint that holds operations back, cuts them into pieces and shuffles these (port.hpp says within which bounds).
// Threads: as its port.
#pragma once

#include <cstdint>
#include <list>
#include <random>
#include <vector>

#include "fabric/caps.hpp"
#include "fabric/endpoint.hpp"

namespace weft::fabric::chaos {

using Random = std::mt19937_64;

inline constexpr std::size_t copied_bytes = 64;        // a source this small may be reused when the post returns

class ChaosEndpoint final : public Endpoint {
 public:
  ChaosEndpoint(Endpoint& inner, const Caps& caps, Random& random) : inner_(inner), caps_(caps), random_(random), opens_in_(dice(8)) {}

  // Some of what is held back goes on. True when anything changed.
  bool step() noexcept;
  bool is_busy() const noexcept { return state_ != State::lost && (!parcels_.empty() || opens_in_ != 0); }
  void cut() noexcept;

  Outcome post_write(Local from, Remote to, std::size_t bytes, Notify notify, Operation* operation) noexcept override;
  Outcome post_read(Local to, Remote from, std::size_t bytes, Operation& operation) noexcept override;
  Outcome post_fetch_add(Remote at, std::uint64_t add, AtomicOperation& operation) noexcept override;
  Outcome post_compare_swap(Remote at, std::uint64_t expected, std::uint64_t desired, AtomicOperation& operation) noexcept override;
  Outcome post_send(const void* head, std::size_t head_bytes, const void* payload, std::size_t payload_bytes) noexcept override;
  Message poll_message() noexcept override;
  std::size_t post_stream(const iovec* pieces, int count) noexcept override;
  std::size_t poll_stream(void* into, std::size_t bytes) noexcept override;
  void wake() noexcept override { inner_.wake(); }

 private:
  enum class Kind : std::uint8_t { write, send, read, fetch_add, compare_swap };
  struct Piece { std::size_t offset; std::size_t bytes; };
  struct Parcel {
    Kind kind = Kind::write;
    Local local{};
    Remote remote{};
    std::size_t bytes = 0;
    Notify notify = Notify::none;
    Operation* operation = nullptr;
    AtomicOperation* atomic = nullptr;
    std::uint64_t operands[2] = {};
    std::vector<std::byte> copy;       // of a small source, or of a message
    std::vector<Piece> pieces;         // still to do, the next one last
    AtomicOperation inner;             // of the piece under way
    bool over = false;                 // all done, but not told yet
    std::uint32_t told_in = 0;         // steps
  };

  std::uint32_t dice(std::uint32_t sides) noexcept { return static_cast<std::uint32_t>(random_() % sides); }
  static bool is_ordered(const Parcel& parcel) noexcept { return parcel.kind == Kind::write || parcel.kind == Kind::send; }
  Outcome refusal(std::uint32_t operation) noexcept;
  Parcel& hold(Kind kind, std::size_t bytes);
  void cut_up(Parcel& parcel);
  bool advance(Parcel& parcel) noexcept;
  Outcome post_piece(Parcel& parcel, const Piece& piece) noexcept;
  void tell(Parcel& parcel, Status status) noexcept;
  bool follow() noexcept;

  Endpoint& inner_;
  const Caps& caps_;
  Random& random_;
  std::uint32_t opens_in_;             // steps after the inner endpoint is open
  std::list<Parcel> parcels_;          // in the order posted
};

}  // namespace weft::fabric::chaos
