// Cards that cross hosts. A PMIx server knows its own ranks only: for a fence with ranks elsewhere, and for the card of one, it
// asks its host process, which is us. The questions wait here, by token, until the controller's answer comes.
// Upcalls on PMIx's thread; the rest on the main thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <pmix_server.h>

#include "launcher/upcalls.hpp"

namespace weft::launcher {

class PmixExchange {
 public:
  explicit PmixExchange(UpcallQueue& queue) : queue_(queue) {}
  void add_upcalls(pmix_server_module_t& module);

  // Answers fence_entered and cards_wanted. A token that was answered already is none of our business any more.
  void answer(std::uint64_t token, pmix_status_t status, const std::string& cards);
  // Asks for the cards of a rank of this host, which may not have put them yet: cards_found brings them.
  void find_cards(const std::string& job, int rank, std::uint64_t token);

 private:
  struct Question { pmix_modex_cbfunc_t answer; void* context; };
  std::uint64_t keep(Question question);
  static pmix_status_t on_fence(const pmix_proc_t procs[], size_t count, const pmix_info_t[], size_t, char* cards, size_t bytes,
                                pmix_modex_cbfunc_t answer, void* context);
  static pmix_status_t on_card_wanted(const pmix_proc_t* proc, const pmix_info_t infos[], size_t count, pmix_modex_cbfunc_t answer, void* context);

  UpcallQueue& queue_;
  std::mutex mutex_;
  std::uint64_t last_token_ = 0;
  std::map<std::uint64_t, Question> questions_;
};

}  // namespace weft::launcher
