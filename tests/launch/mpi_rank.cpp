// An MPI rank that comes to a given end while the others wait for it in a given way: mpi_rank WAIT RANK:END. The ranks
// that are not named wait; END may be none.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

void wait_in(const std::string& how, int rank) {
  int number = 0;
  if (how == "barrier") MPI_Barrier(MPI_COMM_WORLD);
  if (how == "receive") MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (how == "allreduce") MPI_Allreduce(&rank, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (how == "ssend") MPI_Ssend(&number, 1, MPI_INT, rank == 0 ? 1 : 0, 2, MPI_COMM_WORLD);
  if (how == "finalize") return;
  if (how == "compute") for (;;) (void)::usleep(1000);
}

void end_as(const std::string& how) {
  const std::size_t equals = how.find('=');
  const int value = equals != std::string::npos ? std::atoi(how.c_str() + equals + 1) : 0;
  const std::string what = how.substr(0, equals);
  if (what == "exit") ::_exit(value);
  if (what == "return") { MPI_Finalize(); std::exit(value); }
  if (what == "abort") MPI_Abort(MPI_COMM_WORLD, value);
  if (what == "kill") (void)::raise(value);
  if (what == "segv") (void)::raise(SIGSEGV);
  if (what == "throw") throw std::runtime_error("thrown by the test");
  if (what == "late") (void)::usleep(static_cast<useconds_t>(value) * 1000);
  if (what == "bad") MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::printf("rank %d of %d\n", rank, size);
  std::fflush(stdout);
  const std::string wait = count > 1 ? arguments[1] : "finalize";
  const char* const end = count > 2 ? arguments[2] : "-1:none";
  MPI_Barrier(MPI_COMM_WORLD);
  if (std::atoi(end) == rank) end_as(std::strchr(end, ':') + 1);
  else wait_in(wait, rank);
  MPI_Finalize();
  return 0;
}
