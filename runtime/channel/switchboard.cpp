// Choosing and opening channels.
#include "channel/switchboard.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "channel/bulk.hpp"
#include "channel/cards.hpp"
#include "channel/links.hpp"
#include "channel/opening.hpp"

namespace weft::channel {
namespace {

constexpr Paradigm write_write{"write-write", LinkType::push, LinkType::push, "lowest latency"};

// A rendezvous costs two latencies more than the message alone: what the fabric carries meanwhile.
std::size_t worthwhile_eager_bytes(const fabric::Caps& caps) { return static_cast<std::size_t>(2 * caps.latency_ns * caps.bytes_per_ns); }

bool is_write_write(const Paradigm& paradigm) { return paradigm.request == LinkType::push && paradigm.reply == LinkType::push; }

}  // namespace

Switchboard::Switchboard(SwitchboardPlan plan, std::unique_ptr<fabric::self::SelfPort> self, std::vector<std::unique_ptr<fabric::Port>> ports)
    : plan_(std::move(plan)), self_(std::move(self)), owned_(std::move(ports)) {
  ports_.push_back(self_.get());
  for (const auto& port : owned_) {
    ports_.push_back(port.get());
    if (std::string_view(port->name()) == "shm") shm_ = static_cast<fabric::shm::ShmPort*>(port.get());
  }
}

Switchboard::~Switchboard() = default;

Expected<std::string_view> Switchboard::card_of(int peer) const {
  const auto at = std::lower_bound(cards_.begin(), cards_.end(), peer, [](const auto& entry, int rank) { return entry.first < rank; });
  if (at != cards_.end() && at->first == peer) return std::string_view(at->second);
  if (!plan_.cards) return std::string_view();
  Expected<std::string> card = plan_.cards(peer);
  if (!card) return card.failure();
  if (Done agreed = agree(plan_.settings, *card, peer); !agreed) return agreed.failure();
  return std::string_view(cards_.insert(at, {peer, std::move(*card)})->second);
}

Expected<std::string> Switchboard::part_of_card(int peer, const fabric::Port& port) const {
  if (port.knows(peer)) return std::string();
  if (peer == plan_.world_rank) return port.card();
  const Expected<std::string_view> whole = card_of(peer);
  if (!whole) return whole.failure();
  return std::string(port_card(*whole, port.name()));
}

fabric::Port* Switchboard::port(std::string_view name) const noexcept {
  for (fabric::Port* port : ports_)
    if (name == port->name()) return port;
  return nullptr;
}

bool Switchboard::reaches(int peer, fabric::Port& port) const {
  if (port.knows(peer)) return true;
  const Expected<std::string> card = part_of_card(peer, port);
  return card && !card->empty() && port.reaches(*card);
}

Expected<fabric::Endpoint*> Switchboard::open_bare(int peer, fabric::Port& port) {
  for (const Bare& known : bare_)
    if (known.peer == peer && known.port == &port) return known.endpoint;
  const Expected<std::string> card = part_of_card(peer, port);
  if (!card) return card.failure();
  const Expected<fabric::Endpoint*> endpoint = port.open(peer, *card, fabric::Opening{});
  if (endpoint) bare_.push_back({peer, &port, *endpoint});
  return endpoint;
}

Expected<Choice> Switchboard::choose(int peer) const {
  for (fabric::Port* port : ports_)
    if (port->knows(peer)) return choose_paradigm(peer, *port);
  const Expected<std::string_view> card = card_of(peer);
  if (!card) return card.failure();
  for (fabric::Port* port : ports_) {
    const std::string_view part = port_card(*card, port->name());
    if (!part.empty() && port->reaches(part)) return choose_paradigm(peer, *port);
  }
  std::string open;
  for (const fabric::Port* port : ports_) open += fmt::format("{}{}", open.empty() ? "" : ", ", port->name());
  return Failure{Status::unsupported, fmt::format("no fabric that is open here ({}) reaches rank {}", open, peer)};
}

Expected<Choice> Switchboard::choose_paradigm(int peer, fabric::Port& port) const {
  if (&port == self_.get()) return Choice{&port, port.name(), write_write, "a rank and itself"};
  Expected<Demand> demand = demanded(plan_.rules, plan_.world_rank, peer);
  if (!demand) return demand.failure();
  if (demand->automatic) {
    if (port.caps().in_order_placement && port.knows(peer)) return choose_rendezvous(peer, {&port, port.name(), write_write, "same node: lowest latency"});
    const Preference preference = preferred(port.caps(), plan_.hints);
    return choose_rendezvous(peer, {&port, port.name(), preference.paradigm, preference.reason});
  }
  if (const std::string lack = lacking(demand->paradigm, port.caps()); !lack.empty())
    return Failure{Status::unsupported, fmt::format("paradigm {}-{} between ranks {} and {}: the {} fabric has {}", link_verb(demand->paradigm.request),
                                                    link_verb(demand->paradigm.reply), plan_.world_rank, peer, port.name(), lack)};
  return choose_rendezvous(peer, {&port, port.name(), demand->paradigm, "demanded by --paradigm"});
}

// Within a node the kernel copies, whatever was demanded.
Expected<Choice> Switchboard::choose_rendezvous(int peer, Choice choice) const {
  if (choice.port == shm_) return choice;
  const LinkType types[] = {choice.paradigm.request, choice.paradigm.reply};
  for (int way = 0; way < 2; ++way) {
    const Expected<Rendezvous> found = rendezvous_over(types[way], choice.port->caps(), plan_.rendezvous);
    if (!found) return Failure{found.failure().status, fmt::format("between ranks {} and {} over {}: {}", plan_.world_rank, peer, choice.fabric, found.failure().note)};
    choice.rendezvous[way] = *found;
  }
  return choice;
}

Expected<Channel> Switchboard::open(int peer) {
  const Expected<Choice> choice = choose(peer);
  if (!choice) return choice.failure();
  if (choice->port == self_.get()) {
    Channel channel;
    channel.out = std::make_unique<PushSender<fabric::self::PushTarget>>(self_->open_push());
    channel.in = std::make_unique<PushReceiver<fabric::self::PushSource>>(self_->inbound());
    channel.bulk = std::make_unique<SelfBulk>(*self_);
    return channel;
  }
  if (choice->port == shm_ && plan_.direct && is_write_write(choice->paradigm)) return open_direct(peer);
  return open_endpoint(peer, *choice);
}

Expected<Channel> Switchboard::open_direct(int peer) {
  const Expected<fabric::shm::PushTarget> target = shm_->open_push(peer);
  if (!target) return target.failure();
  Channel channel;
  channel.out.reset(channel.direct_out = new DirectSender(*target));
  channel.in.reset(channel.direct_in = new DirectReceiver(shm_->inbound(peer)));
  channel.bulk = std::make_unique<ShmBulk>(*shm_, peer);
  return channel;
}

// The higher rank is the client: it sends requests and receives replies.
Expected<Channel> Switchboard::open_endpoint(int peer, const Choice& choice) {
  const int out_way = plan_.world_rank > peer ? 0 : 1;
  const LinkType types[] = {choice.paradigm.request, choice.paradigm.reply};
  OpeningWords words;
  Channel channel;
  Expected<std::unique_ptr<SendLink>> sender = link_plan(types[out_way]).make_sender(*choice.port, plan_.shape);
  if (!sender) return sender.failure();
  Expected<std::unique_ptr<ReceiveLink>> receiver = link_plan(types[1 - out_way]).make_receiver(*choice.port, plan_.shape);
  if (!receiver) return receiver.failure();
  channel.out = std::move(*sender);
  channel.in = std::move(*receiver);
  words.ends[out_way] = channel.out->end();
  words.ends[1 - out_way] = channel.in->end();
  Expected<std::string> card = part_of_card(peer, *choice.port);
  if (!card) return card.failure();
  Expected<fabric::Endpoint*> endpoint = choice.port->open(peer, *card, opening_of(words));
  if (!endpoint) return endpoint.failure();
  channel.endpoint = *endpoint;
  channel.rendezvous_out = choice.rendezvous[out_way];
  channel.rendezvous_in = choice.rendezvous[1 - out_way];
  channel.eager_bytes = worthwhile_eager_bytes(choice.port->caps());
  channel.out->attach(**endpoint, out_way, channel.wires);
  channel.in->attach(**endpoint, 1 - out_way, channel.wires);
  if (choice.port == shm_) channel.bulk = std::make_unique<ShmBulk>(*shm_, peer);
  else if (choice.port->caps().operations & (fabric::op_read | fabric::op_write)) channel.bulk = std::make_unique<EndpointBulk>(*choice.port, **endpoint);
  return channel;
}

}  // namespace weft::channel
