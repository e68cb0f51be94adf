/* What every program of tests/standard opens with: start and end of a job, and checks that name file, line, rank and
 * values. The first failed check ends the whole job with exit code 1, so that a failure never turns into a hang.
 * Plain MPI C, nothing of weft: the programs run on any MPI. Checks may be called from any thread. */
#ifndef WEFT_TESTS_CHECK_H
#define WEFT_TESTS_CHECK_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int my_rank = -1;
static int job_size = 0;

static inline void check_fail(const char* file, int line, const char* text)
{
  fprintf(stderr, "%s:%d: rank %d of %d: %s\n", file, line, my_rank, job_size, text);
  fflush(NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _Exit(1);
}

static inline void check_true(int holds, const char* expression, const char* file, int line)
{
  char text[400];
  if (holds) return;
  snprintf(text, sizeof text, "does not hold: %s", expression);
  check_fail(file, line, text);
}

static inline void check_equal(long long got, long long want, const char* expression, const char* file, int line)
{
  char text[400];
  if (got == want) return;
  snprintf(text, sizeof text, "%s is %lld, expected %lld", expression, got, want);
  check_fail(file, line, text);
}

/* The call's error class is `want`; MPI_SUCCESS is class 0. */
static inline void check_class(int code, int want, const char* expression, const char* file, int line)
{
  char text[MPI_MAX_ERROR_STRING + 400], words[MPI_MAX_ERROR_STRING] = "";
  int got = MPI_SUCCESS, length = 0;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &got);
  if (got == want) return;
  MPI_Error_string(code, words, &length);
  snprintf(text, sizeof text, "%s gives error class %d, expected %d (%s)", expression, got, want, words);
  check_fail(file, line, text);
}

#define CHECK(expression) check_true(!!(expression), #expression, __FILE__, __LINE__)
#define CHECK_EQUAL(got, want) check_equal((long long)(got), (long long)(want), #got, __FILE__, __LINE__)
#define CHECK_CLASS(call, want) check_class((call), (want), #call, __FILE__, __LINE__)
#define CHECK_MPI(call) check_class((call), MPI_SUCCESS, #call, __FILE__, __LINE__)

/* Fields of a status, in one line. */
#define CHECK_STATUS(status, source, tag)         \
  do {                                            \
    CHECK_EQUAL((status).MPI_SOURCE, (source));   \
    CHECK_EQUAL((status).MPI_TAG, (tag));         \
  } while (0)

/* Errors return: the checks above are what judges them. */
static inline void check_begin_level(int* argc, char*** argv, int level)
{
  int provided = -1;
  if (level == MPI_THREAD_SINGLE) MPI_Init(argc, argv);
  else MPI_Init_thread(argc, argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (level != MPI_THREAD_SINGLE) CHECK_EQUAL(provided, level);
}

static inline void check_begin(int* argc, char*** argv)
{
  check_begin_level(argc, argv, MPI_THREAD_SINGLE);
}

static inline int check_end(void)
{
  CHECK_MPI(MPI_Finalize());
  return 0;
}

static inline void* check_allocate(size_t bytes)
{
  void* memory = calloc(bytes ? bytes : 1, 1);
  CHECK(memory != NULL);
  return memory;
}

/* A byte pattern that differs with the seed and does not repeat with any power of two. */
static inline unsigned char pattern_byte(int seed, size_t index)
{
  return (unsigned char)((index * 131u + (index >> 8) * 17u + (unsigned)seed * 29u + 7u) % 251u);
}

static inline void pattern_fill(void* memory, size_t bytes, int seed)
{
  unsigned char* out = memory;
  for (size_t i = 0; i < bytes; ++i) out[i] = pattern_byte(seed, i);
}

/* Index of the first byte that differs from the pattern, `bytes` when none does. */
static inline size_t pattern_match(const void* memory, size_t bytes, int seed)
{
  const unsigned char* in = memory;
  for (size_t i = 0; i < bytes; ++i)
    if (in[i] != pattern_byte(seed, i)) return i;
  return bytes;
}

#define CHECK_PATTERN(memory, bytes, seed) CHECK_EQUAL(pattern_match((memory), (bytes), (seed)), (bytes))

/* Small deterministic random numbers, the same on every machine. */
static inline unsigned random_next(unsigned* state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* "VmHWM:" (peak) or "VmRSS:" of this process in KiB, from /proc/self/status; 0 where there is none. */
static inline long process_memory_kib(const char* field)
{
  char line[200];
  long kib = 0;
  FILE* file = fopen("/proc/self/status", "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, field, strlen(field))) kib = strtol(line + strlen(field), NULL, 10);
  fclose(file);
  return kib;
}

#endif
