/* Every collective in its three forms (blocking, non-blocking, persistent), from one line of a test.
 * Values are pure functions of (rank, place), so that each rank computes the right answer by itself: the oracle shares
 * nothing with the library but the arguments. */
#ifndef WEFT_TESTS_FORMS_H
#define WEFT_TESTS_FORMS_H

#include "../check.h"

enum Form {
  blocking,
  nonblocking,
#if MPI_VERSION >= 4
  persistent,
#endif
  form_count
};

/* COLLECTIVE(form, Bcast, Ibcast, buffer, count, type, root, comm): the arguments without request and info. The persistent
 * form is started once here; persistent_restart starts again and again. */
#if MPI_VERSION >= 4
#define COLLECTIVE(form, Name, Iname, ...)                                         \
  do {                                                                             \
    MPI_Request collective_request = MPI_REQUEST_NULL;                             \
    if ((form) == blocking) {                                                      \
      CHECK_MPI(MPI_##Name(__VA_ARGS__));                                          \
    } else if ((form) == nonblocking) {                                            \
      CHECK_MPI(MPI_##Iname(__VA_ARGS__, &collective_request));                    \
      CHECK_MPI(MPI_Wait(&collective_request, MPI_STATUS_IGNORE));                 \
    } else {                                                                       \
      CHECK_MPI(MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &collective_request)); \
      CHECK_MPI(MPI_Start(&collective_request));                                   \
      CHECK_MPI(MPI_Wait(&collective_request, MPI_STATUS_IGNORE));                 \
      CHECK_MPI(MPI_Request_free(&collective_request));                            \
    }                                                                              \
  } while (0)
#else
#define COLLECTIVE(form, Name, Iname, ...)                          \
  do {                                                              \
    MPI_Request collective_request = MPI_REQUEST_NULL;              \
    if ((form) == blocking) {                                       \
      CHECK_MPI(MPI_##Name(__VA_ARGS__));                           \
    } else {                                                        \
      CHECK_MPI(MPI_##Iname(__VA_ARGS__, &collective_request));     \
      CHECK_MPI(MPI_Wait(&collective_request, MPI_STATUS_IGNORE));  \
    }                                                               \
  } while (0)
#endif

/* Element counts that touch each algorithm's sizes; FULL_COUNTS=1 in the environment adds the large ones. */
static const int counts_to_test[] = {0, 1, 2, 3, 17, 100, 1000, 5003, 40000, 300007, 1000000};
static inline int counts_tested(void)
{
  return getenv("FULL_COUNTS") ? 11 : job_size > 4 ? 8 : 9;
}

/* Every root for small counts; the first and the last for large ones, which cost time and take the same paths. */
static inline int root_tested(int root, int count)
{
  return count <= 1000 || root == 0 || root == job_size - 1;
}

/* What rank `rank` holds at `place`: small enough that sums over hundreds of ranks stay exact in an int. */
static inline int value_at(int rank, int place)
{
  return (rank * 131 + place * 17 + (place >> 7)) % 10007 - 3000;
}

static inline int* values_of(int rank, int first, int count)
{
  int* values = check_allocate((size_t)count * sizeof(int));
  for (int i = 0; i < count; ++i) values[i] = value_at(rank, first + i);
  return values;
}

/* `count` ints at `got` equal those of `rank` from `first` on. */
#define CHECK_VALUES(got, rank, first, count)                                                      \
  do {                                                                                             \
    for (int value_index = 0; value_index < (count); ++value_index)                                \
      CHECK_EQUAL((got)[value_index], value_at((rank), (first) + value_index));                    \
  } while (0)

/* Ints that no value_at gives, so that what was not written shows. */
enum { untouched = -77777 };
static inline int* untouched_ints(int count)
{
  int* values = check_allocate((size_t)count * sizeof(int));
  for (int i = 0; i < count; ++i) values[i] = untouched;
  return values;
}

#endif
