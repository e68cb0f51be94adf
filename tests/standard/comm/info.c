/* Info objects: set, replace, ask, enumerate, copy, delete; texts that don't fit; errors. */
#include "../check.h"

static void roundtrip(void)
{
  MPI_Info info, copy;
  char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY];
  int flag, count, length;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_MPI(MPI_Info_set(info, "first", "1"));
  CHECK_MPI(MPI_Info_set(info, "second", "two words"));
  CHECK_MPI(MPI_Info_set(info, "first", "replaced"));
  CHECK_MPI(MPI_Info_get_nkeys(info, &count));
  CHECK_EQUAL(count, 2);
  CHECK_MPI(MPI_Info_get_nthkey(info, 0, key));
  CHECK(strcmp(key, "first") == 0);
  CHECK_MPI(MPI_Info_dup(info, &copy));
  CHECK_MPI(MPI_Info_delete(info, "first"));
  CHECK_MPI(MPI_Info_get(info, "first", MPI_MAX_INFO_VAL, value, &flag));
  CHECK_EQUAL(flag, 0);
  CHECK_MPI(MPI_Info_get(copy, "first", MPI_MAX_INFO_VAL, value, &flag));
  CHECK(flag && strcmp(value, "replaced") == 0);
  CHECK_MPI(MPI_Info_get_valuelen(copy, "second", &length, &flag));
  CHECK(flag && length == 9);
  CHECK_MPI(MPI_Info_get(copy, "second", 3, value, &flag));
  CHECK(flag && strcmp(value, "two") == 0);
  CHECK_MPI(MPI_Info_free(&info));
  CHECK_MPI(MPI_Info_free(&copy));
  CHECK(info == MPI_INFO_NULL);
}

static void longest(void)
{
  MPI_Info info;
  char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL], got[MPI_MAX_INFO_VAL];
  int flag;
  memset(key, 'k', sizeof key);
  memset(value, 'v', sizeof value);
  key[sizeof key - 1] = value[sizeof value - 1] = 0;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_MPI(MPI_Info_set(info, key, value));
  CHECK_MPI(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, got, &flag));
  CHECK(flag && strcmp(got, value) == 0);
  CHECK_MPI(MPI_Info_free(&info));
}

#if MPI_VERSION >= 4
static void get_string(void)
{
  MPI_Info info;
  char value[20];
  int length = 0, flag;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_MPI(MPI_Info_set(info, "key", "0123456789"));
  CHECK_MPI(MPI_Info_get_string(info, "key", &length, value, &flag));
  CHECK(flag && length == 11);
  length = 5;
  CHECK_MPI(MPI_Info_get_string(info, "key", &length, value, &flag));
  CHECK(flag && length == 11 && strcmp(value, "0123") == 0);
  length = sizeof value;
  CHECK_MPI(MPI_Info_get_string(info, "key", &length, value, &flag));
  CHECK(flag && strcmp(value, "0123456789") == 0);
  CHECK_MPI(MPI_Info_get_string(info, "none", &length, value, &flag));
  CHECK(!flag);
  CHECK_MPI(MPI_Info_free(&info));
}
#endif

static void environment(void)
{
  char value[MPI_MAX_INFO_VAL + 1];
  int flag, keys = -1;
  CHECK_MPI(MPI_Info_get_nkeys(MPI_INFO_ENV, &keys));
  CHECK(keys >= 0);
  CHECK_MPI(MPI_Info_get(MPI_INFO_ENV, "thread_level", MPI_MAX_INFO_VAL, value, &flag));
  CHECK(!flag || strncmp(value, "MPI_THREAD_", 11) == 0);
}

static void errors(void)
{
  MPI_Info info, none = MPI_INFO_NULL;
  char key[MPI_MAX_INFO_KEY + 1];
  int count;
  memset(key, 'k', sizeof key);
  key[sizeof key - 1] = 0;
  CHECK_MPI(MPI_Info_create(&info));
  CHECK_CLASS(MPI_Info_set(info, key, "v"), MPI_ERR_INFO_KEY);
  CHECK_CLASS(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
  CHECK_CLASS(MPI_Info_set(info, "k", ""), MPI_ERR_INFO_VALUE);
  CHECK_CLASS(MPI_Info_delete(info, "none"), MPI_ERR_INFO_NOKEY);
  CHECK_CLASS(MPI_Info_get_nkeys(none, &count), MPI_ERR_INFO);
  CHECK_CLASS(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG);
  CHECK_MPI(MPI_Info_free(&info));
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  roundtrip();
  longest();
#if MPI_VERSION >= 4
  get_string();
#endif
  environment();
  errors();
  return check_end();
}
