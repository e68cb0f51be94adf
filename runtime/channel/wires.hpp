// What the two links of a pair share: two-sided messages and byte streams run both ways on one endpoint, and each way's credit
// travels with the other's traffic. Made by the first link that is attached and needs it; lives as long as the channel.
#pragma once

#include <memory>

#include "channel/message.hpp"
#include "channel/stream.hpp"

namespace weft::channel {

struct Wires {
  std::unique_ptr<MessageWire> message;
  std::unique_ptr<StreamWire> stream;
};

}  // namespace weft::channel
