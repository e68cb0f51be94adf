/* With MPI_ERRORS_RETURN each wrong argument gives its class, prints nothing, and the job goes on; an own handler is
 * called once with the right communicator; handlers are inherited by dup (ER02). */
#include "../check.h"

static int handler_calls, handler_class;
static MPI_Comm handler_comm;

static void on_error(MPI_Comm* comm, int* code, ...)
{
  ++handler_calls;
  handler_comm = *comm;
  MPI_Error_class(*code, &handler_class);
}

static void wrong_arguments(MPI_Comm comm)
{
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, job_size, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, -77, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Recv(&value, 1, MPI_INT, job_size, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, -9, comm), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Isend(&value, -1, MPI_INT, 0, 0, comm, &request), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Bcast(&value, 1, MPI_INT, job_size, comm), MPI_ERR_ROOT);
  CHECK_CLASS(MPI_Allreduce(&value, &request, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
  CHECK_CLASS(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM);
}

static void still_works(MPI_Comm comm)
{
  int got = -1;
  CHECK_MPI(MPI_Sendrecv(&my_rank, 1, MPI_INT, (my_rank + 1) % job_size, 8, &got, 1, MPI_INT, MPI_ANY_SOURCE, 8, comm,
                         MPI_STATUS_IGNORE));
  CHECK_EQUAL(got, (my_rank + job_size - 1) % job_size);
}

static void own_handler(void)
{
  MPI_Comm comm, copy;
  MPI_Errhandler handler, found;
  int value = 0;
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CHECK_MPI(MPI_Comm_create_errhandler(on_error, &handler));
  CHECK_MPI(MPI_Comm_set_errhandler(comm, handler));
  CHECK_MPI(MPI_Comm_dup(comm, &copy));
  CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, job_size, 0, comm), MPI_ERR_RANK);
  CHECK_EQUAL(handler_calls, 1);
  CHECK_EQUAL(handler_class, MPI_ERR_RANK);
  CHECK(handler_comm == comm);
  CHECK_CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, copy), MPI_ERR_COUNT);
  CHECK_EQUAL(handler_calls, 2);
  CHECK(handler_comm == copy);
  CHECK_MPI(MPI_Comm_get_errhandler(copy, &found));
  CHECK(found == handler);
  CHECK_MPI(MPI_Errhandler_free(&found));
  CHECK_MPI(MPI_Errhandler_free(&handler));
  still_works(copy);
  CHECK_MPI(MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER));
  CHECK_EQUAL(handler_calls, 3);
  CHECK_MPI(MPI_Comm_free(&copy));
  CHECK_MPI(MPI_Comm_free(&comm));
}

int main(int argc, char** argv)
{
  MPI_Comm copy;
  check_begin(&argc, &argv);
  wrong_arguments(MPI_COMM_WORLD);
  still_works(MPI_COMM_WORLD);
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  wrong_arguments(copy);
  still_works(copy);
  CHECK_MPI(MPI_Comm_free(&copy));
  own_handler();
  return check_end();
}
