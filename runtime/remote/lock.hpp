// A fair lock of the ranks of a communicator: tickets in the order of asking (Reed & Kanodia 1979), with an entry at the home for
// each ticket that is out, as in an array queue (Anderson 1990), so that it is known who holds the lock, waits, or gave up.
//
//   word 0       next ticket (upper half) and the one that is served (lower half)
//   word 1 + t % slots   the entry of ticket t: ticket, member, state
//
//   acquire      t = fetch_add(next); entry: empty -> holding if t is served, else -> waiting, and watch until it is;
//                then waiting -> holding
//   release      entry: holding -> empty for ticket t + slots; served: t -> t + 1; entries of those that gave up are
//                passed over; the next one waiting is rung
//   time limit   entry: waiting -> abandoned. The ticket keeps its place: who asks again before it is passed over, resumes it.
//                So a member has one ticket out at most, and there are slots enough.
//   recovery     who waits checks now and then whether all before it are gone (dead, or abandoned, or a holder past its
//                lease); it empties their entries and serves itself. All steps are compare-and-swaps of one word, so
//                whoever is slow instead of dead finds its step failing, never two holders.
//
// Without contention taking and giving back are two operations each. A waiter on the home's node watches mapped memory and
// is rung when its turn comes; one further off asks the less often the longer its way is. Threads of a rank take turns here.
// Under the runtime lock.
#pragma once

#include "remote/object.hpp"

namespace weft::remote {

enum class Taken : std::uint8_t { yes, recovered, no };
enum class Released : std::uint8_t { yes, not_held, expired };

class Lock final : public Object {
 public:
  static constexpr std::uint32_t magic_value = 0x57634c6b;
  std::uint32_t magic = magic_value;

  static std::size_t words_for(int members) noexcept;
  static std::uint64_t initial(std::size_t index, std::uint64_t) noexcept { return index == 0 ? 0 : (index - 1) << 32; }

  Lock(std::unique_ptr<Words> words, std::int64_t lease_ns);

  bool held_by_this_thread() const noexcept;
  // Not while this thread holds it. `recovered`: it is ours, and its last holder is gone without having given it back.
  Status acquire(std::int64_t limit_ns, Taken& taken);
  Status try_acquire(Taken& taken);
  Status release(Released& released);
  Status owner(int& member);           // -1: nobody

 private:
  struct Access;
  enum class State : std::uint8_t { empty, waiting, holding, abandoned };
  static std::uint64_t entry(std::uint32_t ticket, int member, State state) noexcept {
    return static_cast<std::uint64_t>(ticket) << 32 | static_cast<std::uint32_t>(member) << 8 | static_cast<std::uint32_t>(state);
  }
  static State state_of(std::uint64_t entry) noexcept { return static_cast<State>(entry & 0xff); }
  static int member_of(std::uint64_t entry) noexcept { return static_cast<int>(entry >> 8 & 0xffffff); }
  static std::uint32_t ticket_of(std::uint64_t entry) noexcept { return static_cast<std::uint32_t>(entry >> 32); }
  std::uint64_t mine(std::uint32_t ticket, State state) const noexcept { return entry(ticket, words().communicator().rank, state); }
  std::uint64_t free_entry(std::uint32_t ticket) const noexcept { return entry(ticket, 0, State::empty); }
  std::uint64_t emptied(std::uint32_t ticket) const noexcept { return free_entry(ticket + slots_); }
  std::size_t slot(std::uint32_t ticket) const noexcept { return 1 + ticket % slots_; }

  bool take_turn_here(std::int64_t limit_ns);
  void end_turn_here(Taken taken);
  Taken enter(Access& access, std::int64_t limit_ns, bool check_at_once);
  bool take_ticket(Access& access, std::uint32_t& ticket, bool& at_once);
  bool await(Access& access, std::uint32_t ticket, std::int64_t limit_ns, bool check_at_once, bool& recovered);
  bool leave(Access& access, std::uint32_t ticket);
  bool advance(Access& access, std::uint32_t ticket, std::uint32_t& next);
  void pass_on(Access& access, std::uint32_t ticket);
  bool is_gone(std::uint64_t entry, bool served);
  bool all_gone(Access& access, std::uint32_t ticket, std::uint32_t& served);
  bool clear_way(Access& access, std::uint32_t ticket, bool& recovered);

  std::uint32_t slots_;
  std::int64_t lease_ns_;              // 0: none
  bool busy_ = false;                  // a thread of this rank holds it, or is about to
  bool held_ = false;
  const void* thread_ = nullptr;       // that one, while held
  std::uint32_t ticket_ = 0;           // while held
  bool left_behind_ = false;           // a ticket abandoned and perhaps not yet passed over
  std::uint32_t left_ticket_ = 0;
  std::uint64_t observed_ = 0;         // the served entry as last seen by who waits, and since when it has been so
  std::int64_t observed_since_ns_ = 0;
};

}  // namespace weft::remote
