/* A team of threads that run one function each and are joined; for the programs of this folder. */
#ifndef WEFT_TESTS_TEAM_H
#define WEFT_TESTS_TEAM_H

#include "../check.h"
#include <pthread.h>

enum { team_most = 16 };

typedef struct {
  int number;
  void (*work)(int number);
} Member;

static inline void* member_main(void* argument)
{
  const Member* member = argument;
  member->work(member->number);
  return NULL;
}

static inline void run_team(int threads, void (*work)(int number))
{
  pthread_t handles[team_most];
  Member members[team_most];
  for (int i = 0; i < threads; ++i) {
    members[i].number = i;
    members[i].work = work;
    CHECK_EQUAL(pthread_create(&handles[i], NULL, member_main, &members[i]), 0);
  }
  for (int i = 0; i < threads; ++i) CHECK_EQUAL(pthread_join(handles[i], NULL), 0);
}

#endif
