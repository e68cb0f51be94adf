// Ranks as threads: each has its own port, switchboard and engine, over one real memory file, so that the whole way of a
// message runs under the sanitizers without processes. run() starts them, joins them, and hands on what they assert.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "match/engine.hpp"

namespace weft::wire {

struct Rank {
  int number;
  int count;
  match::Engine& engine;

  // Blocking forms, for tests' sake.
  void send(int peer, int tag, const void* data, std::size_t bytes, std::uint64_t context = 8);
  std::size_t receive(int source, int tag, void* data, std::size_t bytes, std::uint64_t context = 8);
};

struct Setting {
  fabric::RingShape shape{256, 32768};
  std::string paradigm = "auto";
  std::string fabric = "shm";
  bool direct = true;
  std::string rendezvous = "auto";
  std::uint64_t chaos_seed = 0;        // 0: the fabric as it is
  match::Engine::LossHandler lost = nullptr;
};
void PrintTo(const Setting& setting, std::ostream* out);

// Every pairing of links that a fabric carries (its paradigms and the hybrids), for each fabric that opens on this machine.
std::vector<Setting> pairings(fabric::RingShape shape);
// Each rendezvous that can be demanded of a fabric between nodes, under a few of its pairings.
std::vector<Setting> rendezvous_settings(fabric::RingShape shape);

void run(int ranks, const Setting& setting, const std::function<void(Rank&)>& body);

}  // namespace weft::wire
