// The table of rendezvous, best first.
#include "channel/rendezvous.hpp"

#include <fmt/format.h>

#include "channel/links.hpp"

namespace weft::channel {
namespace {

struct Entry {
  const char* name;
  Rendezvous rendezvous;
  fabric::Operations needs;
  const char* operation;               // that, in words
  bool behind_writes;                  // its last message must not be seen before the writes
};
constexpr Entry table[] = {
    {"get", Rendezvous::get, fabric::op_read, "read", false},
    {"put", Rendezvous::put, fabric::op_write, "write", true},
    {"fragments", Rendezvous::fragments, fabric::Operations{}, "", false},
};

std::string lacking(const Entry& entry, LinkType type, const fabric::Caps& caps) {
  if (!caps.has(entry.needs)) return fmt::format("rendezvous {} needs a '{}' operation", entry.name, entry.operation);
  if (entry.behind_writes && !link_plan(type).behind_writes)
    return fmt::format("rendezvous {} needs a link whose messages stay behind writes, which a {} link does not promise", entry.name, link_name(type));
  return {};
}

}  // namespace

Expected<Rendezvous> rendezvous_over(LinkType type, const fabric::Caps& caps, std::string_view demanded) {
  std::string known = "auto";
  for (const Entry& entry : table) {
    known += fmt::format(", {}", entry.name);
    if (demanded != "auto" && demanded != entry.name) continue;
    const std::string lack = lacking(entry, type, caps);
    if (lack.empty()) return entry.rendezvous;
    if (demanded == entry.name) return Failure{Status::unsupported, lack};
  }
  return Failure{Status::bad_argument, fmt::format("rendezvous '{}': there are {}", demanded, known)};
}

}  // namespace weft::channel
