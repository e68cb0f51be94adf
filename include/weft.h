/* What weft has beyond MPI: remote counters, remote locks, and what it says about itself. C, beside mpi.h.
 *
 * All functions return MPI_SUCCESS or an MPI error code. Errors are raised on the communicator of the call or of the object,
 * like those of MPI calls: its error handler decides, and the text names rank, host, call, argument, value and limit. Beyond
 * what is said below: MPI_ERR_ARG for a null pointer or a handle that names no object, MPI_ERR_RANK for a rank outside the
 * communicator, MPI_ERR_PROC_ABORTED when the home is lost.
 *
 * Ranks are ranks in the object's communicator; the object keeps it alive, so that the program may free it. Times are
 * seconds. Creating and freeing is collective, waits for all members, and may not be done inside a callback of MPI (an
 * attribute's or an error handler's); everything else concerns the caller alone. An object may be used from any thread that
 * may call MPI. Objects that are still there at MPI_Finalize go with it.
 *
 * The words behind counters and locks live in the memory of one rank, the home; choose the rank that uses them most. On its
 * node they are reached by the CPU's own atomics, from elsewhere by the fabric's, in no case with the help of the home's
 * program: it may compute. The price of that over TCP, and over devices without atomics, is a thread at the home that sleeps
 * until something comes, and a lock inside the library that every MPI call of the home takes, while the object lives.
 * WEFT_ATOMICS chooses how they are reached (weft-info options).
 */
#ifndef WEFT_H
#define WEFT_H

#include <mpi.h>

#if defined(__GNUC__) && !defined(WEFT_MPI_WARNINGS)
#pragma GCC system_header
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A time limit that never comes; any negative number is one. */
#define WEFT_NO_LIMIT                      (-1.0)

/* ---- Counters -------------------------------------------------------------------------------------------------- */

/* An array of 64-bit numbers at one rank that all members change with atomic operations. Numbers wrap at overflow. Each
 * has a cache line of its own (64 bytes at the home). Operations are sequentially consistent among those of one number, and
 * what a member wrote before it changed a number is seen by who reads that change, as far as they share memory; messages
 * are not ordered against counters. */
typedef struct weft_counter_object *weft_counter;
#define WEFT_COUNTER_NULL                  ((weft_counter)0)
#define WEFT_COUNTER_MAX_COUNT             1048576

/* Collective. `count` numbers (1 .. WEFT_COUNTER_MAX_COUNT) at rank `home`, each `initial`. The same arguments on all ranks,
 * else MPI_ERR_NOT_SAME. MPI_ERR_COUNT, MPI_ERR_NO_MEM, MPI_ERR_NO_SPACE. */
int weft_counter_create(MPI_Comm comm, int home, int count, int64_t initial, weft_counter *counter);
/* Collective. Sets the handle to WEFT_COUNTER_NULL. */
int weft_counter_free(weft_counter *counter);

/* Adds `add` to number `index` (0 .. count-1). `before`, what stood there, may be NULL. */
int weft_counter_fetch_add(weft_counter counter, int index, int64_t add, int64_t *before);
/* Puts `desired` there if `expected` stands there; it did if *before == expected. */
int weft_counter_compare_swap(weft_counter counter, int index, int64_t expected, int64_t desired, int64_t *before);
/* Puts `value` there. `before` may be NULL. */
int weft_counter_swap(weft_counter counter, int index, int64_t value, int64_t *before);
int weft_counter_read(weft_counter counter, int index, int64_t *value);

/* Waits until the number is at least, equal to, or other than `value`, `limit_s` seconds at most; 0 looks once. `reached`
 * is 1 or 0, `seen` (may be NULL) what the number was when last looked at. A number that takes a value only for a moment
 * may do so unseen. Waiting costs no CPU; on the home's node the change ends it, elsewhere the waiter asks again after
 * 2 us, then after twice as long each time, up to 1 ms. */
#define WEFT_AT_LEAST                      1
#define WEFT_EQUAL                         2
#define WEFT_CHANGED                       3
int weft_counter_wait(weft_counter counter, int index, int condition, int64_t value, double limit_s, int64_t *seen, int *reached);

/* ---- Locks ----------------------------------------------------------------------------------------------------- */

/* A lock of the ranks of a communicator, given in the order of asking (tickets: Reed & Kanodia 1979; an entry for each waiter:
 * Anderson 1990; giving up a place in the queue: Scott & Scherer 2001). Threads of one rank may share it: one has it at a
 * time. It orders what its holders do to counters, and to memory they share; messages and windows need their own
 * synchronization. */
typedef struct weft_lock_object *weft_lock;
#define WEFT_LOCK_NULL                     ((weft_lock)0)

/* How asking ended. */
#define WEFT_LOCK_TAKEN                    1    /* it is the caller's */
#define WEFT_LOCK_RECOVERED                2    /* it is, and its last holder is gone: what it guards may be half done */
#define WEFT_LOCK_BUSY                     3    /* somebody else has it, or the time is over */

/* Collective, with the same arguments on all ranks. With `lease_s` > 0 a holder that others have waited for as long loses
 * the lock, alive or not; that holder's release then answers MPI_ERR_OTHER. With 0 a holder may keep it for ever.
 * A holder's death is noticed, within 0.1 s and without a lease, among ranks of one node; elsewhere only a lease helps. Under
 * a launcher that ends the job when a rank dies, as weftrun does, none of this is met. */
int weft_lock_create(MPI_Comm comm, int home, double lease_s, weft_lock *lock);
/* Collective; nobody may hold it. Sets the handle to WEFT_LOCK_NULL. */
int weft_lock_free(weft_lock *lock);

/* Waits for the lock, `limit_s` seconds at most. Who gives up keeps its place until its turn comes: asking again before that
 * continues where it was. MPI_ERR_OTHER when this thread holds the lock. `outcome`: see above; NULL only without a limit. */
int weft_lock_acquire(weft_lock lock, double limit_s, int *outcome);
/* Takes the lock if it is free, without waiting. */
int weft_lock_try(weft_lock lock, int *outcome);
/* MPI_ERR_OTHER when this rank does not hold it, or has lost it to the end of the lease. */
int weft_lock_release(weft_lock lock);
/* Who has the lock, or is being given it: a rank, or MPI_PROC_NULL. True at some time during the call. */
int weft_lock_owner(weft_lock lock, int *rank);

/* ---- Introspection --------------------------------------------------------------------------------------------- */

/* What carries messages between the caller and a rank, and why. The paradigm is request-reply: how the higher of the two
 * ranks sends to the lower, and the other way (write, read, send, socket). */
typedef struct weft_peer {
  char fabric[16];      /* "self", "shm", "verbs", "tcp" */
  char paradigm[32];    /* "write-read" */
  char reason[128];
} weft_peer;
int weft_peer_info(MPI_Comm comm, int rank, weft_peer *peer);

/* How the caller reaches an object's home: "memory" (the CPU's atomics), "endpoint" (the fabric's), "served" (messages). */
typedef struct weft_home {
  int rank;
  int count;            /* of numbers; 1 for a lock */
  char way[16];
  char fabric[16];
} weft_home;
int weft_counter_home(weft_counter counter, weft_home *home);
int weft_lock_home(weft_lock lock, weft_home *home);

/* How many READs pull links of this process have posted that found nothing. */
int64_t weft_wasted_reads(void);

#ifdef __cplusplus
}
#endif

#endif
