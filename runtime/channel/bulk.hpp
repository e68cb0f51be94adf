// Large payloads over the fabrics: by the kernel or memmove where memory is near, by posted reads or writes over an endpoint
// elsewhere.
#pragma once

#include "channel/link.hpp"
#include "fabric/port.hpp"
#include "fabric/self/port.hpp"
#include "fabric/shm/port.hpp"

namespace weft::channel {

class SelfBulk final : public Bulk {
 public:
  explicit SelfBulk(fabric::self::SelfPort& port) : port_(port) {}
  bool can_read() noexcept override { return true; }
  Status read(std::uint64_t remote_address, const iovec* local, int runs) noexcept override { return port_.read(remote_address, local, runs); }

 private:
  fabric::self::SelfPort& port_;
};

class ShmBulk final : public Bulk {
 public:
  ShmBulk(fabric::shm::ShmPort& port, int peer) : port_(port), peer_(peer) {}
  bool can_read() noexcept override { return port_.can_read(peer_); }
  Status read(std::uint64_t remote_address, const iovec* local, int runs) noexcept override { return port_.read(peer_, remote_address, local, runs); }

 private:
  fabric::shm::ShmPort& port_;
  int peer_;
};

class EndpointBulk final : public Bulk {
 public:
  EndpointBulk(fabric::Port& port, fabric::Endpoint& endpoint) : port_(port), endpoint_(endpoint) {}
  bool can_read() noexcept override { return port_.caps().has(fabric::op_read); }
  bool is_prompt() const noexcept override { return false; }
  Status read(std::uint64_t, const iovec*, int) noexcept override { return Status::unsupported; }
  std::size_t max_piece_bytes() const noexcept override { return std::size_t{1} << 20; }
  Status expose(void* address, std::size_t bytes, fabric::Region& region) noexcept override { return port_.expose(address, bytes, region); }
  void conceal(const fabric::Region& region) noexcept override { port_.conceal(region); }
  Outcome post_read(fabric::Local to, fabric::Remote from, std::size_t bytes, fabric::Operation& operation) noexcept override {
    return endpoint_.post_read(to, from, bytes, operation);
  }
  Outcome post_write(fabric::Local from, fabric::Remote to, std::size_t bytes, fabric::Operation& operation) noexcept override {
    return endpoint_.post_write(from, to, bytes, fabric::Notify::none, &operation);
  }

 private:
  fabric::Port& port_;
  fabric::Endpoint& endpoint_;
};

}  // namespace weft::channel
