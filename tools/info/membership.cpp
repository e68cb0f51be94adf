// Joining and leaving the job; see membership.hpp.
#include "info/membership.hpp"

#include "boot/job.hpp"
#include "match/bring_up.hpp"
#include "os/options.hpp"

namespace weft::info {

Done Membership::join() {
  (void)os::load_options();   // mistakes are told by the section of options
  const Expected<boot::Job> job = boot::join();
  if (!job) return job.failure();
  joined_ = true;
  if (const Done up = match::bring_up(); !up) return up.failure();
  up_ = true;
  return Nothing{};
}

Membership::~Membership() {
  if (up_) match::take_down();
  if (joined_) boot::leave();
}

}  // namespace weft::info
