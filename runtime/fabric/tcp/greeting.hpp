// The words by which a connection becomes a lane of an endpoint. The caller proves that it knows the key in the card of the
// port it calls, so it is of the job; the port proves the same, so it is the right one and no host that happens to have its
// address. Nonces of both keep old greetings from being played again. `Opening`s go along, and in the end the lower rank of
// the two decides which connection is the lane, however many were made and by whom:
//
//   caller -> port: Hello      port -> caller: Answer      caller -> port: Confirm      port -> caller: Welcome
//   caller -> port: Commit, where the caller is the lower rank; else Welcome decides, and is said once a lane
//
// Pure data and hashes; any thread.
#pragma once

#include <array>
#include <cstdint>

#include "fabric/endpoint.hpp"
#include "os/keyed_hash.hpp"

namespace weft::fabric::tcp {

using Nonce = std::array<std::uint64_t, 2>;
using Proof = std::uint64_t;

struct Hello {
  static constexpr std::uint64_t magic_value = 0x3130706374746657;   // "Wfttcp01"
  std::uint64_t magic = magic_value;
  std::uint64_t port_id = 0;          // of the port called
  std::int32_t rank = -1;             // the caller's
  std::uint32_t lane = 0;
  Nonce nonce{};
  Proof proof = 0;
};
struct Answer {
  Nonce nonce{};
  Proof proof = 0;
};
struct Confirm {
  Opening opening{};
  Proof proof = 0;
};
using Welcome = Confirm;
struct Commit {
  Proof proof = 0;
};

// All proofs of one greeting: hashes of what has been said so far, each with a letter of its own.
struct Proofs {
  os::SecretKey key;                  // in the card of the port called
  Hello hello;
  Nonce answer_nonce{};

  Proof of_hello() const noexcept { return over('H', nullptr); }
  Proof of_answer() const noexcept { return over('A', nullptr); }
  Proof of_confirm(const Opening& opening) const noexcept { return over('C', &opening); }
  Proof of_welcome(const Opening& opening) const noexcept { return over('W', &opening); }
  Proof of_commit() const noexcept { return over('M', nullptr); }

 private:
  Proof over(char letter, const Opening* opening) const noexcept {
    struct {
      std::uint64_t letter;
      std::uint64_t port_id;
      std::int32_t rank;
      std::uint32_t lane;
      Nonce nonces[2];
      Opening opening;
    } text{static_cast<std::uint64_t>(letter), hello.port_id, hello.rank, hello.lane, {hello.nonce, letter == 'H' ? Nonce{} : answer_nonce}, {}};
    if (opening != nullptr) text.opening = *opening;
    return os::keyed_hash(key, &text, sizeof text);
  }
};

}  // namespace weft::fabric::tcp
