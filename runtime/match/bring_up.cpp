// Opening ports and the engine.
#include "match/bring_up.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include <fmt/format.h>

#include "boot/job.hpp"
#include "channel/cards.hpp"
#include "fabric/chaos/port.hpp"
#include "fabric/fabrics.hpp"
#include "match/engine.hpp"
#include "match/report.hpp"
#include "os/log.hpp"
#include "os/options.hpp"

namespace weft::match {
namespace {

constexpr std::int64_t start_limit_ms = 60'000;   // a rank that has not shown up by then never will
constexpr const char* card_key = "weft.ports";

std::string variable_of(std::string_view name) {
  for (const os::Option& option : os::option_table())
    if (name == option.name) return os::option_variable(option);
  return std::string(name);
}

Expected<fabric::RingShape> ring_shape(const char* slots_option, const char* bytes_option) {
  const std::int64_t slots = os::option_number(slots_option);
  const std::int64_t bytes = os::option_number(bytes_option);
  const auto fits = [](std::int64_t value, std::int64_t least) {
    return value >= least && value <= (std::int64_t{1} << 24) && std::has_single_bit(static_cast<std::uint64_t>(value));
  };
  if (!fits(slots, 16)) return Failure{Status::bad_argument, fmt::format("{}={}: a power of two from 16 to 16M is needed", variable_of(slots_option), slots)};
  if (!fits(bytes, 4096)) return Failure{Status::bad_argument, fmt::format("{}={}: a power of two from 4k to 16M is needed", variable_of(bytes_option), bytes)};
  return fabric::RingShape{static_cast<std::uint32_t>(slots), static_cast<std::uint32_t>(bytes)};
}

using Ports = std::vector<std::unique_ptr<fabric::Port>>;

// The fabrics option as lines of the list of fabrics, in the user's order.
Expected<std::vector<const fabric::Fabric*>> wanted_fabrics() {
  std::vector<const fabric::Fabric*> wanted;
  std::string_view rest = os::option_text("fabrics");
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    const fabric::Fabric* found = nullptr;
    std::string known = "self";
    for (const fabric::Fabric& fabric : fabric::fabrics()) {
      known += fmt::format(", {}", fabric.name);
      if (name == fabric.name) found = &fabric;
    }
    if (found != nullptr) wanted.push_back(found);
    else if (name != "self") return Failure{Status::bad_argument, fmt::format("fabric '{}': this build has {}", name, known)};
  }
  return wanted;
}

// Those for the node first, whatever the order: the others then need not be there for it. A fabric that this machine lacks is
// passed over; told once a host where the user asked for it by name.
Expected<Ports> open_ports(const boot::Job& job, fabric::RingShape shape) {
  Ports ports;
  if (job.size == 1) return ports;
  Expected<std::vector<const fabric::Fabric*>> wanted = wanted_fabrics();
  if (!wanted) return wanted.failure();
  const fabric::Circumstances circumstances{job.rank, job.size, job.local_peers, job.host, job.name, shape};
  const auto chaos_seed = static_cast<std::uint64_t>(os::option_number("chaos-seed"));
  if (chaos_seed != 0 && job.rank == 0) os::log_error("the chaos fabric is on, seed {}", chaos_seed);
  bool node_covered = job.local_size == 1;
  std::stable_partition(wanted->begin(), wanted->end(), [](const fabric::Fabric* fabric) { return fabric->within_node; });
  for (const fabric::Fabric* fabric : *wanted) {
    if (fabric->within_node ? job.local_size == 1 : job.local_size == job.size && node_covered) continue;   // nobody to reach
    Expected<std::unique_ptr<fabric::Port>> port = fabric->open(circumstances);
    if (port) {
      if (chaos_seed != 0) *port = std::make_unique<fabric::chaos::ChaosPort>(std::move(*port), chaos_seed + static_cast<std::uint64_t>(job.rank) * 1'000'000);
      ports.push_back(std::move(*port));
      node_covered |= fabric->within_node;
    } else if (port.failure().status != Status::unsupported) {
      return Failure{port.failure().status, fmt::format("fabric {}: {}", fabric->name, port.failure().note)};
    } else if (os::option_is_set("fabrics") && job.local_rank == 0) {
      os::log_error("fabric {} is not used: {}", fabric->name, port.failure().note);
    } else {
      os::log_info("fabric {} is not used: {}", fabric->name, port.failure().note);
    }
  }
  return ports;
}

// The options that must be the same on both sides of a pair.
std::string settings_of_choice() {
  std::string text;
  for (const char* name : {"fabrics", "paradigm", "rendezvous", "peers-hint", "message-size-hint", "fan-in-hint", "ring-memory", "ring-slots", "ring-bytes",
                           "remote-ring-slots", "remote-ring-bytes", "direct", "chaos-seed"})
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, os::option_text(name));
  return text;
}

// Cards out, the fence, and then each port's own second step.
Done connect_ports(const boot::Job& job, const Ports& ports) {
  if (job.size == 1) return Nothing{};
  std::vector<fabric::Port*> views;
  for (const auto& port : ports) views.push_back(port.get());
  const std::string settings = settings_of_choice();
  if (Done put = boot::put_card(card_key, channel::compose_card(settings, views)); !put) return put.failure();
  if (Done fenced = boot::fence(); !fenced) return fenced;
  const os::Deadline deadline = os::Deadline::in_ms(start_limit_ms);
  std::string first_card;
  if (job.local_rank != 0) {
    Expected<std::string> card = boot::get_card(job.local_peers.front(), card_key, deadline);
    if (!card) return card.failure();
    if (Done agreed = channel::agree(settings, *card, job.local_peers.front()); !agreed) return agreed.failure();
    first_card = std::move(*card);
  }
  for (fabric::Port* port : views)
    if (Done connected = port->connect(std::string(channel::port_card(first_card, port->name())), deadline); !connected) return connected;
  return Nothing{};
}

channel::SwitchboardPlan switchboard_plan(const boot::Job& job) {
  channel::SwitchboardPlan plan;
  plan.world_rank = job.rank;
  plan.rules = os::option_text("paradigm");
  plan.settings = settings_of_choice();
  plan.rendezvous = os::option_text("rendezvous");
  plan.direct = os::option_number("direct") != 0;
  plan.shape = {static_cast<std::uint32_t>(os::option_number("remote-ring-slots")), static_cast<std::uint32_t>(os::option_number("remote-ring-bytes"))};
  const auto hint = [](const char* name, double fallback) {
    const std::int64_t value = os::option_number(name);
    return value < 0 ? fallback : static_cast<double>(value);
  };
  plan.hints.peers = hint("peers-hint", job.size - job.local_size);
  plan.hints.message_bytes = hint("message-size-hint", 8);
  plan.hints.fan_in = hint("fan-in-hint", 0);
  plan.hints.ring_memory = static_cast<double>(os::option_number("ring-memory"));
  plan.hints.ring_bytes = 2.0 * static_cast<double>(plan.shape.bytes());
  plan.cards = [](int rank) { return boot::get_card(rank, card_key, os::Deadline::in_ms(start_limit_ms)); };
  return plan;
}

bool leaving = false;                  // all our messages are through; peers may be gone a moment before we hear that all may go

// What MPI makes of a lost peer while errors are fatal: the end of the job, by name. weftrun mostly knows better why the peer is
// gone, and says that instead.
void lose(int world_rank, const char* why) {
  if (leaving) return;
  const Expected<std::string> host = boot::host_of(world_rank);
  boot::abort(1, fmt::format("rank {} on host {} is lost: {}", world_rank, host ? *host : "unknown", why), world_rank);
}

}  // namespace

Done bring_up() {
  const boot::Job& job = boot::job();
  const Expected<fabric::RingShape> shape = ring_shape("ring-slots", "ring-bytes");
  if (!shape) return shape.failure();
  if (const Expected<fabric::RingShape> remote = ring_shape("remote-ring-slots", "remote-ring-bytes"); !remote) return remote.failure();
  Expected<Ports> ports = open_ports(job, *shape);
  if (!ports) return ports.failure();
  if (Done connected = connect_ports(job, *ports); !connected) return connected;
  auto switchboard = std::make_unique<channel::Switchboard>(switchboard_plan(job), std::make_unique<fabric::self::SelfPort>(job.rank, *shape), std::move(*ports));
  if (Done checked = check_choices(*switchboard, job); !checked) return checked;
  return engine().open(std::move(switchboard), job.rank, job.size, lose);
}

// Peers on endpoints may still want credits, retransmissions or answers of us: all leave together, and progress goes on until
// then.
void take_down() {
  Engine& mine = engine();
  if (mine.leaves_together()) {
    mine.finish_sends();
    leaving = true;
    std::atomic<bool> over{false};
    boot::begin_fence([&] {
      over.store(true, std::memory_order_release);
      mine.waiting().ring();
    });
    mine.wait_until([&over] { return over.load(std::memory_order_acquire); });
  }
  mine.close();
}

}  // namespace weft::match
