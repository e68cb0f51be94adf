// weft-info as a member of the job it was started in: all ranks bring the runtime up together, as MPI_Init would, so that what
// rank 0 tells of the job is what a program would get. Alone it touches no launcher. One per process, main thread.
#pragma once

#include "os/expected.hpp"

namespace weft::info {

class Membership {
 public:
  // Collective over the job.
  Done join();
  ~Membership();

 private:
  bool joined_ = false;
  bool up_ = false;
};

}  // namespace weft::info
