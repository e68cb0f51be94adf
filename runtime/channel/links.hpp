// The link types over endpoints: one line each in links.cpp. A link is made first, from its port's memory; what its end()
// says goes into the opening; then it is attached to the endpoint.
#pragma once

#include <memory>

#include "channel/link.hpp"
#include "channel/paradigm.hpp"
#include "fabric/port.hpp"
#include "os/expected.hpp"

namespace weft::channel {

struct LinkPlan {
  LinkType type;
  std::uint32_t needs;       // fabric::Operations
  bool behind_writes;        // a message is not seen before writes that were posted before it
  Expected<std::unique_ptr<SendLink>> (*make_sender)(fabric::Port& port, fabric::RingShape shape);
  Expected<std::unique_ptr<ReceiveLink>> (*make_receiver)(fabric::Port& port, fabric::RingShape shape);
};

const LinkPlan& link_plan(LinkType type) noexcept;

// The operations that a link of this type needs and the port lacks, in words; null when it lacks none.
const char* missing_operation(LinkType type, const fabric::Caps& caps) noexcept;

}  // namespace weft::channel
