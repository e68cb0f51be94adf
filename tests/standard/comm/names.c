/* Names of communicators, their info, and asking what kind they are. */
#include "../check.h"

static void name_is(MPI_Comm comm, const char* want)
{
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  memset(name, '#', sizeof name);
  CHECK_MPI(MPI_Comm_get_name(comm, name, &length));
  CHECK(strcmp(name, want) == 0);
  CHECK_EQUAL(length, strlen(want));
}

static void hints(MPI_Comm comm)
{
  MPI_Info given, found;
  MPI_Comm copy;
  CHECK_MPI(MPI_Info_create(&given));
  CHECK_MPI(MPI_Info_set(given, "mpi_assert_no_any_tag", "false"));
  CHECK_MPI(MPI_Comm_set_info(comm, given));
  CHECK_MPI(MPI_Comm_get_info(comm, &found));
  CHECK(found != MPI_INFO_NULL && found != given);
  CHECK_MPI(MPI_Info_free(&found));
  CHECK_MPI(MPI_Comm_dup_with_info(comm, given, &copy));
  CHECK_MPI(MPI_Comm_get_info(copy, &found));
  CHECK(found != MPI_INFO_NULL);
  CHECK_MPI(MPI_Info_free(&found));
  CHECK_MPI(MPI_Info_free(&given));
  CHECK_MPI(MPI_Comm_free(&copy));
}

int main(int argc, char** argv)
{
  char longest[MPI_MAX_OBJECT_NAME];
  MPI_Comm comm;
  int flag = -1;
  check_begin(&argc, &argv);
  name_is(MPI_COMM_WORLD, "MPI_COMM_WORLD");
  name_is(MPI_COMM_SELF, "MPI_COMM_SELF");
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  name_is(comm, "");
  CHECK_MPI(MPI_Comm_set_name(comm, "halo exchange"));
  name_is(comm, "halo exchange");
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = 0;
  CHECK_MPI(MPI_Comm_set_name(comm, longest));
  name_is(comm, longest);
  CHECK_MPI(MPI_Comm_test_inter(comm, &flag));
  CHECK_EQUAL(flag, 0);
  hints(comm);
  CHECK_MPI(MPI_Comm_free(&comm));
  return check_end();
}
