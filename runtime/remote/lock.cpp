// Taking a lock and giving it back; what becomes of those who are gone is lock_recovery.cpp.
#include "remote/lock.hpp"

#include <bit>

#include "remote/lock_access.hpp"
#include "remote/watch.hpp"

namespace weft::remote {
namespace {

constexpr std::uint64_t one_ticket = std::uint64_t{1} << 32;
constexpr std::int64_t check_period_ns = 50'000'000;     // whether those before us still live
constexpr std::uint32_t most_scaled_distance = 64;

thread_local char this_thread = 0;     // its address names the thread

std::uint32_t slots_for(int members) noexcept { return std::bit_ceil(2 * static_cast<std::uint32_t>(members)); }

}  // namespace

std::size_t Lock::words_for(int members) noexcept { return 1 + slots_for(members); }

Lock::Lock(std::unique_ptr<Words> words, std::int64_t lease_ns) : Object(std::move(words)), lease_ns_(lease_ns) {
  slots_ = slots_for(this->words().communicator().size);
}

bool Lock::held_by_this_thread() const noexcept { return held_ && thread_ == &this_thread; }

bool Lock::take_turn_here(std::int64_t limit_ns) {
  if (busy_ && !wait_until(limit_ns, [this] { return !busy_; })) return false;
  return busy_ = true;
}

void Lock::end_turn_here(Taken taken) {
  held_ = busy_ = taken != Taken::no;
  thread_ = &this_thread;
  if (!busy_) match::engine().stir();
}

Status Lock::acquire(std::int64_t limit_ns, Taken& taken) {
  taken = Taken::no;
  if (!take_turn_here(limit_ns)) return Status::ok;
  Access access{words()};
  taken = enter(access, limit_ns, false);
  end_turn_here(taken);
  return access.status;
}

// Takes no ticket unless that gives the lock: it is free, or all who have one are gone.
Status Lock::try_acquire(Taken& taken) {
  taken = Taken::no;
  if (busy_) return Status::ok;
  busy_ = true;
  Access access{words()};
  const std::uint64_t tickets = access.read(0);
  const std::uint32_t ticket = next_of(tickets);
  std::uint32_t served = 0;
  if (left_behind_) {
    taken = enter(access, limit_at(0), true);
  } else if (access.ok() && ticket == served_of(tickets)) {
    if (access.swap(0, tickets, tickets + one_ticket) && access.swap(slot(ticket), free_entry(ticket), mine(ticket, State::holding))) {
      ticket_ = ticket;
      taken = Taken::yes;
    }
  } else if (access.ok() && all_gone(access, ticket, served)) {
    taken = enter(access, limit_at(0), true);
  }
  end_turn_here(taken);
  return access.status;
}

bool Lock::take_ticket(Access& access, std::uint32_t& ticket, bool& at_once) {
  at_once = false;
  if (left_behind_) {
    left_behind_ = false;
    ticket = left_ticket_;
    if (access.swap(slot(ticket), mine(ticket, State::abandoned), mine(ticket, State::waiting))) return true;
  }
  while (access.ok()) {
    const std::uint64_t tickets = access.add(0, one_ticket);
    ticket = next_of(tickets);
    at_once = ticket == served_of(tickets);
    // failing: we were so slow that the ticket was taken for a dead rank's
    if (access.swap(slot(ticket), free_entry(ticket), mine(ticket, at_once ? State::holding : State::waiting))) return true;
  }
  return false;
}

Taken Lock::enter(Access& access, std::int64_t limit_ns, bool check_at_once) {
  bool at_once = false;
  while (take_ticket(access, ticket_, at_once)) {
    if (at_once) return Taken::yes;
    bool recovered = false;
    const bool mine_now = await(access, ticket_, limit_ns, check_at_once, recovered);
    const Taken how = recovered ? Taken::recovered : Taken::yes;
    if (!access.ok()) break;
    if (!mine_now) return leave(access, ticket_) ? how : Taken::no;
    if (access.swap(slot(ticket_), mine(ticket_, State::waiting), mine(ticket_, State::holding))) return how;
  }
  return Taken::no;
}

bool Lock::await(Access& access, std::uint32_t ticket, std::int64_t limit_ns, bool check_at_once, bool& recovered) {
  std::int64_t check_ns = check_at_once ? 0 : os::now_ns() + check_period_ns;
  std::uint32_t distance = 1;
  const auto look = [&] {
    const std::uint32_t served = served_of(access.read(0));
    if (!access.ok() || served == ticket) return true;
    distance = ticket - served;
    const std::int64_t now = os::now_ns();
    if (now < check_ns) return false;
    check_ns = now + check_period_ns;
    return clear_way(access, ticket, recovered);
  };
  if (look()) return access.ok();
  Pace pace;
  distance = std::min(distance, most_scaled_distance);
  pace.look_again_ns = check_period_ns;
  pace.shortest_pause_ns *= distance;
  pace.longest_pause_ns *= std::min(distance, 8U);
  return watch(words(), pace, limit_ns, look) && access.ok();
}

// Our time is over. True: the lock came to us at the last moment.
bool Lock::leave(Access& access, std::uint32_t ticket) {
  if (!access.swap(slot(ticket), mine(ticket, State::waiting), mine(ticket, State::abandoned))) return false;
  if (served_of(access.read(0)) == ticket && access.swap(slot(ticket), mine(ticket, State::abandoned), mine(ticket, State::holding))) return true;
  left_behind_ = true;
  left_ticket_ = ticket;
  return false;
}

Status Lock::release(Released& released) {
  released = Released::not_held;
  if (!held_) return Status::ok;
  Access access{words()};
  if (access.swap(slot(ticket_), mine(ticket_, State::holding), emptied(ticket_))) {
    released = Released::yes;
    pass_on(access, ticket_);
  } else {
    released = Released::expired;
  }
  end_turn_here(Taken::no);
  return access.status;
}

// Served: ticket -> the next one. False when somebody else has done it. `next`: the ticket that will be given next.
bool Lock::advance(Access& access, std::uint32_t ticket, std::uint32_t& next) {
  std::uint64_t tickets = tickets_of(ticket + 1, ticket);
  for (;;) {
    std::uint64_t found = 0;
    next = next_of(tickets);
    if (access.swap(0, tickets, tickets_of(next, ticket + 1), found)) return true;
    if (!access.ok() || served_of(found) != ticket) return false;
    tickets = found;
  }
}

// After this ticket's entry was emptied: passes over those who gave up, and rings the next.
void Lock::pass_on(Access& access, std::uint32_t ticket) {
  std::uint32_t next = 0;
  while (advance(access, ticket, next)) {
    if (++ticket == next) return;
    for (bool skipped = false; !skipped;) {
      const std::uint64_t found = access.read(slot(ticket));
      if (!access.ok()) return;
      if (found == emptied(ticket)) break;
      if (ticket_of(found) != ticket) return;
      if (state_of(found) == State::waiting) words().ring(member_of(found));
      if (state_of(found) != State::abandoned) return;
      skipped = access.swap(slot(ticket), found, emptied(ticket));
    }
  }
}

Status Lock::owner(int& member) {
  constexpr int looks = 100;           // a ticket has just been taken, or passed on
  Access access{words()};
  member = -1;
  for (int look = 0; look < looks && access.ok(); ++look) {
    const std::uint64_t tickets = access.read(0);
    if (next_of(tickets) == served_of(tickets)) break;
    const std::uint64_t found = access.read(slot(served_of(tickets)));
    if (ticket_of(found) != served_of(tickets)) continue;
    if (state_of(found) != State::holding && state_of(found) != State::waiting) continue;
    member = member_of(found);
    break;
  }
  return access.status;
}

}  // namespace weft::remote
