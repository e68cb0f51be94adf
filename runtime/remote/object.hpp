// What counters and locks have in common towards the program: a handle with a magic word, words, and an end with the job if
// the program does not free them. Under the runtime lock.
#pragma once

#include <memory>

#include "comm/object.hpp"
#include "remote/words.hpp"

namespace weft::remote {

// A counter's or a lock's words, in the list of those that live.
class Object {
 public:
  explicit Object(std::unique_ptr<Words> words);
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Words& words() noexcept { return *words_; }
  const Words& words() const noexcept { return *words_; }
  // Collective.
  Status close();

 protected:
  ~Object();

 private:
  friend void shut_down();
  std::unique_ptr<Words> words_;
  Object* next_;
  Object** from_;
};

// Called by finalize when all ranks have come there: nobody uses an object of this process any more.
void shut_down();

}  // namespace weft::remote
