// Server start-up, tuned: small first segments of the job-fact store (PMIx zero-fills them), our topology instead of a
// second scan, no hwloc plug-ins.
#include "launcher/pmix_server.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <pmix.h>
#include <pmix_server.h>

#include "launcher/pmix_info.hpp"
#include "os/scoped_variable.hpp"

namespace weft::launcher {
namespace {

PmixServer* server = nullptr;                 // for the upcalls, which carry no context of ours

// Both sides size the store's segments by these, so the ranks get them too.
constexpr std::pair<const char*, const char*> store_sizes[] = {{"NS_META_SEG_SIZE", "65536"}, {"NS_DATA_SEG_SIZE", "262144"}};

Failure trouble(const char* what, pmix_status_t status) {
  return {Status::refused, fmt::format("PMIx server: {}: {} ({})", what, PMIx_Error_string(status), status)};
}

pmix_status_t on_connected(const pmix_proc_t* proc, void*, pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  server->post({Upcall::Kind::connected, static_cast<int>(proc->rank), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*) {
  server->post({Upcall::Kind::finalized, static_cast<int>(proc->rank), 0, {}});
  return PMIX_OPERATION_SUCCEEDED;
}

// Not answered: the rank waits in PMIx_Abort until the job's end reaches it.
pmix_status_t on_abort(const pmix_proc_t* proc, void*, int code, const char message[], pmix_proc_t*, size_t, pmix_op_cbfunc_t, void*) {
  server->post({Upcall::Kind::aborted, static_cast<int>(proc->rank), code, message != nullptr ? message : ""});
  return PMIX_SUCCESS;
}

pmix_server_module_t module() {
  pmix_server_module_t upcalls{};
  upcalls.client_connected2 = on_connected;
  upcalls.client_finalized = on_finalized;
  upcalls.abort = on_abort;
  return upcalls;
}

void set_default(const char* name, const char* value) { (void)::setenv(name, value, 0); }

}  // namespace

PmixServer::PmixServer() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { server = this; }

void PmixServer::post(Upcall upcall) {
  {
    const std::lock_guard lock(mutex_);
    upcalls_.push_back(std::move(upcall));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

std::vector<Upcall> PmixServer::take_upcalls() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(upcalls_, {});
}

Done PmixServer::start(const ServerFacts& facts, const os::Topology& topology) {
  job_ = facts.job;
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
  infos.add_text(PMIX_SERVER_NSPACE, facts.job + "-server");
  infos.add_rank(PMIX_SERVER_RANK, 0);
  infos.add_text(PMIX_HOSTNAME, facts.host);
  infos.add_topology(PMIX_TOPOLOGY2, shared);
  pmix_server_module_t upcalls = module();
  const pmix_status_t status = PMIx_server_init(&upcalls, infos.data(), infos.size());
  if (status != PMIX_SUCCESS) return trouble("start", status);
  if (Done done = register_job(facts); !done) return done;
  return register_ranks(facts);
}

Done PmixServer::register_job(const ServerFacts& facts) {
  const std::uint32_t size = static_cast<std::uint32_t>(facts.ranks.size());
  std::string everybody;
  for (std::uint32_t rank = 0; rank < size; ++rank) everybody += fmt::format("{}{}", rank == 0 ? "" : ",", rank);
  char* node_map = nullptr;
  char* rank_map = nullptr;
  pmix_status_t status = PMIx_generate_regex(facts.host.c_str(), &node_map);
  if (status == PMIX_SUCCESS) status = PMIx_generate_ppn(everybody.c_str(), &rank_map);
  if (status != PMIX_SUCCESS) return trouble("map of nodes", status);
  InfoList infos;
  for (const char* key : {PMIX_JOB_SIZE, PMIX_UNIV_SIZE, PMIX_MAX_PROCS, PMIX_LOCAL_SIZE, PMIX_NODE_SIZE}) infos.add_number(key, size);
  infos.add_number(PMIX_NUM_NODES, 1);
  infos.add_number(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(facts.programs));
  infos.add_text(PMIX_JOBID, facts.job);
  infos.add_regex(PMIX_NODE_MAP, node_map);
  infos.add_regex(PMIX_PROC_MAP, rank_map);
  infos.add_text(PMIX_LOCAL_PEERS, everybody);
  infos.add_rank(PMIX_LOCALLDR, 0);
  infos.add_text(PMIX_NSDIR, facts.directory);
  infos.add_text(PMIX_TMPDIR, facts.directory);
  infos.add_flag(PMIX_TDIR_RMCLEAN, true);
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    const RankFacts& mine = facts.ranks[rank];
    InfoList entry;
    entry.add_rank(PMIX_RANK, rank);
    entry.add_short(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(rank));
    entry.add_short(PMIX_NODE_RANK, static_cast<std::uint16_t>(rank));
    entry.add_rank(PMIX_GLOBAL_RANK, rank);
    entry.add_number(PMIX_APPNUM, static_cast<std::uint32_t>(mine.program));
    entry.add_rank(PMIX_APP_RANK, static_cast<std::uint32_t>(mine.rank_in_program));
    entry.add_number(PMIX_NODEID, 0);
    entry.add_text(PMIX_HOSTNAME, facts.host);
    entry.add_flag(PMIX_SPAWNED, false);
    infos.add_list(PMIX_PROC_DATA, std::move(entry));
  }
  status = PMIx_server_register_nspace(job_.c_str(), static_cast<int>(size), infos.data(), infos.size(), nullptr, nullptr);
  std::free(node_map);
  std::free(rank_map);
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) return trouble("register the job", status);
  return Nothing{};
}

Done PmixServer::register_ranks(const ServerFacts& facts) {
  pmix_proc_t proc{};
  PMIX_LOAD_NSPACE(proc.nspace, job_.c_str());
  for (proc.rank = 0; proc.rank < facts.ranks.size(); ++proc.rank) {
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
