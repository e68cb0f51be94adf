// weft-info paradigms: the table of paradigms, and in a job the choice for each peer with its reason.
#include "channel/paradigm.hpp"

#include "info/sections.hpp"

namespace weft::info {

Facts gather_paradigms() {
  Facts table = Facts::array();
  for (const channel::Paradigm& paradigm : channel::paradigms())
    table.push_back({{"paradigm", paradigm.name},
                     {"request", channel::link_name(paradigm.request)},
                     {"reply", channel::link_name(paradigm.reply)},
                     {"suits", paradigm.suits}});
  return {{"table", table}};
}

}  // namespace weft::info
