// weft-info paradigms: the table of paradigms, and the choice for each peer of this rank with its reason.
#include "channel/paradigm.hpp"

#include <fmt/format.h>

#include <string>

#include "boot/job.hpp"
#include "info/sections.hpp"
#include "match/engine.hpp"

namespace weft::info {
namespace {

// The lower rank of a pair serves, the higher is its client; a hybrid has no name but its two verbs.
std::string name_of(const channel::Paradigm& paradigm) {
  return fmt::format("{}-{}", channel::link_verb(paradigm.request), channel::link_verb(paradigm.reply));
}

Facts peers_of_this_rank() {
  Facts table = Facts::array();
  for (int peer = 0; peer < boot::job().size; ++peer) {
    const Expected<channel::Choice> choice = match::engine().switchboard().choose(peer);
    if (choice) table.push_back({{"peer", peer}, {"fabric", choice->fabric}, {"paradigm", name_of(choice->paradigm)}, {"reason", choice->reason}});
    else table.push_back({{"peer", peer}, {"fabric", "none"}, {"paradigm", "none"}, {"reason", choice.failure().note}});
  }
  return table;
}

}  // namespace

Facts gather_paradigms() {
  Facts table = Facts::array();
  for (const channel::Paradigm& paradigm : channel::paradigms())
    table.push_back({{"paradigm", paradigm.name},
                     {"request", channel::link_name(paradigm.request)},
                     {"reply", channel::link_name(paradigm.reply)},
                     {"suits", paradigm.suits}});
  return {{"table", table}, {fmt::format("peers of rank {} of {}", boot::job().rank, boot::job().size), peers_of_this_rank()}};
}

}  // namespace weft::info
