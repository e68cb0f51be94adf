/* Error handlers: inherited by every new communicator, freed while in use, changed inside the handler; the program's own
 * classes and codes; words for every class. */
#include "../check.h"

static int calls, last_code;
static MPI_Comm last_comm;

static void note(MPI_Comm* comm, int* code, ...)
{
  ++calls;
  last_code = *code;
  last_comm = *comm;
}

static void note_and_leave(MPI_Comm* comm, int* code, ...)
{
  note(comm, code);
  MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
}

static int fail_on(MPI_Comm comm)
{
  int value = 0, code, class;
  code = MPI_Send(&value, 1, MPI_INT, job_size + 5, 0, comm);
  CHECK(code != MPI_SUCCESS);
  CHECK_MPI(MPI_Error_class(code, &class));
  return class;
}

static void inherited(void)
{
  MPI_Comm base, made[3];
  MPI_Group group;
  MPI_Errhandler handler, found;
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &base));
  CHECK_MPI(MPI_Comm_create_errhandler(note, &handler));
  CHECK_MPI(MPI_Comm_set_errhandler(base, handler));
  CHECK_MPI(MPI_Errhandler_free(&handler));
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK_MPI(MPI_Comm_group(base, &group));
  CHECK_MPI(MPI_Comm_dup(base, &made[0]));
  CHECK_MPI(MPI_Comm_split(base, 0, 0, &made[1]));
  CHECK_MPI(MPI_Comm_create(base, group, &made[2]));
  CHECK_MPI(MPI_Group_free(&group));
  CHECK_MPI(MPI_Comm_free(&base));
  for (int i = 0; i < 3; ++i) {
    calls = 0;
    CHECK_EQUAL(fail_on(made[i]), MPI_ERR_RANK);
    CHECK_EQUAL(calls, 1);
    CHECK(last_comm == made[i]);
    CHECK_MPI(MPI_Comm_get_errhandler(made[i], &found));
    CHECK_MPI(MPI_Errhandler_free(&found));
    CHECK_EQUAL(fail_on(made[i]), MPI_ERR_RANK);
    CHECK_EQUAL(calls, 2);
    CHECK_MPI(MPI_Comm_free(&made[i]));
  }
}

static void changed_inside(void)
{
  MPI_Comm comm;
  MPI_Errhandler handler, found;
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CHECK_MPI(MPI_Comm_create_errhandler(note_and_leave, &handler));
  CHECK_MPI(MPI_Comm_set_errhandler(comm, handler));
  CHECK_MPI(MPI_Errhandler_free(&handler));
  calls = 0;
  CHECK_EQUAL(fail_on(comm), MPI_ERR_RANK);
  CHECK_EQUAL(fail_on(comm), MPI_ERR_RANK);
  CHECK_EQUAL(calls, 1);
  CHECK_MPI(MPI_Comm_get_errhandler(comm, &found));
  CHECK(found == MPI_ERRORS_RETURN);
  CHECK_MPI(MPI_Errhandler_free(&found));
  CHECK_MPI(MPI_Comm_free(&comm));
}

static void own_codes(void)
{
  MPI_Comm comm;
  MPI_Errhandler handler;
  char words[MPI_MAX_ERROR_STRING];
  int class, code, got, length, *last, flag;
  CHECK_MPI(MPI_Add_error_class(&class));
  CHECK_MPI(MPI_Add_error_code(class, &code));
  CHECK(class > MPI_ERR_LASTCODE && code != class);
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
  CHECK(flag && *last >= class);
  CHECK_MPI(MPI_Add_error_string(code, "the well is dry"));
  CHECK_MPI(MPI_Error_class(code, &got));
  CHECK_EQUAL(got, class);
  CHECK_MPI(MPI_Error_string(code, words, &length));
  CHECK(strcmp(words, "the well is dry") == 0);
  CHECK_EQUAL(length, strlen(words));
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CHECK_MPI(MPI_Comm_create_errhandler(note, &handler));
  CHECK_MPI(MPI_Comm_set_errhandler(comm, handler));
  CHECK_MPI(MPI_Errhandler_free(&handler));
  calls = 0;
  CHECK_MPI(MPI_Comm_call_errhandler(comm, code));
  CHECK_EQUAL(calls, 1);
  CHECK_EQUAL(last_code, code);
  CHECK(last_comm == comm);
  CHECK_MPI(MPI_Comm_free(&comm));
}

static void words_of_all(void)
{
  const int some[] = {MPI_SUCCESS, MPI_ERR_BUFFER, MPI_ERR_TAG, MPI_ERR_TRUNCATE, MPI_ERR_IN_STATUS, MPI_ERR_WIN, MPI_ERR_KEYVAL,
                      MPI_ERR_NO_MEM, MPI_ERR_RMA_SYNC, MPI_ERR_FILE};
  char words[MPI_MAX_ERROR_STRING];
  int length, class;
  for (size_t i = 0; i < sizeof some / sizeof *some; ++i) {
    CHECK_MPI(MPI_Error_string(some[i], words, &length));
    CHECK(length > 0 && length == (int)strlen(words));
    CHECK_MPI(MPI_Error_class(some[i], &class));
    CHECK_EQUAL(class, some[i]);
  }
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  inherited();
  changed_inside();
  own_codes();
  words_of_all();
  return check_end();
}
