// The table of links over endpoints.
#include "channel/links.hpp"

#include "channel/message.hpp"
#include "channel/pull.hpp"
#include "channel/push_endpoint.hpp"
#include "channel/stream.hpp"

namespace weft::channel {
namespace {

using fabric::Operations;

constexpr LinkPlan plans[] = {
    {LinkType::push, fabric::op_write, true, EndpointPushSender::make, EndpointPushReceiver::make},
    {LinkType::pull, fabric::op_read | fabric::op_write, false, PullSender::make, PullReceiver::make},
    {LinkType::message, fabric::op_send, true, MessageSender::make, MessageReceiver::make},
    {LinkType::stream, fabric::op_stream, false, StreamSender::make, StreamReceiver::make},
};

struct OperationName { Operations operation; const char* name; };
constexpr OperationName operation_names[] = {
    {fabric::op_write, "write"}, {fabric::op_read, "read"}, {fabric::op_send, "send"}, {fabric::op_stream, "stream"}};

}  // namespace

const LinkPlan& link_plan(LinkType type) noexcept { return plans[static_cast<int>(type)]; }

const char* missing_operation(LinkType type, const fabric::Caps& caps) noexcept {
  for (const OperationName& entry : operation_names)
    if ((link_plan(type).needs & entry.operation) != 0 && !caps.has(entry.operation)) return entry.name;
  return nullptr;
}

}  // namespace weft::channel
