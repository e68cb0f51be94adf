// Passing a descriptor with SCM_RIGHTS.
#include "fabric/shm/hand_over.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "fabric/shm/abstract_name.hpp"

namespace weft::fabric::shm {
namespace {

constexpr std::size_t secret_length = 32;

bool wait_readable(int socket, os::Deadline deadline) {
  pollfd entry{socket, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, deadline.left_ms());
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool same_user(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && (peer.uid == ::geteuid() || peer.uid == 0);
}

bool send_file(int socket, int file) {
  char byte = 'f';
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

Expected<os::Fd> receive_file(int socket) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) return system_failure("receiving the node's shared memory", errno);
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS)
    return Failure{Status::refused, "the node's shared memory was not handed over"};
  int file = -1;
  std::memcpy(&file, CMSG_DATA(head), sizeof file);
  return os::Fd(file);
}

}  // namespace

Expected<Giver> Giver::listen() {
  Giver giver;
  giver.name_ = "weft-" + random_text();
  giver.secret_ = random_text();
  giver.socket_ = os::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!giver.socket_) return system_failure("socket(AF_UNIX)", errno);
  sockaddr_un address;
  const socklen_t length = fill_address(address, giver.name_);
  if (::bind(giver.socket_.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(giver.socket_.get(), 4096) != 0)
    return system_failure("listening on a Unix socket", errno);
  return giver;
}

std::string Giver::address() const { return name_ + " " + secret_; }

Done Giver::give(const os::Fd& file, int takers, os::Deadline deadline) {
  while (takers > 0) {
    if (!wait_readable(socket_.get(), deadline))
      return Failure{Status::timed_out, fmt::format("{} ranks of this node did not fetch its shared memory", takers)};
    os::Fd taker(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!taker) continue;
    char secret[secret_length];
    if (!same_user(taker.get()) || !wait_readable(taker.get(), deadline)) continue;
    if (::recv(taker.get(), secret, sizeof secret, MSG_WAITALL) != static_cast<ssize_t>(sizeof secret)) continue;
    if (std::memcmp(secret, secret_.data(), sizeof secret) != 0) continue;
    if (!send_file(taker.get(), file.get())) return system_failure("handing over the node's shared memory", errno);
    --takers;
  }
  return Nothing{};
}

Expected<os::Fd> take(const std::string& address, os::Deadline deadline) {
  const std::size_t space = address.find(' ');
  if (space == std::string::npos || address.size() != space + 1 + secret_length)
    return Failure{Status::bad_argument, fmt::format("the node's address is malformed: '{}'", address)};
  os::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return system_failure("socket(AF_UNIX)", errno);
  sockaddr_un name;
  const socklen_t length = fill_address(name, address.substr(0, space));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), length) != 0)
    return system_failure("reaching the first rank of this node over a Unix socket", errno);
  if (::send(socket.get(), address.data() + space + 1, secret_length, MSG_NOSIGNAL) != static_cast<ssize_t>(secret_length))
    return system_failure("asking for the node's shared memory", errno);
  if (!wait_readable(socket.get(), deadline)) return Failure{Status::timed_out, "the first rank of this node did not hand over its shared memory"};
  return receive_file(socket.get());
}

}  // namespace weft::fabric::shm
