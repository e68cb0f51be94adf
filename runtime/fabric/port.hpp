// Port: a fabric opened by this process: what it can do, what others must know to reach us, whom we reach, memory it can
// move, endpoints towards peers, and how a waiter sleeps on it. A fabric is a folder with a class derived from this and one
// line in fabrics.cpp. What a fabric does not have, it leaves to the answers here (unsupported).
// Threads: one at a time. A port outlives its endpoints and regions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fabric/caps.hpp"
#include "fabric/endpoint.hpp"
#include "os/clock.hpp"
#include "os/expected.hpp"

namespace weft::fabric {

class Port {
 public:
  virtual ~Port() = default;
  virtual const char* name() const noexcept = 0;
  virtual const Caps& caps() const noexcept = 0;

  // ---- start. card(): what peers must know, published before the job's fence; empty when there is nothing to tell.
  // connect(): after the fence; first_card is the card of the node's first rank.
  virtual std::string card() const { return {}; }
  virtual Done connect(const std::string& first_card, os::Deadline deadline);
  // Whom we reach, in memory and at once: peers known without their card (the node's), and those whose card says so. Both
  // sides must come to the same answer. An empty card: the peer has no such port.
  virtual bool knows(int world_rank) const noexcept { (void)world_rank; return false; }
  virtual bool reaches(std::string_view peer_card) const noexcept { (void)peer_card; return false; }

  // ---- memory. allocate(): zeroed, line-aligned, for links: peers may write, read and do atomics. expose(): memory of
  // the program, for as long as one transfer lasts; may be served from a cache; Status::unsupported where the fabric can't.
  virtual Expected<Region> allocate(std::size_t bytes);
  virtual void free(const Region& region) noexcept;
  virtual Status expose(void* address, std::size_t bytes, Region& region) noexcept;
  virtual void conceal(const Region& region) noexcept;

  // ---- endpoints. open() begins to connect and returns at once, in state `opening`; progress is made in poll(). Both
  // sides open: one at its first use, the other because poll_contact() told it to; both at once is normal.
  virtual Expected<Endpoint*> open(int world_rank, const std::string& peer_card, const Opening& ours);
  // World rank of a peer that has opened its side since the last call, or -1. Bounded; called once a progress turn.
  virtual int poll_contact() noexcept = 0;
  // Completions, arrivals, connections under way. Bounded; true when anything moved.
  virtual bool poll() noexcept { return false; }
  virtual bool has_poll() const noexcept { return false; }     // false: poll() never has anything to do
  virtual std::size_t max_message_bytes() const noexcept { return 0; }

  // ---- sleeping. prepare_sleep() makes later arrivals ring; after one more look at everything, the caller sleeps or not, and
  // then calls cancel_sleep(). A caller with one port sleeps in sleep(); one with several sleeps in epoll on all wait_fd()s.
  virtual void prepare_sleep() noexcept = 0;
  virtual void cancel_sleep() noexcept = 0;
  virtual void sleep(std::int64_t timeout_ns) noexcept = 0;    // returns on an arrival, on the time limit, or early
  virtual int wait_fd() noexcept { return -1; }                           // readable when an arrival rang after prepare_sleep(); -1: none can
  // Rings for this process itself, to end a sleep() of another of its threads.
  virtual void wake_self() noexcept = 0;

  // Do the peers of this port and we run on fewer cores than we are? Then waiting must give the core away at once.
  virtual bool crowded() noexcept { return false; }
};

}  // namespace weft::fabric
