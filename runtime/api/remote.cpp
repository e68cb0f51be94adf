// What counters and locks share in api/, and introspection.
#include "api/remote.hpp"

#include <cstring>

#include <fmt/format.h>

#include "channel/paradigm.hpp"
#include "comm/error_class.hpp"
#include "match/engine.hpp"

namespace weft::api {
namespace {

template <std::size_t room>
void put(char (&out)[room], std::string_view text) {
  const std::size_t fits = std::min(text.size(), room - 1);
  std::memcpy(out, text.data(), fits);
  std::memset(out + fits, 0, room - fits);
}

}  // namespace

int bad_counter(const char* call, weft_counter handle) {
  return raise(nullptr, MPI_ERR_ARG, call, "counter", handle == WEFT_COUNTER_NULL ? Value("WEFT_COUNTER_NULL") : Value(handle), "a counter that was not freed");
}

int bad_lock(const char* call, weft_lock handle) {
  return raise(nullptr, MPI_ERR_ARG, call, "lock", handle == WEFT_LOCK_NULL ? Value("WEFT_LOCK_NULL") : Value(handle), "a lock that was not freed");
}

int bad_index(const remote::Counter& counter, const char* call, int index) {
  return raise(&counter.words().communicator(), MPI_ERR_ARG, call, "index", index, fmt::format("0 .. {}", counter.words().count() - 1));
}

int raise_lost(const remote::Words& words, Status status, const char* call) {
  return raise_status(&words.communicator(), status, call, fmt::format("{}: {}", words.why(), describe(status)));
}

std::uint64_t fingerprint(std::initializer_list<std::uint64_t> arguments) noexcept {
  std::uint64_t mixed = 0x9e3779b97f4a7c15;
  for (const std::uint64_t argument : arguments) mixed = (mixed ^ argument) * 0x100000001b3 ^ mixed >> 29;
  return mixed;
}

int raise_made(const comm::Communicator& on, const Failure& failure, const char* call) {
  const int code = failure.status == Status::bad_argument ? MPI_ERR_NOT_SAME : comm::error_class_of(failure.status);
  return raise_text(&on, code, call, failure.note);
}

int describe_home(const remote::Words& words, int count, const char* call, weft_home* home) {
  if (home == nullptr) return null_argument(&words.communicator(), call, "home");
  home->rank = words.home();
  home->count = count;
  put(home->way, remote::way_name(words.way()));
  put(home->fabric, words.fabric());
  return MPI_SUCCESS;
}

namespace {

int describe_peer(const comm::Communicator& on, int rank, const char* call, weft_peer* peer) {
  if (!on.has_rank(rank)) return bad_rank(&on, call, "rank", rank);
  if (peer == nullptr) return null_argument(&on, call, "peer");
  const Expected<channel::Choice> choice = match::engine().switchboard().choose(on.peers[rank]);
  if (!choice) return raise_text(&on, comm::error_class_of(choice.failure().status), call, choice.failure().note);
  put(peer->fabric, choice->fabric);
  put(peer->paradigm, fmt::format("{}-{}", channel::link_verb(choice->paradigm.request), channel::link_verb(choice->paradigm.reply)));
  put(peer->reason, choice->reason);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace weft::api

using namespace weft;

extern "C" WEFT_PUBLIC int weft_peer_info(MPI_Comm comm, int rank, weft_peer* peer) {
  constexpr const char* call = "weft_peer_info";
  const api::Guard guard(call);
  const comm::Communicator* on = api::communicator(comm);
  if (on == nullptr) return api::bad_communicator(call, comm);
  return api::describe_peer(*on, rank, call, peer);
}

extern "C" WEFT_PUBLIC int64_t weft_wasted_reads(void) {
  const api::Guard guard("weft_wasted_reads");
  return static_cast<int64_t>(match::engine().wasted_reads());
}
