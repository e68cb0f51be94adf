// An RDMA device on plain libibverbs, opened for raw measurements: nothing of the runtime is in here, since this is the
// limit that the runtime is compared with. One port, one GID, one protection domain; everything closes itself.
// Set-up throws Unavailable (the machine lacks something) or std::runtime_error (a call failed), in words. Main thread.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace weft::bench::verbs {

struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The call's errno, or the error number that a verb returned, in words.
[[noreturn]] void fail(const std::string& what, int error);

template <auto Function>
struct Calls {
  template <typename Object> void operator()(Object* object) const { Function(object); }
};

struct DeviceChoice {
  std::string name;      // empty: the first with an active port
  int port = 0;          // 0: the first active one
  int gid_index = -1;    // -1: RoCE v2 on IPv4 where there is one, else the first
};

class Device {
 public:
  explicit Device(const DeviceChoice& choice);

  const std::string& name() const { return name_; }
  ibv_context* context() const { return context_.get(); }
  ibv_pd* domain() const { return domain_.get(); }
  const ibv_device_attr& limits() const { return limits_; }
  const ibv_port_attr& port_state() const { return port_state_; }
  std::uint8_t port() const { return port_; }
  std::uint8_t gid_index() const { return gid_index_; }
  const ibv_gid& gid() const { return gid_; }
  bool by_gid() const { return port_state_.link_layer == IBV_LINK_LAYER_ETHERNET; }   // else by LID
  std::string describe() const;

 private:
  bool find_port(int wanted);
  void find_gid(int wanted);

  std::string name_;
  std::unique_ptr<ibv_context, Calls<ibv_close_device>> context_;
  std::unique_ptr<ibv_pd, Calls<ibv_dealloc_pd>> domain_;
  ibv_device_attr limits_{};
  ibv_port_attr port_state_{};
  ibv_gid gid_{};
  std::uint8_t port_ = 0;
  std::uint8_t gid_index_ = 0;
};

// Memory that the device may reach, ours and the peer's.
class Region {
 public:
  Region(const Device& device, std::size_t bytes);

  std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return bytes_; }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_.get()); }
  std::uint32_t local_key() const { return registration_->lkey; }
  std::uint32_t remote_key() const { return registration_->rkey; }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte, Calls<std::free>> memory_;
  std::unique_ptr<ibv_mr, Calls<ibv_dereg_mr>> registration_;
};

}  // namespace weft::bench::verbs
