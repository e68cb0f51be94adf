// The paradigms: how a pair of ranks talks, as two link types. The lower rank of a pair serves, the higher is its client;
// `request` carries client to server, `reply` server to client. The six of the paper have names of their own in the table;
// any other pairing is a hybrid and is written the same way (write-send). Pure data; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "channel/link.hpp"
#include "os/expected.hpp"

namespace weft::channel {

struct Paradigm {
  const char* name;
  LinkType request;
  LinkType reply;
  const char* suits;
};

std::span<const Paradigm> paradigms() noexcept;
const char* link_name(LinkType type) noexcept;       // push, pull, message, stream
const char* link_verb(LinkType type) noexcept;       // write, read, send, socket: the paper's words

// "write-read" or any hybrid; the failure lists what there is.
Expected<Paradigm> parse_paradigm(std::string_view name);

// The paradigm that a rule text ("auto", "write-write", "0:*=write-read,*=auto") gives for a pair; auto is not resolved:
// `automatic` is then true.
struct Demand {
  bool automatic = true;
  Paradigm paradigm{};
};
Expected<Demand> demanded(std::string_view rules, int rank, int peer);

}  // namespace weft::channel
