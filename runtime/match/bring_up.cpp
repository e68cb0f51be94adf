// Opening ports and the engine.
#include "match/bring_up.hpp"

#include <bit>

#include <fmt/format.h>

#include "boot/job.hpp"
#include "match/engine.hpp"
#include "os/log.hpp"
#include "os/options.hpp"

namespace weft::match {
namespace {

constexpr std::int64_t start_limit_ms = 60'000;   // a rank that has not shown up by then never will
constexpr const char* card_key = "weft.shm";

Expected<fabric::RingShape> ring_shape() {
  const std::int64_t slots = os::option_number("ring-slots");
  const std::int64_t bytes = os::option_number("ring-bytes");
  const auto fits = [](std::int64_t value, std::int64_t least) {
    return value >= least && value <= (std::int64_t{1} << 24) && std::has_single_bit(static_cast<std::uint64_t>(value));
  };
  if (!fits(slots, 16)) return Failure{Status::bad_argument, fmt::format("WEFT_RING_SLOTS={}: a power of two from 16 to 16M is needed", slots)};
  if (!fits(bytes, 4096)) return Failure{Status::bad_argument, fmt::format("WEFT_RING_BYTES={}: a power of two from 4k to 16M is needed", bytes)};
  return fabric::RingShape{static_cast<std::uint32_t>(slots), static_cast<std::uint32_t>(bytes)};
}

// The fabrics option, checked against what this build has.
Expected<bool> shm_allowed() {
  bool allowed = false;
  std::string_view rest = os::option_text("fabrics");
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (name == "shm") allowed = true;
    else if (name != "self") return Failure{Status::bad_argument, fmt::format("fabric '{}': this build has self, shm", name)};
  }
  return allowed;
}

Expected<std::unique_ptr<fabric::shm::ShmPort>> open_shm(const boot::Job& job, fabric::RingShape shape) {
  Expected<fabric::shm::ShmPort*> opened = fabric::shm::ShmPort::open(job.local_peers, job.rank, shape);
  if (!opened) return opened.failure();
  std::unique_ptr<fabric::shm::ShmPort> port(*opened);
  if (const std::string card = port->card(); !card.empty())
    if (Done put = boot::put_card(card_key, card); !put) return put.failure();
  return port;
}

Done connect_shm(const boot::Job& job, fabric::shm::ShmPort& port) {
  const os::Deadline deadline = os::Deadline::in_ms(start_limit_ms);
  if (job.local_rank == 0) return port.connect({}, deadline);
  Expected<std::string> card = boot::get_card(job.local_peers.front(), card_key, deadline);
  if (!card) return card.failure();
  return port.connect(*card, deadline);
}

// A paradigm that cannot run is an error at start, not at the first message; with --report, what was chosen is told, one
// line for all peers that are alike.
Done check_choices(const channel::Switchboard& switchboard, const boot::Job& job) {
  const bool report = os::option_number("report") != 0;
  const bool evident = os::option_text("paradigm") == "auto" && (job.size == 1 || (job.local_size == job.size && switchboard.shm() != nullptr));
  if (evident && !report) return Nothing{};
  std::string line;
  std::string last;
  int first = 0;
  const auto flush = [&](int end) {
    if (!last.empty()) line += fmt::format("{}{}{}: {}", line.empty() ? "" : "; ", first, end - 1 > first ? fmt::format("-{}", end - 1) : "", last);
  };
  for (int peer = 0; peer < job.size; ++peer) {
    const Expected<channel::Choice> choice = switchboard.choose(peer);
    if (!choice) return choice.failure();
    const std::string text = fmt::format("{}, {}-{} ({})", choice->fabric, channel::link_verb(choice->paradigm.request),
                                         channel::link_verb(choice->paradigm.reply), choice->reason);
    if (text == last) continue;
    flush(peer);
    first = peer;
    last = text;
  }
  flush(job.size);
  if (report) os::log_error("peers {}", line);
  return Nothing{};
}

}  // namespace

Done bring_up() {
  const boot::Job& job = boot::job();
  const Expected<fabric::RingShape> shape = ring_shape();
  if (!shape) return shape.failure();
  const Expected<bool> allowed = shm_allowed();
  if (!allowed) return allowed.failure();
  std::unique_ptr<fabric::shm::ShmPort> shm;
  if (*allowed && job.local_size > 1) {
    Expected<std::unique_ptr<fabric::shm::ShmPort>> opened = open_shm(job, *shape);
    if (!opened) return opened.failure();
    shm = std::move(*opened);
  }
  if (job.size > 1)
    if (Done fenced = boot::fence(); !fenced) return fenced;
  if (shm)
    if (Done connected = connect_shm(job, *shm); !connected) return connected;
  auto switchboard = std::make_unique<channel::Switchboard>(job.rank, os::option_text("paradigm"),
                                                            std::make_unique<fabric::self::SelfPort>(job.rank, *shape), std::move(shm));
  if (Done checked = check_choices(*switchboard, job); !checked) return checked;
  return engine().open(std::move(switchboard), job.rank, job.size);
}

void take_down() { engine().close(); }

}  // namespace weft::match
