// Questions and answers.
#include "launcher/pmix_exchange.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace weft::launcher {
namespace {

PmixExchange* exchange = nullptr;             // for the upcalls, which carry no context of ours

int seconds_to_wait(const pmix_info_t infos[], size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (PMIX_CHECK_KEY(&infos[i], PMIX_TIMEOUT) && infos[i].value.type == PMIX_INT) return infos[i].value.data.integer;
  return 0;
}

void release_text(void* text) { delete static_cast<std::string*>(text); }

struct Search {
  UpcallQueue& queue;
  std::uint64_t token;
};

void on_cards_found(pmix_status_t status, char* cards, size_t bytes, void* context) {
  const std::unique_ptr<Search> search(static_cast<Search*>(context));
  search->queue.post({Upcall::Kind::cards_found, 0, status, cards != nullptr ? std::string(cards, bytes) : "", search->token});
}

}  // namespace

std::uint64_t PmixExchange::keep(Question question) {
  const std::lock_guard lock(mutex_);
  questions_.emplace(++last_token_, question);
  return last_token_;
}

pmix_status_t PmixExchange::on_fence(const pmix_proc_t procs[], size_t count, const pmix_info_t[], size_t, char* cards, size_t bytes,
                                     pmix_modex_cbfunc_t answer, void* context) {
  Upcall upcall{Upcall::Kind::fence_entered};
  for (size_t i = 0; i < count && procs[i].rank != PMIX_RANK_WILDCARD; ++i) upcall.ranks.push_back(static_cast<int>(procs[i].rank));
  std::sort(upcall.ranks.begin(), upcall.ranks.end());
  if (cards != nullptr) upcall.text.assign(cards, bytes);
  std::free(cards);                            // given away to us
  upcall.token = exchange->keep({answer, context});
  exchange->queue_.post(std::move(upcall));
  return PMIX_SUCCESS;
}

pmix_status_t PmixExchange::on_card_wanted(const pmix_proc_t* proc, const pmix_info_t infos[], size_t count, pmix_modex_cbfunc_t answer,
                                           void* context) {
  const std::uint64_t token = exchange->keep({answer, context});
  exchange->queue_.post({Upcall::Kind::cards_wanted, static_cast<int>(proc->rank), seconds_to_wait(infos, count), {}, token});
  return PMIX_SUCCESS;
}

void PmixExchange::add_upcalls(pmix_server_module_t& module) {
  exchange = this;
  module.fence_nb = on_fence;
  module.direct_modex = on_card_wanted;
}

void PmixExchange::answer(std::uint64_t token, pmix_status_t status, const std::string& cards) {
  Question question{};
  {
    const std::lock_guard lock(mutex_);
    const auto found = questions_.find(token);
    if (found == questions_.end()) return;
    question = found->second;
    questions_.erase(found);
  }
  auto copy = std::make_unique<std::string>(cards);      // PMIx reads it later, on its own thread
  std::string& text = *copy;
  question.answer(status, text.data(), text.size(), question.context, release_text, copy.release());
}

void PmixExchange::find_cards(const std::string& job, int rank, std::uint64_t token) {
  pmix_proc_t proc{};
  PMIX_LOAD_PROCID(&proc, job.c_str(), static_cast<pmix_rank_t>(rank));
  auto search = std::make_unique<Search>(Search{queue_, token});
  const pmix_status_t status = PMIx_server_dmodex_request(&proc, on_cards_found, search.get());
  if (status == PMIX_SUCCESS) (void)search.release();
  else queue_.post({Upcall::Kind::cards_found, 0, status, {}, token});
}

}  // namespace weft::launcher
