// Agreement: with WEFT_CHECK=1, what ranks do before each collective: find out whether all make the same call, with the
// same root, bytes, type and operation. By dissemination: each round a rank tells another the least and the greatest value
// of each field so far, and who has it. After ceil(log2 p) rounds all know whether they differ, in what and who, so all
// of them raise the error and none is left waiting. Under the runtime lock.
#pragma once

#include <cstdint>
#include <string>

#include "coll/call.hpp"
#include "match/request.hpp"

namespace weft::comm { class Communicator; }

namespace weft::coll {

class Agreement {
 public:
  void start(const comm::Communicator& communicator, const Call& call, int tag);
  bool advance();                      // true: over
  Status status() const noexcept { return status_; }
  std::string disagreement() const;    // in words; empty when all agree

 private:
  enum Field { collective, root, operation, bytes, type, fields };
  struct Extreme {
    std::int64_t value;
    std::int64_t rank;
  };
  struct Known {
    Extreme least[fields], greatest[fields];
  };

  void set(Field field, std::int64_t value) noexcept;
  void also(Field field, std::int64_t value) noexcept;
  void send_round();
  void merge() noexcept;
  std::string words(Field field, std::int64_t value) const;

  const comm::Communicator* communicator_ = nullptr;
  int tag_ = 0;
  int distance_ = 1;
  Status status_ = Status::ok;
  match::Request* send_ = nullptr;
  match::Request* receive_ = nullptr;
  Known mine_{}, leaving_{}, coming_{};
};

}  // namespace weft::coll
