// Choosing and opening channels. The offers below say which link types each fabric can carry: one line a fabric.
#include "channel/switchboard.hpp"

#include <fmt/format.h>


namespace weft::channel {
namespace {

class SelfBulk final : public Bulk {
 public:
  explicit SelfBulk(fabric::self::SelfPort& port) : port_(port) {}
  bool can_read() noexcept override { return true; }
  Status read(std::uint64_t remote_address, const iovec* local, int runs) noexcept override {
    return port_.read(remote_address, local, runs);
  }

 private:
  fabric::self::SelfPort& port_;
};

class ShmBulk final : public Bulk {
 public:
  ShmBulk(fabric::shm::ShmPort& port, int peer) : port_(port), peer_(peer) {}
  bool can_read() noexcept override { return port_.can_read(peer_); }
  Status read(std::uint64_t remote_address, const iovec* local, int runs) noexcept override {
    return port_.read(peer_, remote_address, local, runs);
  }

 private:
  fabric::shm::ShmPort& port_;
  int peer_;
};

struct Offer {
  const char* fabric;
  LinkType links[4];
  int link_count;

  bool carries(LinkType type) const {
    for (int i = 0; i < link_count; ++i)
      if (links[i] == type) return true;
    return false;
  }
};

constexpr Offer offers[] = {
    {"self", {LinkType::push}, 1},
    {"shm", {LinkType::push}, 1},
};

const Offer& offer_of(const char* fabric) {
  for (const Offer& offer : offers)
    if (std::string_view(offer.fabric) == fabric) return offer;
  WEFT_REQUIRE(!"a fabric in the table of offers");
  __builtin_unreachable();
}

}  // namespace

Switchboard::Switchboard(int world_rank, std::string rules, std::unique_ptr<fabric::self::SelfPort> self,
                         std::unique_ptr<fabric::shm::ShmPort> shm)
    : world_rank_(world_rank), rules_(std::move(rules)), self_(std::move(self)), shm_(std::move(shm)) {
  ports_.push_back(self_.get());
  if (shm_) ports_.push_back(shm_.get());
}

Expected<Choice> Switchboard::choose(int peer) const {
  Expected<Demand> demand = demanded(rules_, world_rank_, peer);
  if (!demand) return demand.failure();
  for (const fabric::Port* port : ports_) {
    if (!port->reaches(peer)) continue;
    const Offer& offer = offer_of(port->name());
    if (demand->automatic || port == self_.get())
      return Choice{port->name(), *parse_paradigm("write-write"), port == self_.get() ? "a rank and itself" : "same node: lowest latency"};
    for (const LinkType type : {demand->paradigm.request, demand->paradigm.reply})
      if (!offer.carries(type))
        return Failure{Status::unsupported, fmt::format("paradigm {}-{} between ranks {} and {}: the {} fabric has no {} link", link_verb(demand->paradigm.request),
                                                        link_verb(demand->paradigm.reply), world_rank_, peer, port->name(), link_name(type))};
    return Choice{port->name(), demand->paradigm, "demanded by --paradigm"};
  }
  return Failure{Status::unsupported, fmt::format("rank {} is on another host, and no fabric that is open reaches it", peer)};
}

Expected<Channel> Switchboard::open(int peer) {
  const Expected<Choice> choice = choose(peer);
  if (!choice) return choice.failure();
  Channel channel;
  if (peer == world_rank_) {
    channel.out = std::make_unique<PushSender<fabric::self::PushTarget>>(self_->open_push());
    channel.in = std::make_unique<PushReceiver<fabric::self::PushSource>>(self_->inbound());
    channel.bulk = std::make_unique<SelfBulk>(*self_);
    return channel;
  }
  const Expected<fabric::shm::PushTarget> target = shm_->open_push(peer);
  if (!target) return target.failure();
  channel.out.reset(channel.direct_out = new DirectSender(*target));
  channel.in.reset(channel.direct_in = new DirectReceiver(shm_->inbound(peer)));
  channel.bulk = std::make_unique<ShmBulk>(*shm_, peer);
  return channel;
}

}  // namespace weft::channel
