// Joining and leaving the job, and cards.
#include "boot/job.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "boot/pmix_client.hpp"
#include "boot/surroundings.hpp"
#include "os/log.hpp"
#include "os/options.hpp"

namespace weft::boot {
namespace {

// PMIx keeps the cards of a rank in one piece of its server's store, 256 KiB under weftrun, and takes the server down when
// they don't fit.
constexpr std::size_t most_card_bytes = 192 << 10;

struct State {
  Job job;
  bool joined = false;
  std::size_t card_bytes = 0;          // put so far
  pmix_proc_t self{};
};

State& state() noexcept {
  static State instance;
  return instance;
}

std::string own_host() {
  char name[HOST_NAME_MAX + 1] = "";
  (void)::gethostname(name, sizeof name - 1);
  return name;
}

pmix_proc_t proc_of(pmix_rank_t rank) noexcept {
  pmix_proc_t proc = state().self;
  proc.rank = rank;
  return proc;
}

std::string words(pmix_status_t status) { return fmt::format("PMIx status {} ({})", status, PMIx_Error_string(status)); }

// "0,2,5" as world ranks, ascending.
std::vector<int> parse_ranks(std::string_view text) {
  std::vector<int> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error != std::errc{}) break;
    ranks.push_back(rank);
    at = next < end ? next + 1 : next;
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Expected<Job> read_facts(const pmix_proc_t& self) {
  Job job;
  job.alone = false;
  job.name = self.nspace;
  job.rank = static_cast<int>(self.rank);
  const pmix_proc_t all = proc_of(PMIX_RANK_WILDCARD);
  const std::optional<long> size = get_integer(all, PMIX_JOB_SIZE);
  if (!size) return Failure{Status::not_found, "the launcher's PMIx server does not tell the size of the job (pmix.job.size)"};
  job.size = static_cast<int>(*size);
  job.program = static_cast<int>(get_integer(self, PMIX_APPNUM).value_or(-1));
  job.universe_size = static_cast<int>(get_integer(all, PMIX_UNIV_SIZE).value_or(-1));
  job.host = get_text(self, PMIX_HOSTNAME).value_or(own_host());
  if (const auto peers = get_text(all, PMIX_LOCAL_PEERS)) job.local_peers = parse_ranks(*peers);
  else if (job.size > 1) return Failure{Status::not_found, "the launcher's PMIx server does not tell the ranks of this node (pmix.lpeers)"};
  const auto me = std::find(job.local_peers.begin(), job.local_peers.end(), job.rank);
  if (me == job.local_peers.end())
    return Failure{Status::not_found, fmt::format("rank {} is not among the ranks of this node that the PMIx server tells", job.rank)};
  job.local_rank = static_cast<int>(me - job.local_peers.begin());
  job.local_size = static_cast<int>(job.local_peers.size());
  return job;
}

// Alone, but perhaps not meant to be: say so loudly, or refuse. A PMIx environment whose server is out of reach beside
// the announcement of several processes is no accident either.
Expected<Job> be_alone(bool server_out_of_reach) {
  Job job;
  job.host = own_host();
  job.name = "alone";
  if (const auto foreign = foreign_launcher()) {
    const std::string note = fmt::format("{}={} announces {} processes, but no PMIx server is there: {}", foreign->variable,
                                         foreign->processes, foreign->processes, foreign->remedy);
    if (foreign->sure || server_out_of_reach || os::option_number("strict") != 0) return Failure{Status::unsupported, note};
    os::log_error("warning: {}; this process runs as a job of one", note);
  }
  return job;
}

Expected<Job> join_now() {
  if (!pmix_announced()) return be_alone(false);
  State& mine = state();
  const pmix_status_t status = init_and_restore(mine.self);
  if (status == PMIX_ERR_UNREACH) return be_alone(true);
  if (status != PMIX_SUCCESS)
    return Failure{Status::refused, fmt::format("the launcher's PMIx server (job {}, rank {}) does not take us: {}",
                                                std::getenv("PMIX_NAMESPACE"), std::getenv("PMIX_RANK"), words(status))};
  end_with_server();
  return read_facts(mine.self);
}

}  // namespace

Expected<Job> join() {
  State& mine = state();
  if (mine.joined) return mine.job;
  Expected<Job> job = join_now();
  if (!job) return job;
  mine.job = *job;
  mine.joined = true;
  os::log_identity(mine.job.rank, mine.job.host);
  return job;
}

const Job& job() noexcept { return state().job; }

Done put_card(std::string_view key, std::string_view bytes) {
  if (state().job.alone) return Nothing{};
  if (key.size() > PMIX_MAX_KEYLEN) return Failure{Status::bad_argument, fmt::format("card key {}: longer than {}", key, PMIX_MAX_KEYLEN)};
  State& mine = state();
  if (bytes.size() > most_card_bytes - mine.card_bytes)
    return Failure{Status::no_space, fmt::format("put card {} of {} bytes: {} bytes of cards are there, and a rank may have {}", key, bytes.size(),
                                                 mine.card_bytes, most_card_bytes)};
  mine.card_bytes += bytes.size();
  pmix_value_t value{};
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = const_cast<char*>(bytes.data());   // PMIx_Put copies it and writes nothing
  value.data.bo.size = bytes.size();
  const std::string name(key);
  pmix_status_t status = PMIx_Put(PMIX_GLOBAL, name.c_str(), &value);
  if (status != PMIX_SUCCESS) return Failure{Status::refused, fmt::format("put card {} of {} bytes: {}", key, bytes.size(), words(status))};
  return Nothing{};
}

Done fence() {
  if (state().job.alone) return Nothing{};
  pmix_status_t status = PMIx_Commit();
  if (status != PMIX_SUCCESS) return Failure{Status::refused, "commit of cards: " + words(status)};
  const pmix_proc_t all = proc_of(PMIX_RANK_WILDCARD);
  // Always collecting: under Slurm a fence without it is no barrier across nodes.
  pmix_info_t collect;
  bool yes = true;
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  status = PMIx_Fence(&all, 1, &collect, 1);
  PMIX_INFO_DESTRUCT(&collect);
  if (status != PMIX_SUCCESS) return Failure{Status::refused, "fence: " + words(status)};
  return Nothing{};
}

void begin_fence(std::function<void()> over) {
  static std::function<void()> waiting;
  if (state().job.alone) return over();
  waiting = std::move(over);
  static const pmix_proc_t all = proc_of(PMIX_RANK_WILDCARD);   // both are read until the fence is over
  static pmix_info_t collect;
  bool yes = true;
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);   // as in fence()
  const pmix_status_t status = PMIx_Fence_nb(&all, 1, &collect, 1, [](pmix_status_t, void*) { waiting(); }, nullptr);
  if (status != PMIX_SUCCESS) waiting();
}

Expected<std::string> get_card(int world_rank, std::string_view key, os::Deadline deadline) {
  if (state().job.alone) return Failure{Status::not_found, fmt::format("card {} of rank {}: a job of one has no cards", key, world_rank)};
  const pmix_proc_t peer = proc_of(static_cast<pmix_rank_t>(world_rank));
  pmix_info_t limit;
  const std::int64_t left_ns = deadline.left_ns();
  int seconds = left_ns == INT64_MAX ? 0 : static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000'000 + 1, INT_MAX));
  PMIX_INFO_LOAD(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
  const std::string name(key);
  pmix_value_t* value = nullptr;
  const pmix_status_t status = PMIx_Get(&peer, name.c_str(), seconds > 0 ? &limit : nullptr, seconds > 0 ? 1 : 0, &value);
  PMIX_INFO_DESTRUCT(&limit);
  if (status != PMIX_SUCCESS || value == nullptr) {
    const Status kind = status == PMIX_ERR_TIMEOUT ? Status::timed_out : Status::not_found;
    return Failure{kind, fmt::format("card {} of rank {}: {}", key, world_rank, words(status))};
  }
  Expected<std::string> card = Failure{Status::not_found, fmt::format("card {} of rank {}: not a card", key, world_rank)};
  if (value->type == PMIX_BYTE_OBJECT) card = std::string(value->data.bo.bytes, value->data.bo.size);
  PMIX_VALUE_RELEASE(value);
  return card;
}

Expected<std::string> host_of(int world_rank) {
  const Job& mine = state().job;
  if (world_rank == mine.rank || std::binary_search(mine.local_peers.begin(), mine.local_peers.end(), world_rank)) return mine.host;
  if (auto host = get_text(proc_of(static_cast<pmix_rank_t>(world_rank)), PMIX_HOSTNAME)) return *host;
  return Failure{Status::not_found, fmt::format("the launcher's PMIx server does not tell the host of rank {}", world_rank)};
}

void abort(int code, std::string_view message, int lost_rank) noexcept {
  const State& mine = state();
  const bool told_by_launcher = mine.joined && !mine.job.alone && std::getenv("WEFT_LAUNCHER") != nullptr;
  if (!told_by_launcher && !message.empty()) os::log_error("{}", message);
  const int exit_code = (code & 0xff) != 0 ? code & 0xff : 1;   // an abort is never a success
  // Of the processes to be aborted, which weftrun takes for the one whose end it should wait for; to others it would be the only one.
  pmix_proc_t lost = proc_of(static_cast<pmix_rank_t>(lost_rank));
  const bool tells = told_by_launcher && lost_rank >= 0;
  if (mine.joined && !mine.job.alone) (void)PMIx_Abort(exit_code, std::string(message).c_str(), tells ? &lost : nullptr, tells ? 1 : 0);
  ::_exit(exit_code);
}

void leave() noexcept {
  State& mine = state();
  if (mine.joined && !mine.job.alone) (void)PMIx_Finalize(nullptr, 0);
  mine.joined = false;                 // what comes to be said from here on, the launcher can't be told
}

}  // namespace weft::boot
