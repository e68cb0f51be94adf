// Start and end of the runtime, and what a program may ask about itself and the library. The order of bringing up: options,
// job, engine, communicators; finalize takes them down the other way round.
#include <pthread.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>

#include "api/api.hpp"
#include "api/handles.hpp"
#include "boot/job.hpp"
#include "comm/create.hpp"
#include "comm/error_handler.hpp"
#include "comm/exchange.hpp"
#include "comm/info.hpp"
#include "comm/locality.hpp"
#include "comm/predefined_attribute.hpp"
#include "match/bring_up.hpp"
#include "os/clock.hpp"
#include "os/log.hpp"
#include "os/options.hpp"
#include "remote/object.hpp"

namespace weft::api {
namespace {

int thread_level = MPI_THREAD_SINGLE;
pthread_t main_thread{};

bool before_init() noexcept { return (os::runtime_state & os::not_initialised) != 0; }
bool after_finalize() noexcept { return (os::runtime_state & os::finalised) != 0; }

// The lowest level that serves what is asked for; levels are numbers in ascending order.
int provided_for(int required) noexcept {
  for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED})
    if (required <= level) return level;
  return MPI_THREAD_MULTIPLE;
}

const char* level_name(int level) noexcept {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
  }
}

Done bring_up() {
  const Done loaded = os::load_options();
  const Expected<boot::Job> job = boot::join();
  if (!job) return job.failure();
  os::log_identity(job->rank, job->host);
  if (!loaded) return loaded;              // told now, as a member of the job: once, and not by every rank
  if (job->rank == 0 && !os::unknown_options().empty()) os::log_error("{}", os::unknown_options());
  if (Done opened = match::bring_up(); !opened) return opened;
  comm::make_predefined();
  comm::set_universe(job->universe_size, job->program);
  comm::describe_environment(job->size, level_name(thread_level));
  return Nothing{};
}

int initialise(const char* call, int required, int* provided) {
  const AnyTimeGuard guard;
  if (after_finalize()) comm::end_job(1, fmt::format("{}: called after MPI_Finalize", call));
  if (!before_init()) return raise_text(nullptr, MPI_ERR_OTHER, call, "called a second time");
  thread_level = provided_for(required);
  main_thread = ::pthread_self();
  if (const Done up = bring_up(); !up) comm::end_job(1, fmt::format("{}: {}", call, up.failure().note));
  if (provided != nullptr) *provided = thread_level;
  os::runtime_state = thread_level == MPI_THREAD_MULTIPLE ? os::many_threads : 0;
  return MPI_SUCCESS;
}

int delete_attributes_of(comm::Communicator& communicator) {
  return comm::delete_all_attributes(communicator.attributes, comm::ObjectKind::communicator, communicator.handle);
}

// Nobody leaves before all have come: a rank that is gone could not serve what others still want of it. The dead don't
// come; then the exchange ends with peer_lost, and this rank leaves all the same.
void await_all() {
  comm::Communicator& world = *comm::world();
  if (world.size == 1) return;
  std::string marks(static_cast<std::size_t>(world.size), '\0');
  (void)comm::allgather(comm::circle_of(world), marks.data(), 1);
}

int finalise() {
  const AnyTimeGuard guard;
  constexpr const char* call = "MPI_Finalize";
  for (comm::Communicator* communicator : {comm::self(), comm::world()})
    if (const int code = delete_attributes_of(*communicator); code != MPI_SUCCESS)
      return raise_text(communicator, code, call, "an attribute's delete function failed");
  await_all();
  remote::shut_down();
  comm::drop_predefined();
  match::take_down();
  boot::leave();
  os::runtime_state = os::finalised;
  return MPI_SUCCESS;
}

void copy_out(std::string_view text, char* out, std::size_t room, int* length) {
  const std::size_t fits = std::min(text.size(), room - 1);
  std::memcpy(out, text.data(), fits);
  out[fits] = '\0';
  *length = static_cast<int>(fits);
}

}  // namespace
}  // namespace weft::api

using namespace weft;

WEFT_API(int, Init)(int*, char***) { return api::initialise("MPI_Init", MPI_THREAD_SINGLE, nullptr); }

WEFT_API(int, Init_thread)(int*, char***, int required, int* provided) {
  return api::initialise("MPI_Init_thread", required, provided);
}

WEFT_API(int, Finalize)(void) {
  if (os::runtime_state != 0) { const api::Guard check_state("MPI_Finalize"); }
  return api::finalise();
}

WEFT_API(int, Initialized)(int* flag) {
  if (flag == nullptr) return api::null_argument(nullptr, "MPI_Initialized", "flag");
  *flag = api::before_init() ? 0 : 1;
  return MPI_SUCCESS;
}

WEFT_API(int, Finalized)(int* flag) {
  if (flag == nullptr) return api::null_argument(nullptr, "MPI_Finalized", "flag");
  *flag = api::after_finalize() ? 1 : 0;
  return MPI_SUCCESS;
}

WEFT_API(int, Query_thread)(int* provided) {
  const api::Guard guard("MPI_Query_thread");
  if (provided == nullptr) return api::null_argument(nullptr, "MPI_Query_thread", "provided");
  *provided = api::thread_level;
  return MPI_SUCCESS;
}

WEFT_API(int, Is_thread_main)(int* flag) {
  const api::Guard guard("MPI_Is_thread_main");
  if (flag == nullptr) return api::null_argument(nullptr, "MPI_Is_thread_main", "flag");
  *flag = ::pthread_equal(::pthread_self(), api::main_thread) != 0 ? 1 : 0;
  return MPI_SUCCESS;
}

WEFT_API(int, Abort)(MPI_Comm comm, int errorcode) {
  const comm::Communicator* c = api::communicator(comm);
  comm::end_job(errorcode, fmt::format("MPI_Abort: called by the program with error code {} on {}", errorcode,
                                       c == nullptr || c->name.empty() ? "a communicator" : c->name.c_str()));
}

WEFT_API(int, Get_processor_name)(char* name, int* resultlen) {
  if (name == nullptr) return api::null_argument(nullptr, "MPI_Get_processor_name", "name");
  if (resultlen == nullptr) return api::null_argument(nullptr, "MPI_Get_processor_name", "resultlen");
  char host[MPI_MAX_PROCESSOR_NAME] = "unknown";
  (void)::gethostname(host, sizeof host - 1);
  api::copy_out(host, name, MPI_MAX_PROCESSOR_NAME, resultlen);
  return MPI_SUCCESS;
}

WEFT_API(int, Get_version)(int* version, int* subversion) {
  if (version == nullptr) return api::null_argument(nullptr, "MPI_Get_version", "version");
  if (subversion == nullptr) return api::null_argument(nullptr, "MPI_Get_version", "subversion");
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

WEFT_API(int, Get_library_version)(char* version, int* resultlen) {
  if (version == nullptr) return api::null_argument(nullptr, "MPI_Get_library_version", "version");
  if (resultlen == nullptr) return api::null_argument(nullptr, "MPI_Get_library_version", "resultlen");
  const std::string text = fmt::format("weft {} (MPI {}.{}, ABI {}.{})", WEFT_VERSION, MPI_VERSION, MPI_SUBVERSION,
                                       MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
  api::copy_out(text, version, MPI_MAX_LIBRARY_VERSION_STRING, resultlen);
  return MPI_SUCCESS;
}

WEFT_API(int, Abi_get_version)(int* abi_major, int* abi_minor) {
  if (abi_major == nullptr) return api::null_argument(nullptr, "MPI_Abi_get_version", "abi_major");
  if (abi_minor == nullptr) return api::null_argument(nullptr, "MPI_Abi_get_version", "abi_minor");
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

WEFT_API(int, Abi_get_info)(MPI_Info* info) {
  const api::AnyTimeGuard guard;
  if (info == nullptr) return api::null_argument(nullptr, "MPI_Abi_get_info", "info");
  comm::Info* made = comm::make_info();
  made->set("mpi_aint_size", fmt::format("{}", sizeof(MPI_Aint)));
  made->set("mpi_count_size", fmt::format("{}", sizeof(MPI_Count)));
  made->set("mpi_offset_size", fmt::format("{}", sizeof(MPI_Offset)));
  *info = api::handle_of(*made);
  return MPI_SUCCESS;
}

WEFT_API(int, Get_hw_resource_info)(MPI_Info* hw_info) {
  const api::AnyTimeGuard guard;
  if (hw_info == nullptr) return api::null_argument(nullptr, "MPI_Get_hw_resource_info", "hw_info");
  comm::Info* made = comm::make_info();
  comm::describe_locality(*made);
  *hw_info = api::handle_of(*made);
  return MPI_SUCCESS;
}

WEFT_API(double, Wtime)(void) { return os::now_s(); }

WEFT_API(double, Wtick)(void) { return 1e-9; }

WEFT_API(int, Pcontrol)(const int, ...) { return MPI_SUCCESS; }      // for tools that put themselves in between
