// A rank that only boots: joins, puts a card, fences, gets everyone's card, says who it is. What it does then is its
// argument: nothing, or one of the ends a rank can come to. Needs the runtime archive only, no MPI call.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "boot/job.hpp"
#include "os/log.hpp"
#include "os/options.hpp"

namespace {

using namespace weft;

int fail(const Failure& failure) {
  os::log_error("{}", failure.note);
  return 9;
}

// As the runtime does it: the launcher knows better if another rank's end is the reason.
int give_up(const Failure& failure) { boot::abort(9, failure.note); }

int exchange_cards(const boot::Job& job) {
  const std::string mine = fmt::format("card of {}", job.rank) + std::string(static_cast<std::size_t>(job.rank) * 10, '\0');
  if (const Done put = boot::put_card("probe", mine); !put) return give_up(put.failure());
  if (const Done met = boot::fence(); !met) return give_up(met.failure());
  for (int rank = 0; !job.alone && rank < job.size; ++rank) {
    const auto card = boot::get_card(rank, "probe", os::Deadline::in_ms(10'000));
    if (!card) return give_up(card.failure());
    const std::string right = fmt::format("card of {}", rank) + std::string(static_cast<std::size_t>(rank) * 10, '\0');
    if (*card != right) return give_up({Status::internal, fmt::format("card of rank {} is wrong", rank)});
  }
  return 0;
}

// "3:exit=5" concerns rank 3 alone, "exit=5" every rank.
int end_as(const boot::Job& job, const char* how) {
  if (const char* colon = std::strchr(how, ':')) {
    if (std::atoi(how) != job.rank) { ::pause(); return 0; }
    how = colon + 1;
  }
  const char* equals = std::strchr(how, '=');
  const int value = equals != nullptr ? std::atoi(equals + 1) : 0;
  const std::string_view what(how, equals != nullptr ? static_cast<std::size_t>(equals - how) : std::strlen(how));
  if (what == "exit") ::_exit(value);
  if (what == "abort") boot::abort(value, "the probe was told to abort");
  if (what == "lost") boot::abort(1, fmt::format("the probe has lost rank {}", value), value);
  if (what == "late") { (void)::usleep(static_cast<useconds_t>(value) * 1000); (void)::raise(SIGKILL); }
  if (what == "kill") { (void)::raise(value); return 0; }
  if (what == "segv") (void)::raise(SIGSEGV);
  if (what == "system") return std::system(equals + 1) == 0 ? 0 : 9;
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (const Done options = os::load_options(); !options) return fail(options.failure());
  const auto job = boot::join();
  if (!job) return fail(job.failure());
  if (const int code = exchange_cards(*job); code != 0) return code;
  std::printf("rank %d of %d, local %d of %d, host %s\n", job->rank, job->size, job->local_rank, job->local_size, job->host.c_str());
  std::fflush(stdout);
  if (count > 1 && std::strcmp(arguments[1], "none") != 0)
    if (const int code = end_as(*job, arguments[1]); code != 0) return code;
  boot::leave();
  return 0;
}
