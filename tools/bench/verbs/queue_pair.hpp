// One queue pair to one peer, its send queue counted by what has been posted and what has been signalled back. An address
// is plain bytes, so that the ranks can exchange it by MPI. A verb that fails, and a completion with an error, throw
// std::runtime_error in words. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/verbs/device.hpp"

namespace weft::bench::verbs {

enum class Transport : std::uint8_t { rc, uc, ud };
enum class Operation : std::uint8_t { send, write, read, fetch_add, compare_swap };

const char* name_of(Transport transport);
const char* name_of(Operation operation);
// What a transport can carry: RC all, UC sends and writes, UD sends.
bool carries(Transport transport, Operation operation);

struct Address {
  std::uint32_t number = 0;            // of the queue pair
  std::uint32_t first_packet = 0;
  std::uint32_t key = 0;               // of the memory
  std::uint16_t lid = 0;
  std::uint8_t mtu = 0;
  ibv_gid gid{};
  std::uint64_t memory = 0;
};

using CompletionQueue = std::unique_ptr<ibv_cq, Calls<ibv_destroy_cq>>;
CompletionQueue make_completion_queue(const Device& device, int entries);

// Up to as many completions as fit; a failed one throws. The polling side gives wc.wr_id its meaning.
int poll(ibv_cq* queue, std::vector<ibv_wc>& completions);

struct Shape {
  int send_depth = 128;
  int receive_depth = 1;
};

// One piece of work, many times over.
struct Work {
  Operation operation = Operation::write;
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  std::uint32_t bytes = 0;
  bool in_line = false;
  std::uint64_t compare_or_add = 0;
  std::uint64_t swap = 0;
};

class QueuePair {
 public:
  // receives: shared with other queue pairs, or their own; it completes with wr_id = `identity`.
  QueuePair(const Device& device, const Region& region, Transport transport, Shape shape, ibv_cq* receives, std::uint64_t identity);

  Address address() const;
  void connect(const Address& peer);
  int inline_limit() const { return inline_limit_; }
  int send_depth() const { return shape_.send_depth; }
  const Address& peer() const { return peer_; }

  // A signal every `interval` pieces of work from here on; at most half the depth, so that the queue never stalls.
  void signal_every(int interval);
  int free_entries() const { return shape_.send_depth - in_flight_; }
  bool idle() const { return in_flight_ == 0; }
  // Posts `count` copies as one list: one doorbell. There must be that many free entries.
  void post(const Work& work, int count);
  // The same for one piece that is signalled whatever the interval: the last before a wait for all.
  void post_signalled(const Work& work);
  // Takes what has been signalled; how many entries came free.
  int reap();

  void post_receives(std::uint64_t buffer, std::uint32_t bytes, int count);
  // Ahead of the payload of a received datagram.
  std::uint32_t receive_offset() const { return transport_ == Transport::ud ? 40 : 0; }

 private:
  void create(ibv_cq* receives);
  void to_ready_to_receive();
  void to_ready_to_send();
  ibv_ah_attr path_to_peer() const;
  void fill(ibv_send_wr& request, const Work& work);
  void post_list(const Work& work, int count, bool signal_last);

  const Device& device_;
  const Region& region_;
  Transport transport_;
  Shape shape_;
  std::uint64_t identity_;
  std::uint32_t first_packet_;
  int inline_limit_ = 0;
  CompletionQueue sends_;
  std::unique_ptr<ibv_qp, Calls<ibv_destroy_qp>> pair_;
  std::unique_ptr<ibv_ah, Calls<ibv_destroy_ah>> path_;   // UD only
  Address peer_;
  int interval_ = 1;
  int since_signal_ = 0;    // unsignalled entries at the end of the queue
  int in_flight_ = 0;
  std::vector<ibv_send_wr> requests_;
  std::vector<ibv_sge> pieces_;
  std::vector<ibv_recv_wr> receive_requests_;
  ibv_sge receive_piece_{};
  std::vector<ibv_wc> completions_;
};

}  // namespace weft::bench::verbs
