// Execution: one schedule being run on one communicator; the same for blocking, non-blocking and persistent calls. A
// blocking call advances it by itself, a non-blocking one is a request and a service of the progress loop. Pooled, and
// keeps its vectors and a little scratch, so repeated small calls allocate nothing. Under the runtime lock.
// All messages of one schedule carry one tag in the communicator's collective context; tags come from a sequence that
// agrees on all ranks, since all start their collectives in the same order. A persistent operation has one tag for life.
#pragma once

#include <vector>

#include "coll/agreement.hpp"
#include "coll/call.hpp"
#include "coll/flat.hpp"
#include "coll/schedule.hpp"
#include "match/engine.hpp"

namespace weft::comm { class Communicator; }

namespace weft::coll {

class Execution final : public match::Request, public match::Service {
 public:
  static Execution* make();                                        // from the pool, empty

  // Takes the call in. `keep`: the call's types and operation must outlive the caller's handles.
  void take(comm::Communicator& communicator, const Call& call, int tag_number, bool keep);
  void build();                                                    // the schedule; before the first run
  bool begin();                                                    // from the first step on; false: no memory for scratch
  bool advance();                                                  // runs what can run now; true: the schedule is over
  void hand_to_progress();                                         // it is a service until it is over
  const Ending& ending() const noexcept { return ending_; }
  void use_flat(FlatRegion& region) noexcept;                      // this run goes through shared memory instead

  Status start() override;
  void release() override;
  bool poll() override;

  Execution* next_free = nullptr;

 private:
  struct Pending {
    match::Request* request;
    std::size_t expected_bytes;      // of a receive; a send has not_a_receive
  };
  static constexpr std::size_t not_a_receive = ~std::size_t{0};
  static constexpr std::size_t kept_scratch_bytes = 64 << 10;

  bool settle();                     // true: no transfer of this round is under way
  bool agreed();                     // the check before the schedule; true: over
  bool advance_schedule();
  void run(const Step& step);
  void begin_send(const Step& step);
  void begin_receive(const Step& step);
  void note(Status outcome, std::size_t got_bytes, std::size_t expected_bytes) noexcept;
  void* address(const Place& place) const noexcept;
  const data::Datatype* type_of(const Place& place) const noexcept;
  Facts facts();
  void keep_types();
  void drop_types();
  void free_scratch() noexcept;
  void over();

  comm::Communicator* communicator_ = nullptr;
  Call call_;
  int tag_ = 0;
  bool keeps_ = false;
  bool built_ = false;
  bool served_ = false;
  std::size_t position_ = 0;
  Schedule schedule_;
  std::vector<Pending> pending_;
  std::vector<const data::Datatype*> send_types_, receive_types_;
  std::vector<TypeFacts> send_facts_, receive_facts_;
  std::byte* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
  Ending ending_;
  bool checks_ = false;
  Agreement agreement_;              // used when it checks
  FlatRegion* region_ = nullptr;     // not null: this run goes through shared memory
  FlatOperation flat_;
};

// What the last blocking collective that ended with Status::bad_argument found, in words; only when ranks are checked.
std::string& last_disagreement();

}  // namespace weft::coll
