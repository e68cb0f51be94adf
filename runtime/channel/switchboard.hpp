// The switchboard: the ports this process has open, and for each peer the channel over the best of them. A channel is what
// a pair talks through: a send link, a receive link, and bulk reads where the fabric has them. Channels open at first use;
// both sides come to the same choice because it depends only on facts both know. One per process (tests make several).
// Threads: one at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "channel/choice.hpp"
#include "channel/link.hpp"
#include "channel/paradigm.hpp"
#include "channel/push.hpp"
#include "channel/rendezvous.hpp"
#include "channel/wires.hpp"
#include "fabric/port.hpp"
#include "fabric/self/port.hpp"
#include "fabric/shm/port.hpp"

namespace weft::channel {

struct Choice {
  fabric::Port* port;
  const char* fabric;
  Paradigm paradigm;
  std::string reason;
  Rendezvous rendezvous[2]{};          // of requests and of replies, over an endpoint
};

// The links whose type the match floor knows, so that a small message costs no indirect call.
using DirectSender = PushSender<fabric::shm::PushTarget>;
using DirectReceiver = PushReceiver<fabric::shm::PushSource>;

struct Channel {
  Wires wires;
  std::unique_ptr<SendLink> out;
  std::unique_ptr<ReceiveLink> in;
  std::unique_ptr<Bulk> bulk;              // null where the fabric has none
  Rendezvous rendezvous_out = Rendezvous::get;   // over an endpoint: of what we send
  Rendezvous rendezvous_in = Rendezvous::get;    // and of what we receive
  fabric::Endpoint* endpoint = nullptr;    // what the links are attached to; null for direct ones
  std::size_t eager_bytes = 0;             // so long messages are better sent at once, whatever the usual limit
  DirectSender* direct_out = nullptr;      // `out` and `in` where they are of these types
  DirectReceiver* direct_in = nullptr;
};

// A rank's card (cards.hpp), once the job has fenced.
using CardSource = std::function<Expected<std::string>(int world_rank)>;

struct SwitchboardPlan {
  int world_rank = 0;
  std::string rules = "auto";              // WEFT_PARADIGM
  Hints hints{};
  std::string rendezvous = "auto";         // WEFT_RENDEZVOUS
  std::string settings;                    // what the choice rests on (cards.hpp)
  fabric::RingShape shape{128, 16384};     // of rings over endpoints
  bool direct = true;                      // shm's write-write may be the direct one
  CardSource cards;
};

class Switchboard {
 public:
  // Ports in order of preference, connected; self is not among them.
  Switchboard(SwitchboardPlan plan, std::unique_ptr<fabric::self::SelfPort> self, std::vector<std::unique_ptr<fabric::Port>> ports);
  ~Switchboard();

  // What carries the pair, and why; the same on both sides. Opens nothing.
  Expected<Choice> choose(int peer) const;
  Expected<Channel> open(int peer);
  // An endpoint without links, for remote memory. The same one again when asked again.
  Expected<fabric::Endpoint*> open_bare(int peer, fabric::Port& port);

  fabric::Port* port(std::string_view name) const noexcept;                     // null when it is not open
  bool reaches(int peer, fabric::Port& port) const;
  const std::vector<fabric::Port*>& ports() const noexcept { return ports_; }   // self first
  fabric::shm::ShmPort* shm() const noexcept { return shm_; }                   // null when there is none

 private:
  Expected<Choice> choose_paradigm(int peer, fabric::Port& port) const;
  Expected<Choice> choose_rendezvous(int peer, Choice choice) const;
  Expected<std::string_view> card_of(int peer) const;
  Expected<std::string> part_of_card(int peer, const fabric::Port& port) const;     // empty where the port needs none
  Expected<Channel> open_direct(int peer);
  Expected<Channel> open_endpoint(int peer, const Choice& choice);

  SwitchboardPlan plan_;
  std::unique_ptr<fabric::self::SelfPort> self_;
  std::vector<std::unique_ptr<fabric::Port>> owned_;
  std::vector<fabric::Port*> ports_;
  fabric::shm::ShmPort* shm_ = nullptr;
  mutable std::vector<std::pair<int, std::string>> cards_;   // those asked for so far, by rank
  struct Bare {
    int peer;
    fabric::Port* port;
    fabric::Endpoint* endpoint;
  };
  std::vector<Bare> bare_;
};

}  // namespace weft::channel
