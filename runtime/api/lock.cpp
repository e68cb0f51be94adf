// weft_lock_*: a lock of the ranks of a communicator.
#include <bit>

#include <fmt/format.h>

#include "api/remote.hpp"
#include "remote/alive.hpp"
#include "remote/watch.hpp"

namespace weft::api {
namespace {

constexpr int most_members = 1 << 24;  // as an entry names them (remote/lock.hpp)

int create_lock(const char* call, MPI_Comm comm, int home, double lease_s, weft_lock* made) {
  comm::Communicator* on = communicator(comm);
  if (on == nullptr) return bad_communicator(call, comm);
  if (made == nullptr) return null_argument(on, call, "lock");
  *made = WEFT_LOCK_NULL;
  if (!on->has_rank(home)) return bad_rank(on, call, "home", home);
  if (on->size >= most_members) return raise(on, MPI_ERR_COMM, call, "the communicator's size", on->size, fmt::format("less than {}", most_members));
  if (!(lease_s >= 0 && lease_s <= 1e9)) return raise(on, MPI_ERR_ARG, call, "lease_s", fmt::format("{}", lease_s).c_str(), "0 .. 1e9 seconds");
  remote::claim_life();
  const std::uint64_t print = fingerprint({2, static_cast<std::uint64_t>(home), std::bit_cast<std::uint64_t>(lease_s)});
  Expected<std::unique_ptr<remote::Words>> words = remote::Words::open({*on, home, remote::Lock::words_for(on->size), remote::Lock::initial, 0, print});
  if (!words) return raise_made(*on, words.failure(), call);
  *made = reinterpret_cast<weft_lock>(comm::Pool<remote::Lock>::make(std::move(*words), static_cast<std::int64_t>(lease_s * 1e9)));
  return MPI_SUCCESS;
}

int outcome_of(remote::Taken taken) noexcept {
  switch (taken) {
    case remote::Taken::yes: return WEFT_LOCK_TAKEN;
    case remote::Taken::recovered: return WEFT_LOCK_RECOVERED;
    case remote::Taken::no: break;
  }
  return WEFT_LOCK_BUSY;
}

int acquire(const char* call, remote::Lock& of, double limit_s, int* outcome) {
  const comm::Communicator& on = of.words().communicator();
  if (outcome == nullptr && limit_s >= 0) return null_argument(&on, call, "outcome");
  if (of.held_by_this_thread()) return raise_text(&on, MPI_ERR_OTHER, call, "this thread holds the lock already and would wait for itself");
  remote::Taken taken = remote::Taken::no;
  const Status status = of.acquire(remote::limit_at(limit_s), taken);
  if (outcome != nullptr) *outcome = outcome_of(taken);
  return status == Status::ok ? MPI_SUCCESS : raise_lost(of.words(), status, call);
}

int release(const char* call, remote::Lock& of) {
  remote::Released released = remote::Released::not_held;
  const Status status = of.release(released);
  const comm::Communicator& on = of.words().communicator();
  if (status != Status::ok) return raise_lost(of.words(), status, call);
  if (released == remote::Released::not_held) return raise_text(&on, MPI_ERR_OTHER, call, fmt::format("rank {} does not hold the lock", on.rank));
  if (released == remote::Released::expired) return raise_text(&on, MPI_ERR_OTHER, call, "the lease ran out and the lock went on to another rank");
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

using namespace weft;

extern "C" WEFT_PUBLIC int weft_lock_create(MPI_Comm comm, int home, double lease_s, weft_lock* lock) {
  constexpr const char* call = "weft_lock_create";
  const api::StateGuard guard(call);
  return api::create_lock(call, comm, home, lease_s, lock);
}

extern "C" WEFT_PUBLIC int weft_lock_free(weft_lock* lock) {
  constexpr const char* call = "weft_lock_free";
  const api::StateGuard guard(call);
  if (lock == nullptr) return api::null_argument(nullptr, call, "lock");
  remote::Lock* of = api::lock(*lock);
  if (of == nullptr) return api::bad_lock(call, *lock);
  if (const Status status = of->close(); status != Status::ok) return api::raise_lost(of->words(), status, call);
  comm::Pool<remote::Lock>::release(of);
  *lock = WEFT_LOCK_NULL;
  return MPI_SUCCESS;
}

extern "C" WEFT_PUBLIC int weft_lock_acquire(weft_lock lock, double limit_s, int* outcome) {
  constexpr const char* call = "weft_lock_acquire";
  const api::Guard guard(call);
  remote::Lock* of = api::lock(lock);
  if (of == nullptr) return api::bad_lock(call, lock);
  return api::acquire(call, *of, limit_s, outcome);
}

extern "C" WEFT_PUBLIC int weft_lock_try(weft_lock lock, int* outcome) {
  constexpr const char* call = "weft_lock_try";
  const api::Guard guard(call);
  remote::Lock* of = api::lock(lock);
  if (of == nullptr) return api::bad_lock(call, lock);
  if (outcome == nullptr) return api::null_argument(&of->words().communicator(), call, "outcome");
  remote::Taken taken = remote::Taken::no;
  const Status status = of->try_acquire(taken);
  *outcome = api::outcome_of(taken);
  return status == Status::ok ? MPI_SUCCESS : api::raise_lost(of->words(), status, call);
}

extern "C" WEFT_PUBLIC int weft_lock_release(weft_lock lock) {
  constexpr const char* call = "weft_lock_release";
  const api::Guard guard(call);
  remote::Lock* of = api::lock(lock);
  if (of == nullptr) return api::bad_lock(call, lock);
  return api::release(call, *of);
}

extern "C" WEFT_PUBLIC int weft_lock_owner(weft_lock lock, int* rank) {
  constexpr const char* call = "weft_lock_owner";
  const api::Guard guard(call);
  remote::Lock* of = api::lock(lock);
  if (of == nullptr) return api::bad_lock(call, lock);
  if (rank == nullptr) return api::null_argument(&of->words().communicator(), call, "rank");
  int member = -1;
  const Status status = of->owner(member);
  *rank = member < 0 ? MPI_PROC_NULL : member;
  return status == Status::ok ? MPI_SUCCESS : api::raise_lost(of->words(), status, call);
}

extern "C" WEFT_PUBLIC int weft_lock_home(weft_lock lock, weft_home* home) {
  constexpr const char* call = "weft_lock_home";
  const api::Guard guard(call);
  const remote::Lock* of = api::lock(lock);
  if (of == nullptr) return api::bad_lock(call, lock);
  return api::describe_home(of->words(), 1, call, home);
}
