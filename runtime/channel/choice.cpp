// Costs of links, and what follows for paradigms.
#include "channel/choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "channel/links.hpp"

namespace weft::channel {
namespace {

// One row a link type. Trips: how often the fabric's latency is paid until a message is seen (a pull asks, and asks again).
// Server posts: what a busy server has to post for each message of a client, as the receiver of requests or the sender of replies.
struct LinkCost {
  double trips;
  double receiver_posts;
  double sender_posts;
  double copies;
  bool ring_of_its_own;
};
constexpr LinkCost costs[] = {
    {1.00, 0.0, 1.0, 2, true},     // push
    {2.50, 1.5, 0.0, 2, true},     // pull
    {1.15, 0.2, 1.2, 3, false},    // message
    {0.90, 1.0, 1.0, 2, false},    // stream
};
constexpr double too_much_memory_ns = 1e9;

const LinkCost& cost_of(LinkType type) noexcept { return costs[static_cast<int>(type)]; }

}  // namespace

double cost_ns(const Paradigm& paradigm, const fabric::Caps& caps, const Hints& hints) {
  const LinkCost& request = cost_of(paradigm.request);
  const LinkCost& reply = cost_of(paradigm.reply);
  double cost = caps.latency_ns * (request.trips + reply.trips);
  const double requests = caps.served_by_target ? std::max(request.receiver_posts, request.sender_posts) : request.receiver_posts;
  const double replies = caps.served_by_target ? std::max(reply.receiver_posts, reply.sender_posts) : reply.sender_posts;
  cost += hints.fan_in * caps.post_ns * (requests + replies);
  if (caps.bytes_per_ns > 0) cost += hints.message_bytes / caps.bytes_per_ns * (request.copies + reply.copies);
  const double rings = (request.ring_of_its_own ? 0.5 : 0) + (reply.ring_of_its_own ? 0.5 : 0);
  if (hints.peers * rings * hints.ring_bytes > hints.ring_memory) cost += too_much_memory_ns * rings;
  return cost;
}

std::string lacking(const Paradigm& paradigm, const fabric::Caps& caps) {
  for (const LinkType type : {paradigm.request, paradigm.reply})
    if (const char* operation = missing_operation(type, caps); operation != nullptr)
      return fmt::format("no '{}' operation, which a {} link needs", operation, link_name(type));
  return {};
}

Preference preferred(const fabric::Caps& caps, const Hints& hints) {
  const Paradigm* best = nullptr;
  for (const Paradigm& paradigm : paradigms()) {
    if (!lacking(paradigm, caps).empty()) continue;
    if (best == nullptr || cost_ns(paradigm, caps, hints) < cost_ns(*best, caps, hints)) best = &paradigm;
  }
  WEFT_REQUIRE(best != nullptr);
  return {*best, fmt::format("cheapest of those it carries: {}", best->suits)};
}

}  // namespace weft::channel
