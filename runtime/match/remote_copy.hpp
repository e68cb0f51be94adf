// A payload on its way over an endpoint by one-sided operations (remote_copy.cpp): read by its receiver, or written by its
// sender. Pooled; one thread at a time.
#pragma once

#include "fabric/endpoint.hpp"

namespace weft::match {

struct Peer;
class Receive;
class Send;

struct RemoteCopy {
  static constexpr int most_pieces = 4;   // in flight
  Peer* peer;
  Receive* receive;                       // ours, that reads; or
  Send* send;                             // ours, that writes
  fabric::Region region;                  // of our memory
  fabric::Remote remote;                  // and of the peer's
  std::uint64_t twin;                     // the peer's name for its end of the transfer
  std::size_t bytes;
  std::size_t posted_bytes;
  bool told;                              // the peer knows that it is over
  Status status;
  fabric::Operation pieces[most_pieces];
  RemoteCopy* next_free;
};

}  // namespace weft::match
