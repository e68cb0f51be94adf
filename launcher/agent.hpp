// The agent of this host: places the ranks, serves PMIx, starts and reaps them, reads what they say. Main thread.
#pragma once

#include <signal.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "launcher/core_claims.hpp"
#include "launcher/event_loop.hpp"
#include "launcher/input.hpp"
#include "launcher/pmix_server.hpp"
#include "launcher/ports.hpp"
#include "launcher/rank_streams.hpp"
#include "launcher/session_directory.hpp"
#include "launcher/spawn.hpp"
#include "os/clock.hpp"

namespace weft::launcher {

class Agent : public AgentPort {
 public:
  Agent(EventLoop& loop, ControllerPort& controller, const sigset_t& user_mask);
  ~Agent() override;

  void prepare(StartOrder order) override;
  void start() override;
  void signal_ranks(int signal) override;
  void kill_all() override;
  void finish() override;
  void hold_output(Stream stream, bool hold) override;
  void fence_done(const FenceId& fence, const std::string& cards) override;
  void give_cards(const CardQuestion& question) override;
  void take_cards(const CardQuestion& question, bool found, const std::string& cards) override;
  void take_input(std::string_view bytes) override;
  void children_changed() override;
  void kill_now_and_clear() noexcept override;

 private:
  struct Rank {
    int number = 0;                   // in the job
    pid_t pid = 0;
    bool connected = false, finalized = false, ended = false;
    std::unique_ptr<RankStreams> streams;
  };

  Done set_up();
  Done place_ranks();
  Expected<StartReport> start_ranks();
  Done start_rank(int number, std::size_t local);
  Done open_input(SpawnRequest& spawn, os::Fd& theirs);
  std::vector<std::string> environment_of(const Program& program, std::size_t local) const;
  void fail(const Failure& failure);
  Rank* find(int number) noexcept;

  void read_upcalls();
  void rank_upcall(const Upcall& upcall, Rank& rank);
  void enter_fence(const Upcall& upcall);
  void want_cards(const Upcall& upcall);
  bool reap();                        // false: no child is left
  void leave_the_undying();
  void rank_exited(Rank& rank, int wait_status);
  void clear_up();

  EventLoop& loop_;
  ControllerPort& controller_;
  sigset_t user_mask_;
  StartOrder order_;
  std::string host_;
  SessionDirectory directory_;
  std::optional<os::Topology> topology_;
  CoreClaims claims_;
  Placement placement_;
  PmixServer server_;
  std::vector<std::string> base_environment_;
  std::vector<std::unique_ptr<Rank>> ranks_;           // of this host, ascending
  std::unique_ptr<RankInput> input_;
  os::Fd null_;
  std::map<std::vector<int>, std::uint64_t> fences_;   // how many there were, by who takes part
  std::map<FenceId, std::uint64_t> open_fences_;       // their tokens
  std::map<std::uint64_t, CardQuestion> searches_;     // for others, by token of ours
  std::uint64_t last_search_ = 0;
  bool held_[2] = {false, false};
  os::Deadline undying_ = os::Deadline::never();
  bool killing_ = false, left_some_ = false, finishing_ = false, gone_ = false;
};

}  // namespace weft::launcher
