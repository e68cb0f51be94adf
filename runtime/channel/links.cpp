// The table of links over endpoints.
#include "channel/links.hpp"

namespace weft::channel {
namespace {

using fabric::Operations;

template <class Link>
Expected<std::unique_ptr<Link>> not_there(fabric::Port& port, fabric::RingShape) {
  return Failure{Status::unsupported, std::string("no such link over the ") + port.name() + " fabric"};
}

constexpr LinkPlan plans[] = {
    {LinkType::push, fabric::op_write, not_there<SendLink>, not_there<ReceiveLink>},
    {LinkType::pull, fabric::op_read | fabric::op_write, not_there<SendLink>, not_there<ReceiveLink>},
    {LinkType::message, fabric::op_send, not_there<SendLink>, not_there<ReceiveLink>},
    {LinkType::stream, fabric::op_stream, not_there<SendLink>, not_there<ReceiveLink>},
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
