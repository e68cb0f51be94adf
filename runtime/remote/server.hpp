// The home's side of words that some members reach by messages only: takes their questions out of the unexpected ones, so
// that ordinary receives keep their fast way, executes and answers. Driven by the progress loop, under the runtime lock.
#pragma once

#include <cstdint>
#include <list>

#include "match/engine.hpp"
#include "remote/words.hpp"

namespace weft::remote {

class Server final : public match::Service {
 public:
  static constexpr int question_tag = 0;
  struct Question {
    Verb verb;
    int reply_tag;
    std::uint64_t index;
    std::uint64_t first;
    std::uint64_t second;
  };
  static match::TypedBuffer bytes_at(void* data, std::size_t bytes) {
    return {data, static_cast<std::int64_t>(bytes), data::predefined(data::number::byte)};
  }

  explicit Server(Words& words);
  ~Server();
  bool poll() override;

 private:
  struct Answer {
    std::uint64_t value;
    match::Request* send;
  };
  bool take_question();
  void answer(int member);

  Words& words_;
  Question question_{};
  match::Request* asked_ = nullptr;    // a question that has been taken and is not whole yet
  std::list<Answer> answers_;          // on their way
};

}  // namespace weft::remote
