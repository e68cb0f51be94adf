// The side channel: how two ports get to know each other before an endpoint opens. Each side greets the other with the number
// of its queue pair and its Opening until it knows that the other has heard, and the other until it knows that too. Both at
// once is normal, and so is a greeting from a peer that we have not opened yet: it waits, and poll_contact() tells.
// Greetings are repeated for as long as it takes: a peer that computes does not answer, and is not dead; one that is dead the
// launcher tells of. Threads: one at a time.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "fabric/verbs/datagram_queue.hpp"

namespace weft::fabric::verbs {

struct Greeting {
  std::uint32_t queue;                 // number of the queue pair that is to be connected
  std::uint32_t unused;
  Opening opening;
};

// The endpoint's side of it.
class Greeted {
 public:
  virtual void heard(const Greeting& theirs) noexcept = 0;       // may fail the endpoint
  virtual void ready() noexcept = 0;                             // both sides are: open
  virtual bool is_lost() const noexcept = 0;

 protected:
  ~Greeted() = default;
};

class SideChannel {
 public:
  explicit SideChannel(DatagramQueue& queue) noexcept : queue_(queue) {}

  // Begins to greet. The peer's Greeted is told from within handle() and begin().
  void begin(int peer, const Route& route, const Greeting& ours, Greeted& endpoint);
  void handle(const DatagramHead& head, const Greeting& greeting);
  int poll_contact() noexcept;

  bool is_busy() const noexcept { return !unfinished_.empty(); }
  std::int64_t due_ns() const noexcept;                          // of the next repetition; INT64_MAX: none
  void repeat(std::int64_t now_ns) noexcept;                     // those that are due

 private:
  struct Contact {
    int peer = 0;
    Route route{};
    Greeting ours{};
    Greeted* endpoint = nullptr;             // null: we have not opened our side
    std::unique_ptr<Greeting> early;         // what came before that
    std::uint8_t early_flags = 0;
    bool heard = false;
    bool finished = false;
    std::int64_t due_ns = 0;
    std::int64_t pause_ns = 0;
  };

  void take(Contact& contact, std::uint8_t flags, const Greeting& theirs);
  void greet(const Contact& contact) noexcept;

  DatagramQueue& queue_;
  std::unordered_map<int, Contact> contacts_;
  std::vector<Contact*> unfinished_;
  std::vector<int> fresh_;                   // peers whose greeting nobody has been told of
};

}  // namespace weft::fabric::verbs
