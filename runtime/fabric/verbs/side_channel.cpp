// Greeting.
#include "fabric/verbs/side_channel.hpp"

#include <algorithm>
#include <cstring>

#include "os/clock.hpp"

namespace weft::fabric::verbs {
namespace {

constexpr std::uint8_t flag_heard = 1;       // the sender has heard the receiver's greeting
constexpr std::uint8_t flag_open = 2;        // and knows that the receiver has heard its own: no answer is needed
constexpr std::int64_t first_pause_ns = 20'000'000;
constexpr std::int64_t longest_pause_ns = 1'000'000'000;

}  // namespace

void SideChannel::begin(int peer, const Route& route, const Greeting& ours, Greeted& endpoint) {
  Contact& contact = contacts_[peer];
  contact.peer = peer;
  contact.route = route;
  contact.ours = ours;
  contact.endpoint = &endpoint;
  contact.pause_ns = first_pause_ns;
  contact.due_ns = os::now_ns() + first_pause_ns;
  unfinished_.push_back(&contact);
  if (contact.early == nullptr) return greet(contact);
  const std::unique_ptr<Greeting> early = std::move(contact.early);
  take(contact, contact.early_flags, *early);
}

void SideChannel::handle(const DatagramHead& head, const Greeting& greeting) {
  const auto [found, is_new] = contacts_.try_emplace(head.from);
  Contact& contact = found->second;
  if (contact.endpoint != nullptr) return take(contact, head.flags, greeting);
  contact.early_flags = head.flags;
  if (is_new) {
    contact.early = std::make_unique<Greeting>(greeting);
    fresh_.push_back(head.from);
  }
}

void SideChannel::take(Contact& contact, std::uint8_t flags, const Greeting& theirs) {
  if (!contact.heard) {
    contact.heard = true;
    contact.endpoint->heard(theirs);
  }
  if ((flags & flag_heard) != 0 && !contact.finished) {
    contact.finished = true;
    unfinished_.erase(std::find(unfinished_.begin(), unfinished_.end(), &contact));
    contact.endpoint->ready();
  }
  if ((flags & flag_open) == 0) greet(contact);
}

int SideChannel::poll_contact() noexcept {
  while (!fresh_.empty()) {
    const int peer = fresh_.back();
    fresh_.pop_back();
    if (contacts_[peer].endpoint == nullptr) return peer;
  }
  return -1;
}

// A greeting that can't leave now is as good as one that was lost.
void SideChannel::greet(const Contact& contact) noexcept {
  const std::uint32_t buffer = queue_.buffers().take();
  if (buffer == no_buffer) return;
  DatagramHead head = queue_.head_for(contact.peer, DatagramKind::greeting);
  head.bytes = sizeof(Greeting);
  head.flags = static_cast<std::uint8_t>((contact.heard ? flag_heard : 0) | (contact.finished ? flag_open : 0));
  std::memcpy(queue_.buffers().at(buffer), &head, sizeof head);
  std::memcpy(queue_.buffers().at(buffer) + sizeof head, &contact.ours, sizeof contact.ours);
  (void)queue_.post(contact.route, buffer);
  queue_.buffers().give(buffer);
}

std::int64_t SideChannel::due_ns() const noexcept {
  std::int64_t due = INT64_MAX;
  for (const Contact* contact : unfinished_) due = std::min(due, contact->due_ns);
  return due;
}

void SideChannel::repeat(std::int64_t now_ns) noexcept {
  for (std::size_t i = 0; i < unfinished_.size();) {
    Contact& contact = *unfinished_[i];
    if (contact.endpoint->is_lost()) {
      unfinished_.erase(unfinished_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    ++i;
    if (contact.due_ns > now_ns) continue;
    contact.pause_ns = std::min(2 * contact.pause_ns, longest_pause_ns);
    contact.due_ns = now_ns + contact.pause_ns;
    greet(contact);
  }
}

}  // namespace weft::fabric::verbs
