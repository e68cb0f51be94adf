// Connections where the device wants the connection manager (librdmacm) to make them: iWARP. The higher rank of a pair connects,
// the lower accepts once it has opened its side too. A lower rank that wants to talk knocks: it asks for a connection that is
// refused, and the other side knows that it is to connect. The links' opening travels as private data. On iWARP
// the side that connected must send first, so it sends an empty message, and the other is open when that has come.
// Threads: one at a time.
#pragma once

#include <rdma/rdma_cma.h>

#include <unordered_map>
#include <vector>

#include "fabric/verbs/endpoint.hpp"

namespace weft::fabric::verbs {

class ConnectionManager {
 public:
  // Listens on an address of the device; the device's context becomes the manager's own, as it must. Then its card says where.
  Done open(Common& common);
  void close() noexcept { lines_.clear(); }    // queue pairs go before what they use
  bool is_open() const noexcept { return listener_ != nullptr; }
  int fd() const noexcept { return channel_->fd; }

  Done begin(Common& common, const Granted& granted, ibv_srq* receives, const Card& peer, const Opening& ours, ConnectedEndpoint& endpoint);
  // Connection events. True when there were any.
  bool poll() noexcept;
  int poll_contact() noexcept;
  bool is_busy() const noexcept { return opening_ != 0; }

 private:
  struct Introduction {                // private data of both sides
    std::uint64_t job;
    std::int32_t from;
    std::int32_t is_knock;
    Opening opening;
  };
  using Id = Handle<rdma_cm_id, rdma_destroy_id>;
  struct QueueOf {                     // a queue pair that librdmacm made; goes before its id
    rdma_cm_id* id = nullptr;
    QueueOf() = default;
    QueueOf(const QueueOf&) = delete;
    QueueOf& operator=(const QueueOf&) = delete;
    ~QueueOf() { reset(); }
    void reset() noexcept {
      if (id != nullptr) rdma_destroy_qp(id);
      id = nullptr;
    }
  };
  struct Line {                        // to one peer
    ConnectedEndpoint* endpoint = nullptr;     // null: not opened here
    Introduction ours{};
    Id request;                                // the peer's, that waits for us to open
    Introduction theirs{};
    Id knock;
    QueueOf knock_queue;                       // a connection can't be asked for without one
    Id id;                                     // the connection
    QueueOf queue;
    bool told = false;
  };

  Done make_queue(Line& line);
  Done make_knock_queue(Line& line);
  ibv_qp_init_attr queue_of(std::uint32_t depth, std::uint32_t inline_bytes) const noexcept;
  Done accept(Line& line);
  Done resolve(Id& id, const Card& peer, Line& line);
  void handle(rdma_cm_event& event) noexcept;
  void take_request(rdma_cm_id* id, const void* data, std::size_t bytes) noexcept;
  void advance(Line& line, rdma_cm_event& event) noexcept;
  rdma_conn_param parameters(const Introduction& ours) const noexcept;

  Common* common_ = nullptr;
  Granted granted_{};
  ibv_srq* receives_ = nullptr;
  Handle<rdma_event_channel, rdma_destroy_event_channel> channel_;
  Id listener_;
  std::unordered_map<int, Line> lines_;
  std::vector<int> fresh_;
  std::uint32_t opening_ = 0;
};

}  // namespace weft::fabric::verbs
