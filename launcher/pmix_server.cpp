// Server start-up, tuned: small first segments of the job-fact store (PMIx zero-fills them), our topology instead of a
// second scan, no hwloc plug-ins.
#include "launcher/pmix_server.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <pmix.h>
#include <pmix_server.h>

#include "launcher/pmix_info.hpp"
#include "os/scoped_variable.hpp"

namespace weft::launcher {
namespace {

UpcallQueue* queue = nullptr;                 // for the upcalls, which carry no context of ours

// Both sides size the store's segments by these, so the ranks get them too.
constexpr std::pair<const char*, const char*> store_sizes[] = {{"NS_META_SEG_SIZE", "65536"}, {"NS_DATA_SEG_SIZE", "262144"}};

Failure trouble(const char* what, pmix_status_t status) {
  return {Status::refused, fmt::format("PMIx server: {}: {} ({})", what, PMIx_Error_string(status), status)};
}

pmix_status_t on_connected(const pmix_proc_t* proc, void*, pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  queue->post({Upcall::Kind::connected, static_cast<int>(proc->rank), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*) {
  queue->post({Upcall::Kind::finalized, static_cast<int>(proc->rank), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

// Not answered: the rank waits in PMIx_Abort until the job's end reaches it. `others`: those it has lost (boot::abort).
pmix_status_t on_abort(const pmix_proc_t* proc, void*, int code, const char message[], pmix_proc_t* others, size_t count, pmix_op_cbfunc_t, void*) {
  Upcall upcall{Upcall::Kind::aborted, static_cast<int>(proc->rank), code, message != nullptr ? message : ""};
  for (std::size_t i = 0; i < count; ++i)
    if (others[i].rank <= PMIX_RANK_VALID) upcall.ranks.push_back(static_cast<int>(others[i].rank));
  queue->post(std::move(upcall));
  return PMIX_SUCCESS;
}

template <typename Parts>
std::string list_of(const Parts& parts) {
  std::string list;
  for (const auto& part : parts) list += fmt::format("{}{}", list.empty() ? "" : ",", part);
  return list;
}

InfoList facts_of_rank(const JobMap& map, int rank, std::size_t local) {
  const RankPlace& place = map.ranks[static_cast<std::size_t>(rank)];
  InfoList facts;
  facts.add_rank(PMIX_RANK, static_cast<pmix_rank_t>(rank));        // first
  facts.add_short(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(local));
  facts.add_short(PMIX_NODE_RANK, static_cast<std::uint16_t>(local));
  facts.add_rank(PMIX_GLOBAL_RANK, static_cast<pmix_rank_t>(rank));
  facts.add_number(PMIX_APPNUM, static_cast<std::uint32_t>(place.program));
  facts.add_rank(PMIX_APP_RANK, static_cast<pmix_rank_t>(place.rank_in_program));
  facts.add_number(PMIX_NODEID, static_cast<std::uint32_t>(place.host));
  facts.add_text(PMIX_HOSTNAME, map.hosts[static_cast<std::size_t>(place.host)]);
  facts.add_flag(PMIX_SPAWNED, false);
  return facts;
}

void set_default(const char* name, const char* value) { (void)::setenv(name, value, 0); }

}  // namespace

PmixServer::PmixServer() { queue = &upcalls_; }

Done PmixServer::start(const ServerFacts& facts, const os::Topology& topology) {
  job_ = facts.map.job;
  for (const auto& [name, value] : store_sizes) set_default(name, value);
  const os::PlainHwloc tuned;
  const os::QuietPmix quiet;
  set_default("PMIX_MCA_gds", "ds21,hash");
  pmix_topology_t shared{};
  shared.source = const_cast<char*>("hwloc");
  shared.topology = topology.handle();
  InfoList infos;
  infos.add_text(PMIX_SERVER_TMPDIR, facts.directory);
  infos.add_text(PMIX_SYSTEM_TMPDIR, facts.directory);
  infos.add_text(PMIX_SERVER_NSPACE, job_ + "-server");
  infos.add_rank(PMIX_SERVER_RANK, static_cast<pmix_rank_t>(facts.host));
  infos.add_text(PMIX_HOSTNAME, facts.map.hosts[static_cast<std::size_t>(facts.host)]);
  infos.add_topology(PMIX_TOPOLOGY2, shared);
  pmix_server_module_t upcalls{};
  upcalls.client_connected2 = on_connected;
  upcalls.client_finalized = on_finalized;
  upcalls.abort = on_abort;
  exchange_.add_upcalls(upcalls);
  const pmix_status_t status = PMIx_server_init(&upcalls, infos.data(), infos.size());
  if (status != PMIX_SUCCESS) return trouble("start", status);
  if (Done done = register_job(facts); !done) return done;
  return register_ranks(facts);
}

Done PmixServer::register_job(const ServerFacts& facts) {
  const JobMap& map = facts.map;
  const std::uint32_t size = static_cast<std::uint32_t>(map.ranks.size());
  std::vector<std::vector<int>> ranks_by_host(map.hosts.size());
  for (std::uint32_t rank = 0; rank < size; ++rank) ranks_by_host[static_cast<std::size_t>(map.ranks[rank].host)].push_back(static_cast<int>(rank));
  const std::vector<int>& ours = ranks_by_host[static_cast<std::size_t>(facts.host)];
  std::string rank_lists;
  for (const std::vector<int>& ranks : ranks_by_host) {
    if (!rank_lists.empty()) rank_lists += ';';
    rank_lists += list_of(ranks);
  }
  char* node_map = nullptr;
  char* rank_map = nullptr;
  pmix_status_t status = PMIx_generate_regex(list_of(map.hosts).c_str(), &node_map);
  if (status == PMIX_SUCCESS) status = PMIx_generate_ppn(rank_lists.c_str(), &rank_map);
  if (status != PMIX_SUCCESS) return trouble("map of nodes", status);
  InfoList infos;
  for (const char* key : {PMIX_JOB_SIZE, PMIX_MAX_PROCS}) infos.add_number(key, size);
  for (const char* key : {PMIX_LOCAL_SIZE, PMIX_NODE_SIZE}) infos.add_number(key, static_cast<std::uint32_t>(ours.size()));
  infos.add_number(PMIX_UNIV_SIZE, static_cast<std::uint32_t>(map.slots));
  infos.add_number(PMIX_NUM_NODES, static_cast<std::uint32_t>(map.hosts.size()));
  infos.add_number(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(map.programs));
  infos.add_text(PMIX_JOBID, job_);
  infos.add_regex(PMIX_NODE_MAP, node_map);
  infos.add_regex(PMIX_PROC_MAP, rank_map);
  infos.add_text(PMIX_LOCAL_PEERS, list_of(ours));
  infos.add_rank(PMIX_LOCALLDR, static_cast<pmix_rank_t>(ours.front()));
  infos.add_text(PMIX_NSDIR, facts.directory);
  infos.add_text(PMIX_TMPDIR, facts.directory);
  infos.add_flag(PMIX_TDIR_RMCLEAN, true);
  for (const std::vector<int>& ranks : ranks_by_host)
    for (std::size_t local = 0; local < ranks.size(); ++local) infos.add_list(PMIX_PROC_DATA, facts_of_rank(map, ranks[local], local));
  status = PMIx_server_register_nspace(job_.c_str(), static_cast<int>(ours.size()), infos.data(), infos.size(), nullptr, nullptr);
  std::free(node_map);
  std::free(rank_map);
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) return trouble("register the job", status);
  return Nothing{};
}

Done PmixServer::register_ranks(const ServerFacts& facts) {
  pmix_proc_t proc{};
  PMIX_LOAD_NSPACE(proc.nspace, job_.c_str());
  for (const int rank : facts.map.ranks_of(facts.host)) {
    proc.rank = static_cast<pmix_rank_t>(rank);
    const pmix_status_t status = PMIx_server_register_client(&proc, ::getuid(), ::getgid(), nullptr, nullptr, nullptr);
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) return trouble("register a rank", status);
  }
  return Nothing{};
}

Done PmixServer::add_variables(int rank, std::vector<std::string>& environment) {
  pmix_proc_t proc{};
  PMIX_LOAD_NSPACE(proc.nspace, job_.c_str());
  proc.rank = static_cast<pmix_rank_t>(rank);
  char** variables = nullptr;
  const pmix_status_t status = PMIx_server_setup_fork(&proc, &variables);
  if (status != PMIX_SUCCESS) return trouble("variables of a rank", status);
  for (char** variable = variables; variable != nullptr && *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
    std::free(*variable);
  }
  std::free(variables);
  for (const auto& [name, value] : store_sizes) environment.push_back(fmt::format("{}={}", name, std::getenv(name)));
  return Nothing{};
}

}  // namespace weft::launcher
