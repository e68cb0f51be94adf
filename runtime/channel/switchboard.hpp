// The switchboard: the ports this process has open, and for each peer the channel over the best of them. A channel is what
// a pair talks through: a send link, a receive link, and bulk reads where the fabric has them. Channels open at first use;
// both sides come to the same choice because it depends only on facts both know. One per process (tests make several).
// Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "channel/link.hpp"
#include "channel/paradigm.hpp"
#include "channel/push.hpp"
#include "fabric/port.hpp"
#include "fabric/self/port.hpp"
#include "fabric/shm/port.hpp"

namespace weft::channel {

struct Choice {
  const char* fabric;
  Paradigm paradigm;
  std::string reason;
};

// The links whose type the match floor knows, so that a small message costs no indirect call.
using DirectSender = PushSender<fabric::shm::PushTarget>;
using DirectReceiver = PushReceiver<fabric::shm::PushSource>;

struct Channel {
  std::unique_ptr<SendLink> out;
  std::unique_ptr<ReceiveLink> in;
  std::unique_ptr<Bulk> bulk;      // null where the fabric has none
  DirectSender* direct_out = nullptr;      // `out` and `in` where they are of these types
  DirectReceiver* direct_in = nullptr;
};

class Switchboard {
 public:
  Switchboard(int world_rank, std::string rules, std::unique_ptr<fabric::self::SelfPort> self, std::unique_ptr<fabric::shm::ShmPort> shm);

  // What carries the pair, and why; the same on both sides. Opens nothing.
  Expected<Choice> choose(int peer) const;
  Expected<Channel> open(int peer);

  const std::vector<fabric::Port*>& ports() const noexcept { return ports_; }
  fabric::shm::ShmPort* shm() const noexcept { return shm_.get(); }

 private:
  int world_rank_;
  std::string rules_;
  std::unique_ptr<fabric::self::SelfPort> self_;
  std::unique_ptr<fabric::shm::ShmPort> shm_;   // null when this process is alone or shm is not allowed
  std::vector<fabric::Port*> ports_;
};

}  // namespace weft::channel
