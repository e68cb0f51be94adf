/* Alltoallv and alltoallw with random sparse matrices, rows and columns all zero, types of size 0 against count 0, and
 * MPI_DATATYPE_NULL where the count is 0 (CO08). */
#include "forms.h"

/* Both sides draw the same matrix: ints from `from` to `to` in this round. */
static int drawn(int from, int to, int round)
{
  unsigned state = (unsigned)(from * 7919 + to * 104729 + round * 15485863);
  random_next(&state);
  if ((from + round) % 3 == 0 || (to + round) % 5 == 0) return 0; /* a whole row, a whole column */
  return random_next(&state) % 4 ? 0 : (int)(random_next(&state) % 200);
}

static void sparse(int form, int round, int with_types)
{
  const size_t list = (size_t)job_size * sizeof(int);
  int *send_counts = check_allocate(list), *send_places = check_allocate(list);
  int *get_counts = check_allocate(list), *get_places = check_allocate(list);
  MPI_Datatype* send_types = check_allocate((size_t)job_size * sizeof(MPI_Datatype));
  MPI_Datatype* get_types = check_allocate((size_t)job_size * sizeof(MPI_Datatype));
  const int unit = with_types ? (int)sizeof(int) : 1;
  int sent_total = 0, got_total = 0;
  for (int peer = 0; peer < job_size; ++peer) {
    send_counts[peer] = drawn(my_rank, peer, round);
    get_counts[peer] = drawn(peer, my_rank, round);
    send_places[peer] = sent_total * unit;
    get_places[peer] = got_total * unit;
    sent_total += send_counts[peer];
    got_total += get_counts[peer];
    send_types[peer] = MPI_INT;
    get_types[peer] = MPI_INT;
  }
  int *sent = sent_total ? values_of(my_rank, 0, sent_total) : NULL, *got = got_total ? untouched_ints(got_total) : NULL;
  for (int peer = 0; peer < job_size; ++peer)
    for (int i = 0; i < send_counts[peer]; ++i) sent[send_places[peer] / unit + i] = value_at(my_rank, peer * 100 + i);
  if (with_types)
    COLLECTIVE(form, Alltoallw, Ialltoallw, sent, send_counts, send_places, send_types, got, get_counts, get_places, get_types, MPI_COMM_WORLD);
  else
    COLLECTIVE(form, Alltoallv, Ialltoallv, sent, send_counts, send_places, MPI_INT, got, get_counts, get_places, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < job_size; ++peer)
    CHECK_VALUES(got + get_places[peer] / unit, peer, my_rank * 100, get_counts[peer]);
  free(sent);
  free(got);
  free(send_counts);
  free(send_places);
  free(get_counts);
  free(get_places);
  free(send_types);
  free(get_types);
}

/* One side has three elements of an empty type, the other none of int: the same nothing. */
static void empty_against_none(int form, MPI_Datatype empty)
{
  const size_t list = (size_t)job_size * sizeof(int);
  int *send_counts = check_allocate(list), *get_counts = check_allocate(list), *places = check_allocate(list), data[4] = {0};
  MPI_Datatype* send_types = check_allocate((size_t)job_size * sizeof(MPI_Datatype));
  MPI_Datatype* get_types = check_allocate((size_t)job_size * sizeof(MPI_Datatype));
  int got[4] = {0};
  for (int peer = 0; peer < job_size; ++peer) {
    send_counts[peer] = my_rank == 0 ? 3 : 0;
    send_types[peer] = my_rank == 0 ? empty : MPI_INT;
    get_types[peer] = MPI_INT;
  }
  COLLECTIVE(form, Alltoallv, Ialltoallv, data, send_counts, places, my_rank == 0 ? empty : MPI_INT, got, get_counts, places, MPI_INT, MPI_COMM_WORLD);
  COLLECTIVE(form, Alltoallw, Ialltoallw, data, send_counts, places, send_types, got, get_counts, places, get_types, MPI_COMM_WORLD);
  free(send_counts);
  free(get_counts);
  free(places);
  free(send_types);
  free(get_types);
}

int main(int argc, char** argv)
{
  MPI_Datatype empty;
  check_begin(&argc, &argv);
  CHECK_MPI(MPI_Type_contiguous(0, MPI_INT, &empty));
  CHECK_MPI(MPI_Type_commit(&empty));
  for (int form = 0; form < form_count; ++form) {
    for (int round = 0; round < 30; ++round) {
      sparse(form, round, 0);
      sparse(form, round, 1);
    }
    empty_against_none(form, empty);
  }
  CHECK_MPI(MPI_Type_free(&empty));
  return check_end();
}
