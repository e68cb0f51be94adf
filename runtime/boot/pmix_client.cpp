// Lenient reading of PMIx values, and an init that leaves no trace in the process.
#include "boot/pmix_client.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "os/log.hpp"
#include "os/scoped_variable.hpp"

extern char** environ;

namespace weft::boot {
namespace {

// What PMIx and the libraries it loads could change behind the program's back. Restored after PMIx_Init.
class ProcessState {
 public:
  ProcessState() noexcept {
    for (int signal = 1; signal < signal_count; ++signal) (void)::sigaction(signal, nullptr, &actions_[index(signal)]);
    (void)::pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
    has_affinity_ = ::sched_getaffinity(0, sizeof affinity_, &affinity_) == 0;
  }
  void restore() const noexcept {
    for (int signal = 1; signal < signal_count; ++signal) {
      struct sigaction now {};
      if (::sigaction(signal, nullptr, &now) != 0) continue;
      const struct sigaction& before = actions_[index(signal)];
      if (now.sa_handler != before.sa_handler || now.sa_flags != before.sa_flags) (void)::sigaction(signal, &before, nullptr);
    }
    (void)::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    cpu_set_t now;
    if (has_affinity_ && ::sched_getaffinity(0, sizeof now, &now) == 0 && !CPU_EQUAL(&now, &affinity_))
      (void)::sched_setaffinity(0, sizeof affinity_, &affinity_);
  }

 private:
  static constexpr int signal_count = 32;   // the real-time signals are nobody's by default
  static std::size_t index(int signal) noexcept { return static_cast<std::size_t>(signal); }
  std::array<struct sigaction, signal_count> actions_{};
  sigset_t mask_{};
  cpu_set_t affinity_{};
  bool has_affinity_ = false;
};

// PMIx tells itself things through PMIX_MCA_* variables; those that were not there before are taken out again.
class TuningVariables {
 public:
  TuningVariables() : names_(present()) {}
  void restore() const {
    for (const std::string& name : present())
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) (void)::unsetenv(name.c_str());
  }

 private:
  static std::vector<std::string> present() {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (const std::string_view text(*entry); text.starts_with("PMIX_MCA_")) names.emplace_back(text.substr(0, text.find('=')));
    return names;
  }
  std::vector<std::string> names_;
};

// Job facts arrive with PMIx_Init; PMIX_OPTIONAL keeps a missing one from becoming a question to the server.
pmix_status_t get(const pmix_proc_t& of, const char* key, pmix_value_t*& value) {
  pmix_info_t optional;
  bool yes = true;
  PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  const pmix_status_t status = PMIx_Get(&of, key, &optional, 1, &value);
  PMIX_INFO_DESTRUCT(&optional);
  return status;
}

// On PMIx's thread. _exit, since the program's own threads may be anywhere.
void on_server_lost(size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t[], size_t, pmix_info_t[], size_t,
                    pmix_event_notification_cbfunc_fn_t, void*) {
  os::log_error("the launcher's PMIx server is gone: this rank ends");
  ::_exit(1);
}

}  // namespace

std::optional<long> integer_of(const pmix_value_t& value) noexcept {
  switch (value.type) {
    case PMIX_BOOL: return value.data.flag ? 1 : 0;
    case PMIX_SIZE: return static_cast<long>(value.data.size);
    case PMIX_PID: return static_cast<long>(value.data.pid);
    case PMIX_INT: return value.data.integer;
    case PMIX_INT8: return value.data.int8;
    case PMIX_INT16: return value.data.int16;
    case PMIX_INT32: return value.data.int32;
    case PMIX_INT64: return static_cast<long>(value.data.int64);
    case PMIX_UINT: return static_cast<long>(value.data.uint);
    case PMIX_UINT8: return value.data.uint8;
    case PMIX_UINT16: return value.data.uint16;
    case PMIX_UINT32: return static_cast<long>(value.data.uint32);
    case PMIX_UINT64: return static_cast<long>(value.data.uint64);
    case PMIX_PROC_RANK: return static_cast<long>(value.data.rank);
    default: return std::nullopt;
  }
}

std::optional<long> get_integer(const pmix_proc_t& of, const char* key) {
  pmix_value_t* value = nullptr;
  if (get(of, key, value) != PMIX_SUCCESS || value == nullptr) return std::nullopt;
  const std::optional<long> number = integer_of(*value);
  PMIX_VALUE_RELEASE(value);
  return number;
}

std::optional<std::string> get_text(const pmix_proc_t& of, const char* key) {
  pmix_value_t* value = nullptr;
  if (get(of, key, value) != PMIX_SUCCESS || value == nullptr) return std::nullopt;
  std::optional<std::string> text;
  if (value->type == PMIX_STRING && value->data.string != nullptr) text = value->data.string;
  PMIX_VALUE_RELEASE(value);
  return text;
}

pmix_status_t init_and_restore(pmix_proc_t& self) {
  const os::PlainHwloc tuned;
  const os::QuietPmix quiet;
  const TuningVariables variables;
  const ProcessState before;
  const pmix_status_t status = PMIx_Init(&self, nullptr, 0);
  before.restore();
  variables.restore();
  return status;
}

void end_with_server() {
  pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
  (void)PMIx_Register_event_handler(&lost, 1, nullptr, 0, on_server_lost, nullptr, nullptr);
}

}  // namespace weft::boot
