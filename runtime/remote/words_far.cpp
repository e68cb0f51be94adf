// Operations on words that are not mapped here, and ringing those that wait.
#include <bit>

#include <fmt/format.h>

#include "boot/job.hpp"
#include "fabric/shm/port.hpp"
#include "match/engine.hpp"
#include "remote/server.hpp"
#include "remote/words.hpp"

namespace weft::remote {

void Words::ring(int member) noexcept {
  match::Engine& engine = match::engine();
  if (member == communicator_->rank) return engine.stir();        // another thread of ours
  if (fabric::shm::ShmPort* shm = engine.switchboard().shm(); shm != nullptr) {
    const int local = shm->local_rank_of(communicator_->peers[member]);
    if (local >= 0) shm->notify(local);
  }
}

void Words::ring_all(Line& line) noexcept {
  for (std::uint64_t bits = line.wanted.exchange(0); bits != 0; bits &= bits - 1)
    for (int member = std::countr_zero(bits); member < communicator_->size; member += 64) ring(member);
}

Status Words::ask(Verb verb, std::size_t index, std::uint64_t first, std::uint64_t second, std::uint64_t& before) {
  return way_ == Way::endpoint ? ask_endpoint(verb, index, first, second, before) : ask_server(verb, index, first, second, before);
}

Status Words::ask_endpoint(Verb verb, std::size_t index, std::uint64_t first, std::uint64_t second, std::uint64_t& before) {
  const fabric::Remote at{remote_.address + index * sizeof(Line), remote_.key};
  fabric::AtomicOperation operation;
  operation.done = false;
  Outcome outcome = Outcome::again;
  const auto post = [&] {
    outcome = verb == Verb::fetch_add ? endpoint_->post_fetch_add(at, first, operation) : endpoint_->post_compare_swap(at, first, second, operation);
    return outcome != Outcome::again;
  };
  match::engine().wait_until(post);    // no deadline: an endpoint that makes no room is lost sooner or later, and says so
  if (outcome == Outcome::posted) match::engine().wait_until([&operation] { return operation.done; });
  if (endpoint_->state() == fabric::Endpoint::State::lost && (outcome == Outcome::failed || operation.status != Status::ok)) {
    match::engine().tell_loss(communicator_->peers[home_], endpoint_->loss());
    return Status::peer_lost;
  }
  if (outcome == Outcome::failed) return Status::unsupported;
  before = operation.value;
  return outcome == Outcome::posted ? operation.status : Status::ok;
}

Status Words::ask_server(Verb verb, std::size_t index, std::uint64_t first, std::uint64_t second, std::uint64_t& before) {
  match::Engine& engine = match::engine();
  const int tag = Server::question_tag + 1 + next_reply_;
  next_reply_ = (next_reply_ + 1) & 0x3fffffff;
  Server::Question question{verb, tag, index, first, second};
  match::Request* receive = engine.post_receive(home_, context_, tag, Server::bytes_at(&before, sizeof before));
  match::Request* send = engine.post_send(communicator_->peers[home_], context_, communicator_->rank, Server::question_tag,
                                          Server::bytes_at(&question, sizeof question), match::SendMode::standard);
  Status status = Status::ok;
  for (match::Request* request : {send, receive}) {
    engine.wait(*request);
    if (status == Status::ok) status = request->status;
    request->release();
  }
  return status;
}

std::string Words::why() const {
  const Expected<std::string> host = boot::host_of(communicator_->peers[home_]);
  const char* loss = endpoint_ != nullptr ? endpoint_->loss() : "";
  return fmt::format("the home, rank {} on host {}, cannot be reached over {}{}{}", home_, host ? *host : "unknown", fabric_, *loss != '\0' ? ": " : "", loss);
}

}  // namespace weft::remote
