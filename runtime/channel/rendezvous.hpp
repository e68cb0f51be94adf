// How the payload of an announced message travels over an endpoint: read by its receiver (get), written by its sender into
// the receiver's buffer (put), or through the link in fragments. Fixed for each direction of a pair when it opens, from what
// both sides know. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "channel/link.hpp"
#include "fabric/caps.hpp"
#include "os/expected.hpp"

namespace weft::channel {

enum class Rendezvous : std::uint8_t { get, put, fragments };

// demanded: the option rendezvous; "auto" takes the first of the three that the link and the caps carry. The failure names what
// a demanded one lacks, or what there is.
Expected<Rendezvous> rendezvous_over(LinkType type, const fabric::Caps& caps, std::string_view demanded);

}  // namespace weft::channel
