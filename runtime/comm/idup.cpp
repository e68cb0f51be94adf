// The request of MPI_Comm_idup.
#include "comm/idup.hpp"

#include "comm/object.hpp"
#include "match/engine.hpp"

namespace weft::comm {
namespace {

class DuplicationRequest final : public match::Request, public match::Service {
 public:
  int start_from(Communicator& parent, const Info* hints) {
    const int code = run_.start(parent, hints);
    if (code != MPI_SUCCESS) return code;
    owner = &parent;
    match::engine().add_service(this);
    (void)poll();
    return code;
  }
  Communicator* made() const noexcept { return run_.made(); }

  bool poll() override {
    if (done || !run_.poll()) return false;
    match::engine().remove_service(this);
    finish(run_.status());            // may release this
    return true;
  }
  void release() override { Pool<DuplicationRequest>::release(this); }

 private:
  friend class Pool<DuplicationRequest>;
  Duplication run_;
};

}  // namespace

int start_duplication(Communicator& parent, const Info* hints, Communicator*& made, match::Request*& request) {
  DuplicationRequest* run = Pool<DuplicationRequest>::make();
  const int code = run->start_from(parent, hints);
  if (code != MPI_SUCCESS) {
    run->release();
    return code;
  }
  made = run->made();
  request = run;
  return MPI_SUCCESS;
}

}  // namespace weft::comm
