/* Attributes of communicators: predefined ones; copied on dup by the callbacks; deleted on free, on overwriting, at the end. */
#include "../check.h"

static int copies, deletes, refuse;

static int copy_doubled(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag)
{
  (void)comm, (void)keyval;
  CHECK(extra == &copies);
  ++copies;
  if (refuse) return MPI_ERR_OTHER;
  *flag = 1;
  *(int**)out = malloc(sizeof(int));
  **(int**)out = *(int*)in * 2;
  return MPI_SUCCESS;
}

static int delete_counted(MPI_Comm comm, int keyval, void* value, void* extra)
{
  (void)comm, (void)keyval, (void)extra;
  ++deletes;
  free(value);
  return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void predefined(void)
{
  int *value = NULL, flag = 0;
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
  CHECK(flag && *value >= 32767);
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
  CHECK(flag && (*value == 0 || *value == 1));
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
  CHECK(flag);
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
  CHECK(flag && *value >= MPI_ERR_LASTCODE);
  CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
  CHECK(!flag || *value >= job_size);
  CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, value), MPI_ERR_KEYVAL);
}

static int* boxed(int number)
{
  int* box = malloc(sizeof *box);
  *box = number;
  return box;
}

static void life(void)
{
  MPI_Comm comm, copy;
  int key, *value = NULL, flag = -1;
  copies = deletes = 0;
  CHECK_MPI(MPI_Comm_create_keyval(copy_doubled, delete_counted, &key, &copies));
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CHECK_MPI(MPI_Comm_get_attr(comm, key, &value, &flag));
  CHECK_EQUAL(flag, 0);
  CHECK_MPI(MPI_Comm_set_attr(comm, key, boxed(3)));
  CHECK_MPI(MPI_Comm_set_attr(comm, key, boxed(21)));
  CHECK_EQUAL(deletes, 1);
  CHECK_MPI(MPI_Comm_dup(comm, &copy));
  CHECK_EQUAL(copies, 1);
  CHECK_MPI(MPI_Comm_get_attr(copy, key, &value, &flag));
  CHECK(flag && *value == 42);
  int freed = key;
  CHECK_MPI(MPI_Comm_free_keyval(&freed));
  CHECK_EQUAL(freed, MPI_KEYVAL_INVALID);
  CHECK_MPI(MPI_Comm_free(&comm));
  CHECK_EQUAL(deletes, 2);
  CHECK_MPI(MPI_Comm_delete_attr(copy, key));
  CHECK_EQUAL(deletes, 3);
  CHECK_MPI(MPI_Comm_free(&copy));
  CHECK_EQUAL(deletes, 3);
}

/* A callback that fails stops the call, and its communicator is still there. */
static void refusals(void)
{
  MPI_Comm comm, copy = MPI_COMM_NULL;
  int key, rank;
  CHECK_MPI(MPI_Comm_create_keyval(copy_doubled, delete_counted, &key, &copies));
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CHECK_MPI(MPI_Comm_set_attr(comm, key, boxed(1)));
  refuse = 1;
  CHECK(MPI_Comm_dup(comm, &copy) != MPI_SUCCESS);
  refuse = 0;
  CHECK_MPI(MPI_Comm_rank(comm, &rank));
  CHECK_EQUAL(rank, my_rank);
  CHECK_MPI(MPI_Comm_free(&comm));
  CHECK_MPI(MPI_Comm_free_keyval(&key));
}

static void not_copied(void)
{
  MPI_Comm copy, split;
  int never, always, flag, marker, *value;
  CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &never, NULL));
  CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &always, NULL));
  CHECK_MPI(MPI_Comm_set_attr(MPI_COMM_WORLD, never, &marker));
  CHECK_MPI(MPI_Comm_set_attr(MPI_COMM_WORLD, always, &marker));
  CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &split));
  CHECK_MPI(MPI_Comm_get_attr(copy, never, &value, &flag));
  CHECK_EQUAL(flag, 0);
  CHECK_MPI(MPI_Comm_get_attr(copy, always, &value, &flag));
  CHECK(flag && value == &marker);
  CHECK_MPI(MPI_Comm_get_attr(split, always, &value, &flag));
  CHECK_EQUAL(flag, 0);
  CHECK_MPI(MPI_Comm_free(&copy));
  CHECK_MPI(MPI_Comm_free(&split));
  CHECK_MPI(MPI_Comm_delete_attr(MPI_COMM_WORLD, never));
  CHECK_MPI(MPI_Comm_delete_attr(MPI_COMM_WORLD, always));
  CHECK_MPI(MPI_Comm_free_keyval(&never));
  CHECK_MPI(MPI_Comm_free_keyval(&always));
  CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &marker), MPI_ERR_KEYVAL);
}

/* What MPI_Finalize does first: attributes of MPI_COMM_SELF, last set first, while MPI still works. */
static int ending = 3;
static int on_end(MPI_Comm comm, int keyval, void* value, void* extra)
{
  int finalized = 1, size = 0;
  (void)keyval, (void)extra;
  CHECK(comm == MPI_COMM_SELF);
  CHECK_EQUAL((MPI_Aint)value, ending);
  --ending;
  MPI_Finalized(&finalized);
  CHECK(!finalized);
  CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK_EQUAL(size, job_size);
  return MPI_SUCCESS;
}

int main(int argc, char** argv)
{
  int key;
  check_begin(&argc, &argv);
  predefined();
  life();
  refusals();
  not_copied();
  for (MPI_Aint i = 1; i <= 3; ++i) {
    CHECK_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &key, NULL));
    CHECK_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, key, (void*)i));
    CHECK_MPI(MPI_Comm_free_keyval(&key));
  }
  CHECK_MPI(MPI_Finalize());
  return ending == 0 ? 0 : 1;
}
