// Record locks of the node's memory file.
#include "remote/alive.hpp"

#include <fcntl.h>

#include "boot/job.hpp"
#include "fabric/shm/port.hpp"
#include "match/engine.hpp"

namespace weft::remote {
namespace {

struct flock byte_of(int local_rank) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = local_rank;
  lock.l_len = 1;
  return lock;
}

}  // namespace

void claim_life() {
  fabric::shm::ShmPort* shm = match::engine().switchboard().shm();
  if (shm == nullptr) return;
  struct flock mine = byte_of(shm->memory().local_rank());
  (void)::fcntl(shm->memory().file().get(), F_SETLK, &mine);
}

bool is_gone(int world_rank) {
  fabric::shm::ShmPort* shm = match::engine().switchboard().shm();
  const int local_rank = shm == nullptr || world_rank == boot::job().rank ? -1 : shm->local_rank_of(world_rank);
  if (local_rank < 0) return false;
  struct flock theirs = byte_of(local_rank);
  return ::fcntl(shm->memory().file().get(), F_GETLK, &theirs) == 0 && theirs.l_type == F_UNLCK;
}

}  // namespace weft::remote
