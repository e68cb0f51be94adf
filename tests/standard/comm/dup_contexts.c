/* A duplicate is congruent to its parent and a world of messages of its own, also many generations on, also for idup. */
#include "../check.h"

enum { generations = 40 };

static void separate(MPI_Comm a, MPI_Comm b)
{
  int left = (my_rank + job_size - 1) % job_size, right = (my_rank + 1) % job_size, from_a = -1, from_b = -1;
  int for_a = 100 + my_rank, for_b = 200 + my_rank;
  MPI_Request requests[2];
  CHECK_MPI(MPI_Isend(&for_a, 1, MPI_INT, right, 5, a, &requests[0]));
  CHECK_MPI(MPI_Isend(&for_b, 1, MPI_INT, right, 5, b, &requests[1]));
  CHECK_MPI(MPI_Recv(&from_b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, b, MPI_STATUS_IGNORE));
  CHECK_MPI(MPI_Recv(&from_a, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, a, MPI_STATUS_IGNORE));
  CHECK_EQUAL(from_a, 100 + left);
  CHECK_EQUAL(from_b, 200 + left);
  CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void many_generations(void)
{
  MPI_Comm kept[generations], parent = MPI_COMM_WORLD;
  int result;
  for (int i = 0; i < generations; ++i) {
    CHECK_MPI(MPI_Comm_dup(parent, &kept[i]));
    CHECK_MPI(MPI_Comm_compare(parent, kept[i], &result));
    CHECK_EQUAL(result, MPI_CONGRUENT);
    separate(kept[i], parent);
    if (i % 3 == 0) parent = kept[i];
  }
  for (int i = 0; i < generations; ++i) {
    CHECK_MPI(MPI_Comm_free(&kept[i]));
    CHECK(kept[i] == MPI_COMM_NULL);
  }
}

static void many_at_once(void)
{
  MPI_Comm kept[generations];
  MPI_Request requests[generations];
  int size, rank;
  for (int i = 0; i < generations; ++i) CHECK_MPI(MPI_Comm_idup(MPI_COMM_WORLD, &kept[i], &requests[i]));
  CHECK_MPI(MPI_Waitall(generations, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < generations; ++i) {
    CHECK_MPI(MPI_Comm_size(kept[i], &size));
    CHECK_MPI(MPI_Comm_rank(kept[i], &rank));
    CHECK_EQUAL(size, job_size);
    CHECK_EQUAL(rank, my_rank);
    separate(kept[i], i > 0 ? kept[i - 1] : MPI_COMM_WORLD);
  }
  for (int i = 0; i < generations; ++i) CHECK_MPI(MPI_Comm_free(&kept[i]));
}

/* The blocking call overtakes one in the background on the same communicator. */
static void background_and_blocking(void)
{
  MPI_Comm slow, quick;
  MPI_Request request;
  CHECK_MPI(MPI_Comm_idup(MPI_COMM_WORLD, &slow, &request));
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &quick));
  separate(quick, MPI_COMM_WORLD);
  CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  separate(slow, quick);
  CHECK_MPI(MPI_Comm_free(&slow));
  CHECK_MPI(MPI_Comm_free(&quick));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  many_generations();
  many_at_once();
  background_and_blocking();
  return check_end();
}
