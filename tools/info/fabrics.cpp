// weft-info fabrics: each fabric this build knows, whether the options allow it, and what it can do.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "fabric/fabrics.hpp"
#include "fabric/self/port.hpp"
#include "info/sections.hpp"
#include "os/options.hpp"

namespace weft::info {
namespace {

struct OperationName { fabric::Operations operation; const char* name; };
constexpr OperationName operation_names[] = {
    {fabric::op_write, "write"},           {fabric::op_write_immediate, "write-immediate"},
    {fabric::op_read, "read"},             {fabric::op_fetch_add, "fetch-add"},
    {fabric::op_compare_swap, "compare-swap"}, {fabric::op_send, "send"},
    {fabric::op_stream, "stream"}};

std::string operations_text(const fabric::Caps& caps) {
  std::string text;
  for (const OperationName& entry : operation_names) {
    if (!caps.has(entry.operation)) continue;
    if (!text.empty()) text += ',';
    text += entry.name;
  }
  return text;
}

const char* scope_name(fabric::AtomicScope scope) {
  switch (scope) {
    case fabric::AtomicScope::none: return "none";
    case fabric::AtomicScope::port: return "port";
    case fabric::AtomicScope::memory: return "memory";
  }
  return "";
}

bool fabric_allowed(std::string_view name) {
  std::string_view list = os::option_text("fabrics");
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == name) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

Facts row(const char* name, const std::string& state, const fabric::Caps& caps) {
  return {{"fabric", name},
          {"state", state},
          {"operations", operations_text(caps)},
          {"inline bytes", caps.max_inline_bytes == SIZE_MAX ? Facts("any") : Facts(caps.max_inline_bytes)},
          {"in order", caps.in_order_placement},
          {"atomics", scope_name(caps.atomic_scope)},
          {"sleeps", caps.wait_handle},
          {"latency ns", caps.latency_ns},
          {"GB/s", caps.bytes_per_ns}};
}

constexpr fabric::RingShape smallest_ring{64, 4096};

// Opened for this process alone, so that the answer is what this machine grants and not what a table says.
Facts row_of(const fabric::Fabric& fabric) {
  fabric::Circumstances circumstances;
  circumstances.shape = smallest_ring;
  circumstances.job = "weft-info";
  const Expected<std::unique_ptr<fabric::Port>> port = fabric.open(circumstances);
  if (!port) return row(fabric.name, port.failure().note, {});
  const Done connected = (*port)->connect((*port)->card(), os::Deadline::in_ms(1000));
  if (!connected) return row(fabric.name, connected.failure().note, {});
  return row(fabric.name, fabric_allowed(fabric.name) ? "opens" : "opens; not allowed by WEFT_FABRICS", (*port)->caps());
}

}  // namespace

Facts gather_fabrics() {
  Facts table = Facts::array();
  fabric::self::SelfPort self(0, smallest_ring);
  table.push_back(row("self", "opens", self.caps()));
  for (const fabric::Fabric& fabric : fabric::fabrics()) table.push_back(row_of(fabric));
  return table;
}

}  // namespace weft::info
