// Tickets of those who will not come: dead ranks, holders past their lease, tickets taken and never entered.
#include <vector>

#include "os/clock.hpp"
#include "remote/alive.hpp"
#include "remote/lock_access.hpp"

namespace weft::remote {
namespace {

// Between taking a ticket and entering it a rank may die without a trace. Being slow is no harm: it takes another.
constexpr std::int64_t nameless_limit_ns = 2'000'000'000;

}  // namespace

bool Lock::is_gone(std::uint64_t entry, bool served) {
  const std::int64_t now = os::now_ns();
  if (served && entry != observed_) {
    observed_ = entry;
    observed_since_ns_ = now;
  }
  const std::int64_t unchanged_ns = served ? now - observed_since_ns_ : 0;
  switch (state_of(entry)) {
    case State::empty: return unchanged_ns >= nameless_limit_ns;
    case State::abandoned: return true;
    case State::waiting: break;
    case State::holding:
      if (lease_ns_ != 0 && unchanged_ns >= lease_ns_) return true;
      break;
  }
  return remote::is_gone(words().communicator().peers[member_of(entry)]);
}

// Are all gone who come before this ticket? `served`: the first of them.
bool Lock::all_gone(Access& access, std::uint32_t ticket, std::uint32_t& served) {
  served = served_of(access.read(0));
  for (std::uint32_t before = served; before != ticket && access.ok(); ++before) {
    const std::uint64_t found = access.read(slot(before));
    if (found == emptied(before)) continue;        // it is through, but nobody served the next yet
    if (ticket_of(found) != before || !is_gone(found, before == served)) return false;
  }
  return access.ok();
}

// Empties the entries of those before this ticket if all are gone, the holder's last, so that the lock comes to nobody but
// us once that one is out; then serves this ticket. True: it is served.
bool Lock::clear_way(Access& access, std::uint32_t ticket, bool& recovered) {
  std::uint32_t served = 0;
  if (!all_gone(access, ticket, served)) return false;
  for (std::uint32_t before = ticket; before != served;) {
    --before;
    const std::uint64_t found = access.read(slot(before));
    if (found == emptied(before)) continue;
    if (ticket_of(found) != before || !is_gone(found, before == served)) return false;
    if (!access.swap(slot(before), found, emptied(before))) return false;
    recovered |= state_of(found) == State::holding;
  }
  std::uint32_t next = 0;
  for (std::uint32_t before = served; before != ticket; ++before) (void)advance(access, before, next);
  return access.ok() && served_of(access.read(0)) == ticket;
}

}  // namespace weft::remote
