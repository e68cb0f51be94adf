// The attached buffers and the messages in them.
#include "comm/buffered.hpp"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <vector>

#include "comm/object.hpp"
#include "data/pack.hpp"

namespace weft::comm {
namespace {

constexpr std::int64_t automatic_limit = INT64_MAX;
std::uint64_t next_number = 0;      // of a message in any buffer

struct Message {
  std::int64_t offset;
  std::int64_t bytes;
  std::byte* memory;                // of its own when the buffer is automatic, else null
  match::Request* request;
  std::uint64_t number;
};

struct Buffer {
  const Communicator* on;
  void* given;
  std::int64_t bytes;
  bool automatic;
  std::list<Message> messages{};    // by offset

  void reap() {
    for (auto it = messages.begin(); it != messages.end();) {
      if (!it->request->done) { ++it; continue; }
      it->request->release();
      std::free(it->memory);
      it = messages.erase(it);
    }
  }
  bool holds_before(std::uint64_t number) const {
    return std::any_of(messages.begin(), messages.end(), [number](const Message& message) { return message.number < number; });
  }
  void wait_empty() {
    match::engine().wait_until([this] { reap(); return messages.empty(); });
  }
};

std::vector<Buffer>& buffers() {
  static std::vector<Buffer> instance;
  return instance;
}

Buffer* find(const Communicator* on) {
  for (Buffer& buffer : buffers())
    if (buffer.on == on) return &buffer;
  return nullptr;
}

Buffer* buffer_for(const Communicator& comm) {
  Buffer* own = find(&comm);
  return own != nullptr ? own : find(nullptr);
}

// Never more than bytes + MPI_BSEND_OVERHEAD: programs attach exactly that. Messages start at multiples of 8.
std::int64_t footprint(std::int64_t bytes) { return ((bytes + 7) & ~std::int64_t{7}) + MPI_BSEND_OVERHEAD - 8; }

// First fit among the messages in flight; -1: no hole is large enough.
std::int64_t place(const Buffer& buffer, std::int64_t bytes, std::list<Message>::const_iterator& before) {
  std::int64_t offset = 0;
  for (before = buffer.messages.begin(); before != buffer.messages.end(); ++before) {
    if (before->offset - offset >= bytes) return offset;
    offset = before->offset + before->bytes;
  }
  return buffer.bytes - offset >= bytes ? offset : -1;
}

class BufferedSend final : public match::Request {
 public:
  int peer = 0;
  const Communicator* comm = nullptr;
  int send_tag = 0;
  match::TypedBuffer buffer{};

  Status start() override {
    active = done = true;
    status = buffered_send(peer, *comm, send_tag, buffer);
    return status;
  }
  void release() override {
    data::release(buffer.type);
    delete this;
  }
};

// A buffer that is gone had its messages leave first.
class Flush final : public match::Request, public match::Service {
 public:
  explicit Flush(const Communicator* on) : on_(on), end_(next_number) { owner = on; }

  bool poll() override {
    if (Buffer* buffer = find(on_); buffer != nullptr) {
      buffer->reap();
      if (buffer->holds_before(end_)) return false;
    }
    match::engine().remove_service(this);
    finish(Status::ok);            // may release this
    return true;
  }
  void release() override { Pool<Flush>::release(this); }

 private:
  const Communicator* on_;
  std::uint64_t end_;
};

}  // namespace

bool attach_buffer(const Communicator* on, void* address, std::int64_t bytes) {
  if (find(on) != nullptr) return false;
  const bool automatic = address == MPI_BUFFER_AUTOMATIC;
  buffers().push_back({on, address, automatic ? automatic_limit : bytes, automatic});
  return true;
}

AttachedBuffer detach_buffer(const Communicator* on) {
  Buffer* buffer = find(on);
  if (buffer == nullptr) return {nullptr, 0, false};
  buffer->wait_empty();
  buffer = find(on);
  const AttachedBuffer detached{buffer->given, buffer->automatic ? 0 : buffer->bytes, true};
  buffers().erase(buffers().begin() + (buffer - buffers().data()));
  return detached;
}

void flush_buffer(const Communicator* on) {
  if (Buffer* buffer = find(on); buffer != nullptr) buffer->wait_empty();
}

match::Request* start_flush(const Communicator* on) {
  Flush* flush = Pool<Flush>::make(on);
  match::engine().add_service(flush);
  (void)flush->poll();
  return flush;
}

std::int64_t buffer_room(const Communicator& comm) {
  Buffer* buffer = buffer_for(comm);
  if (buffer == nullptr) return -1;
  std::int64_t largest = 0, offset = 0;
  for (const Message& message : buffer->messages) {
    largest = std::max(largest, message.offset - offset);
    offset = message.offset + message.bytes;
  }
  return std::max<std::int64_t>(0, std::max(largest, buffer->bytes - offset) - MPI_BSEND_OVERHEAD);
}

Status buffered_send(int peer_world_rank, const Communicator& comm, int tag, const match::TypedBuffer& buffer) {
  match::Engine& engine = match::engine();
  (void)engine.poll();   // room may have come back
  if (engine.send_now(peer_world_rank, comm.context, comm.rank, tag, buffer)) return Status::ok;
  Buffer* attached = buffer_for(comm);
  if (attached == nullptr) return Status::no_space;
  attached->reap();
  const auto bytes = static_cast<std::int64_t>(buffer.bytes());
  Message message{0, footprint(bytes), nullptr, nullptr, next_number++};
  auto before = attached->messages.cend();
  std::byte* memory = nullptr;
  if (attached->automatic) {
    memory = message.memory = static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(bytes) + 1));
    if (memory == nullptr) return Status::no_memory;
  } else {
    message.offset = place(*attached, message.bytes, before);
    if (message.offset < 0) return Status::no_space;
    memory = static_cast<std::byte*>(attached->given) + message.offset;
  }
  data::pack(buffer.type, buffer.address, buffer.count, 0, memory, bytes);
  message.request = engine.post_send(peer_world_rank, comm.context, comm.rank, tag, {memory, bytes, data::predefined(data::number::byte)},
                                     match::SendMode::standard);
  attached->messages.insert(before, message);
  return Status::ok;
}

match::Request* prepare_buffered_send(int peer_world_rank, const Communicator& comm, int tag, const match::TypedBuffer& buffer) {
  auto* request = new BufferedSend;
  request->magic = match::Request::magic_value;
  request->peer = peer_world_rank;
  request->comm = &comm;
  request->send_tag = tag;
  request->buffer = buffer;
  data::retain(buffer.type);
  return request;
}

}  // namespace weft::comm
