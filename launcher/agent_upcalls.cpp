// What the PMIx server tells the agent, and the cards that travel between it and the other hosts.
#include "launcher/agent.hpp"

namespace weft::launcher {

void Agent::read_upcalls() {
  for (const Upcall& upcall : server_.upcalls().take()) {
    switch (upcall.kind) {
      case Upcall::Kind::connected:
      case Upcall::Kind::finalized:
      case Upcall::Kind::aborted:
        if (Rank* const rank = find(upcall.rank)) rank_upcall(upcall, *rank);
        break;
      case Upcall::Kind::fence_entered: enter_fence(upcall); break;
      case Upcall::Kind::cards_wanted: want_cards(upcall); break;
      case Upcall::Kind::cards_found:
        if (const auto asker = searches_.extract(upcall.token)) controller_.cards_given(asker.mapped(), upcall.code == PMIX_SUCCESS, upcall.text);
        break;
    }
  }
}

void Agent::rank_upcall(const Upcall& upcall, Rank& rank) {
  if (upcall.kind == Upcall::Kind::connected) {
    rank.connected = true;
    rank.finalized = false;                  // a script may run one MPI program after the other
    controller_.rank_joined(upcall.rank);
  } else if (upcall.kind == Upcall::Kind::finalized) {
    rank.finalized = true;
  } else {
    rank.streams->read_out();                // its last words come before ours
    controller_.rank_aborted({upcall.rank, rank.pid, upcall.code, upcall.text, upcall.ranks.size() == 1 ? upcall.ranks.front() : -1});
  }
}

void Agent::enter_fence(const Upcall& upcall) {
  const FenceId fence{upcall.ranks, ++fences_[upcall.ranks]};
  open_fences_[fence] = upcall.token;
  controller_.fence_entered(order_.host, fence, upcall.text);
}

void Agent::fence_done(const FenceId& fence, const std::string& cards) {
  if (const auto open = open_fences_.extract(fence)) server_.exchange().answer(open.mapped(), PMIX_SUCCESS, cards);
}

void Agent::want_cards(const Upcall& upcall) {
  controller_.cards_wanted({order_.host, upcall.token, upcall.rank});
  const std::uint64_t token = upcall.token;
  if (upcall.code > 0) loop_.after_ms(std::int64_t{upcall.code} * 1000, [this, token] { server_.exchange().answer(token, PMIX_ERR_TIMEOUT, {}); });
}

void Agent::take_cards(const CardQuestion& question, bool found, const std::string& cards) {
  server_.exchange().answer(question.number, found ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, cards);
}

void Agent::give_cards(const CardQuestion& question) {
  const std::uint64_t token = ++last_search_;
  searches_.emplace(token, question);
  server_.exchange().find_cards(order_.map.job, question.rank, token);
}

}  // namespace weft::launcher
