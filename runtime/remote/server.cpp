// Questions and answers.
#include "remote/server.hpp"

namespace weft::remote {
namespace {

constexpr int questions_a_turn = 16;

}  // namespace

Server::Server(Words& words) : words_(words) { match::engine().add_service(this); }

Server::~Server() {
  match::engine().remove_service(this);
  if (asked_ != nullptr) asked_->detach();
  for (Answer& left : answers_) {      // nobody is left who asked
    match::engine().wait(*left.send);
    left.send->release();
  }
}

bool Server::poll() {
  bool moved = false;
  for (int i = 0; i < questions_a_turn && take_question(); ++i) moved = true;
  while (!answers_.empty() && answers_.front().send->done) {
    answers_.front().send->release();
    answers_.pop_front();
  }
  return moved;
}

bool Server::take_question() {
  if (asked_ == nullptr) {
    if (words_.context_ == 0) return false;
    match::Unexpected* message = match::engine().take(match::any_source, words_.context_, question_tag);
    if (message == nullptr) return false;
    asked_ = match::engine().receive_taken(message, bytes_at(&question_, sizeof question_));
  }
  if (!asked_->done) return false;
  const int member = asked_->source;
  const bool whole = asked_->status == Status::ok;
  asked_->release();
  asked_ = nullptr;
  if (whole) answer(member);
  return true;
}

void Server::answer(int member) {
  Words::Line& line = words_.at(question_.index < words_.count_ ? question_.index : 0);
  std::uint64_t before = question_.first;
  bool changed = true;
  if (question_.verb == Verb::fetch_add) before = line.value.fetch_add(question_.first);
  else changed = line.value.compare_exchange_strong(before, question_.second);
  if (changed && line.wanted.load() != 0) words_.ring_all(line);
  Answer& on_its_way = answers_.emplace_back(before, nullptr);
  on_its_way.send = match::engine().post_send(words_.communicator_->peers[member], words_.context_, words_.communicator_->rank,
                                              question_.reply_tag, bytes_at(&on_its_way.value, sizeof on_its_way.value), match::SendMode::standard);
}

}  // namespace weft::remote
