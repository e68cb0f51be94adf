// A payload on its way by reads over an endpoint (remote_read.cpp). Pooled; one thread at a time.
#pragma once

#include "fabric/endpoint.hpp"

namespace weft::match {

struct Peer;
class Receive;

struct RemoteRead {
  static constexpr int most_pieces = 4;   // in flight
  Peer* peer;
  Receive* receive;
  fabric::Region region;                  // where it goes
  fabric::Remote from;
  std::uint64_t sender;                   // the peer's name for the send
  std::size_t bytes;
  std::size_t posted_bytes;
  Status status;
  fabric::Operation pieces[most_pieces];
  RemoteRead* next_free;
};

}  // namespace weft::match
