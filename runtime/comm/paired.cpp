// The pair watches its two parts as a service of the progress loop.
#include "comm/paired.hpp"

#include <cstdlib>

namespace weft::comm {
namespace {

class Pair final : public match::Request, public match::Service {
 public:
  Pair(match::Request* send, match::Request* receive, void* scratch) : send_(send), receive_(receive), scratch_(scratch) {
    form = match::Form::received;
  }

  bool poll() override {
    if (!send_->done || !receive_->done) return false;
    match::engine().remove_service(this);
    source = receive_->source;
    tag = receive_->tag;
    bytes = receive_->bytes;
    limit_bytes = receive_->limit_bytes;
    finish(receive_->status != Status::ok ? receive_->status : send_->status);
    return true;
  }
  void release() override {
    send_->release();
    receive_->release();
    std::free(scratch_);
    delete this;
  }

 private:
  match::Request* send_;
  match::Request* receive_;
  void* scratch_;
};

}  // namespace

match::Request* pair(match::Request* send, match::Request* receive, void* scratch, const void* owner) {
  auto* request = new Pair(send, receive, scratch);
  request->magic = match::Request::magic_value;
  request->owner = owner;
  match::engine().add_service(request);
  return request;
}

}  // namespace weft::comm
