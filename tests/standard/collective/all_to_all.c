/* Allgather(v) and alltoall(v/w): every form and count, in place and not, unlike block lengths, gaps, strided types. */
#include "forms.h"

/* What `from` sends to `to`: its own values, starting at a place that depends on both. */
static int first_of(int from, int to)
{
  return (from * 7 + to * 13) % 1000;
}

static int length_of(int from, int to, int count)
{
  return (from + 2 * to) % 4 == 1 ? 0 : count + (from + to) % 3; /* symmetric in no way */
}

static void allgather(int form, int count, int in_place)
{
  int* mine = values_of(my_rank, 0, count);
  int* all = untouched_ints(count * job_size + 1);
  if (in_place) {
    memcpy(all + my_rank * count, mine, (size_t)count * sizeof(int));
    COLLECTIVE(form, Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, MPI_COMM_WORLD);
  } else {
    COLLECTIVE(form, Allgather, Iallgather, mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  }
  for (int rank = 0; rank < job_size; ++rank) CHECK_VALUES(all + rank * count, rank, 0, count);
  CHECK_EQUAL(all[count * job_size], untouched);
  free(mine);
  free(all);
}

static void allgatherv(int form, int count, int in_place)
{
  int* lengths = check_allocate((size_t)job_size * sizeof(int));
  int* places = check_allocate((size_t)job_size * sizeof(int));
  int end = 0;
  for (int rank = job_size - 1; rank >= 0; --rank) {
    lengths[rank] = length_of(rank, 0, count);
    places[rank] = end;
    end += lengths[rank] + 1;
  }
  int* mine = values_of(my_rank, 0, lengths[my_rank]);
  int* all = untouched_ints(end);
  if (in_place) {
    memcpy(all + places[my_rank], mine, (size_t)lengths[my_rank] * sizeof(int));
    COLLECTIVE(form, Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, lengths, places, MPI_INT, MPI_COMM_WORLD);
  } else {
    COLLECTIVE(form, Allgatherv, Iallgatherv, mine, lengths[my_rank], MPI_INT, all, lengths, places, MPI_INT, MPI_COMM_WORLD);
  }
  for (int rank = 0; rank < job_size; ++rank) {
    CHECK_VALUES(all + places[rank], rank, 0, lengths[rank]);
    CHECK_EQUAL(all[places[rank] + lengths[rank]], untouched);
  }
  free(lengths);
  free(places);
  free(mine);
  free(all);
}

static void alltoall(int form, int count, int in_place)
{
  int* sent = untouched_ints(count * job_size);
  int* got = untouched_ints(count * job_size + 1);
  for (int to = 0; to < job_size; ++to)
    for (int i = 0; i < count; ++i) sent[to * count + i] = value_at(my_rank, first_of(my_rank, to) + i);
  if (in_place) {
    memcpy(got, sent, (size_t)(count * job_size) * sizeof(int));
    COLLECTIVE(form, Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, count, MPI_INT, MPI_COMM_WORLD);
  } else {
    COLLECTIVE(form, Alltoall, Ialltoall, sent, count, MPI_INT, got, count, MPI_INT, MPI_COMM_WORLD);
  }
  for (int from = 0; from < job_size; ++from) CHECK_VALUES(got + from * count, from, first_of(from, my_rank), count);
  CHECK_EQUAL(got[count * job_size], untouched);
  free(sent);
  free(got);
}

/* Lists of lengths and places for v and w; in place needs the same length both ways. */
typedef struct { int *sent, *got, *send_lengths, *send_places, *get_lengths, *get_places; } Exchange;

static Exchange make_exchange(int count, int in_place)
{
  const size_t list = (size_t)job_size * sizeof(int);
  Exchange e = {NULL, NULL, check_allocate(list), check_allocate(list), check_allocate(list), check_allocate(list)};
  int send_end = 0, get_end = 0;
  for (int k = 0; k < job_size; ++k) {
    const int peer = (k * (job_size > 1 ? job_size - 1 : 1)) % job_size; /* some other order */
    const int low = peer < my_rank ? peer : my_rank, high = peer < my_rank ? my_rank : peer;
    e.send_lengths[peer] = in_place ? length_of(low, high, count) : length_of(my_rank, peer, count);
    e.get_lengths[peer] = in_place ? e.send_lengths[peer] : length_of(peer, my_rank, count);
    e.send_places[peer] = send_end;
    e.get_places[peer] = get_end;
    send_end += e.send_lengths[peer] + 1;
    get_end += e.get_lengths[peer] + 2;
  }
  e.sent = untouched_ints(send_end);
  e.got = untouched_ints(get_end);
  for (int to = 0; to < job_size; ++to)
    for (int i = 0; i < e.send_lengths[to]; ++i) {
      const int value = value_at(my_rank, first_of(my_rank, to) + i);
      e.sent[e.send_places[to] + i] = value;
      if (in_place) e.got[e.get_places[to] + i] = value;
    }
  return e;
}

static void check_exchange(Exchange* e)
{
  for (int from = 0; from < job_size; ++from) {
    CHECK_VALUES(e->got + e->get_places[from], from, first_of(from, my_rank), e->get_lengths[from]);
    CHECK_EQUAL(e->got[e->get_places[from] + e->get_lengths[from]], untouched);
  }
  free(e->sent);
  free(e->got);
  free(e->send_lengths);
  free(e->send_places);
  free(e->get_lengths);
  free(e->get_places);
}

static void alltoallv(int form, int count, int in_place)
{
  Exchange e = make_exchange(count, in_place);
  if (in_place)
    COLLECTIVE(form, Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, e.got, e.get_lengths, e.get_places, MPI_INT, MPI_COMM_WORLD);
  else
    COLLECTIVE(form, Alltoallv, Ialltoallv, e.sent, e.send_lengths, e.send_places, MPI_INT, e.got, e.get_lengths, e.get_places, MPI_INT, MPI_COMM_WORLD);
  check_exchange(&e);
}

static void alltoallw(int form, int count, int in_place)
{
  Exchange e = make_exchange(count, in_place);
  MPI_Datatype* types = check_allocate((size_t)job_size * sizeof(MPI_Datatype));
  for (int peer = 0; peer < job_size; ++peer) {
    types[peer] = MPI_INT;
    e.send_places[peer] *= (int)sizeof(int); /* w places are in bytes */
    e.get_places[peer] *= (int)sizeof(int);
  }
  if (in_place)
    COLLECTIVE(form, Alltoallw, Ialltoallw, MPI_IN_PLACE, NULL, NULL, NULL, e.got, e.get_lengths, e.get_places, types, MPI_COMM_WORLD);
  else
    COLLECTIVE(form, Alltoallw, Ialltoallw, e.sent, e.send_lengths, e.send_places, types, e.got, e.get_lengths, e.get_places, types, MPI_COMM_WORLD);
  for (int peer = 0; peer < job_size; ++peer) e.get_places[peer] /= (int)sizeof(int);
  check_exchange(&e);
  free(types);
}

/* Transposing a distributed matrix: columns leave, rows arrive. */
static void transpose(int form, int rows)
{
  int* mine = values_of(my_rank, 0, rows * job_size);
  int* got = untouched_ints(rows * job_size);
  MPI_Datatype raw, column;
  CHECK_MPI(MPI_Type_vector(rows, 1, job_size, MPI_INT, &raw));
  CHECK_MPI(MPI_Type_create_resized(raw, 0, sizeof(int), &column));
  CHECK_MPI(MPI_Type_commit(&column));
  COLLECTIVE(form, Alltoall, Ialltoall, mine, 1, column, got, rows, MPI_INT, MPI_COMM_WORLD);
  for (int from = 0; from < job_size; ++from)
    for (int i = 0; i < rows; ++i) CHECK_EQUAL(got[from * rows + i], value_at(from, i * job_size + my_rank));
  CHECK_MPI(MPI_Type_free(&column));
  CHECK_MPI(MPI_Type_free(&raw));
  free(mine);
  free(got);
}

int main(int argc, char** argv)
{
  check_begin(&argc, &argv);
  for (int form = 0; form < form_count; ++form)
    for (int k = 0; k < counts_tested(); ++k) {
      const int count = counts_to_test[k] > 300007 ? 300007 : counts_to_test[k];
      for (int in_place = 0; in_place < 2; ++in_place) {
        allgather(form, count, in_place);
        allgatherv(form, count, in_place);
        alltoall(form, count, in_place);
        alltoallv(form, count, in_place);
        alltoallw(form, count, in_place);
      }
      transpose(form, count);
    }
  return check_end();
}
