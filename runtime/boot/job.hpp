// Who is in the job, and the cards by which ranks find each other. A rank is a plain PMIx client: it boots under weftrun,
// srun --mpi=pmix, PRRTE and mpirun alike; without a PMIx environment it is alone, at once, and PMIx is never touched.
// Called by one thread (the one inside init, finalize or a lazy connect); job() may be read by any thread after join().
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "os/clock.hpp"
#include "os/expected.hpp"

namespace weft::boot {

struct Job {
  int rank = 0;                       // in the world
  int size = 1;
  int local_rank = 0;                 // among the ranks of this node, by ascending world rank
  int local_size = 1;
  std::vector<int> local_peers{0};    // world ranks on this node, ascending, self included
  int program = 0;                    // which of the job's programs this is (MPI_APPNUM); -1 where the launcher doesn't tell
  int universe_size = 1;              // processes the launcher has room for (MPI_UNIVERSE_SIZE); -1 where it doesn't tell
  std::string name;                   // the PMIx namespace; "alone" without one
  std::string host;                   // this node, as the launcher calls it
  bool alone = true;                  // no launcher: a job of one
};

// Joins the job once; later calls answer the same. Leaves signals, mask, affinity and environment as they were.
Expected<Job> join();
const Job& job() noexcept;            // a job of one before join()

// Cards: put any number, fence once, then get those of any rank. A fence gathers the cards of all ranks and is a barrier.
Done put_card(std::string_view key, std::string_view bytes);
Done fence();
// A fence without cards that does not wait: `over` is called from another thread when all ranks have come, or when there is
// nobody left to wait for. One at a time.
void begin_fence(std::function<void()> over);
Expected<std::string> get_card(int world_rank, std::string_view key, os::Deadline deadline);

// The node a rank runs on, as its launcher calls it.
Expected<std::string> host_of(int world_rank);

// Ends the whole job. The message is told once: by weftrun where that launched us, else by this rank.
// lost_rank: the one whose loss is the reason; weftrun tells of its end instead, if it hears of it.
[[noreturn]] void abort(int code, std::string_view message, int lost_rank = -1) noexcept;

// Says goodbye to the launcher, so that the exit that follows is no failure. No barrier. Nothing else may follow.
void leave() noexcept;

}  // namespace weft::boot
