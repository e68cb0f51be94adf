// Point-to-point through the face: values, ranges, temporaries refused, unknown lengths, requests as objects.
#include "check.hpp"

#include <array>
#include <list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

// what must not compile
template <class T>
concept CanIsend = requires(const weft::Comm& comm, T&& data) { comm.isend(std::forward<T>(data), 0); };
template <class T>
concept CanSend = requires(const weft::Comm& comm, const T& data) { comm.send(data, 0); };
template <class T>
concept CanReceive = requires(const weft::Comm& comm, T&& data) { comm.receive(std::forward<T>(data)); };
static_assert(CanIsend<std::vector<int>&> && CanIsend<const double&> && CanIsend<std::span<int>>);
static_assert(!CanIsend<std::vector<int>> && !CanIsend<double>);
static_assert(!CanSend<std::list<int>> && !CanSend<std::vector<bool>> && !CanSend<std::vector<std::string>> && !CanSend<int*>);
static_assert(CanReceive<std::vector<int>&> && CanReceive<std::span<double>> && CanReceive<int&>);
static_assert(!CanReceive<const std::vector<int>&> && !CanReceive<std::span<const double>> && !CanReceive<const int&>);

void values_and_ranges(const weft::Comm& world)
{
  const int to = (world.rank() + 1) % world.size(), from = (world.rank() + world.size() - 1) % world.size();
  std::vector<double> out(1000), in(1500, -1.0);
  std::iota(out.begin(), out.end(), world.rank());
  const weft::Status status = world.sendrecv(out, to, in, from, 5);
  check(status.source() == from && status.tag() == 5 && status.count<double>() == 1000, "status of sendrecv");
  check(in[0] == from && in[999] == from + 999 && in[1000] == -1.0, "data of sendrecv");

  int value = -1;
  world.sendrecv(world.rank() * 2, to, value, from);
  check(value == from * 2, "one value");

  const std::string text = "rank " + std::to_string(world.rank());
  auto sent = world.isend(text, to, 7);
  const auto letters = world.receive_vector<char>(from, 7);
  check(std::string(letters.begin(), letters.end()) == "rank " + std::to_string(from), "a message of unknown length");
  sent.wait();

  const std::array<std::array<float, 3>, 2> points{{{1, 2, 3}, {4, 5, static_cast<float>(world.rank())}}};
  auto points_sent = world.isend(points, to, 8);
  std::array<std::array<float, 3>, 2> got{};
  check(world.receive(got, from, 8).count<std::array<float, 3>>() == 2, "nested arrays");
  check(got[1][2] == static_cast<float>(from) && got[0][1] == 2, "data of nested arrays");
}

void requests(const weft::Comm& world)
{
  const int to = (world.rank() + 1) % world.size(), from = (world.rank() + world.size() - 1) % world.size();
  std::vector<int> out(10), in(10, -1);
  std::iota(out.begin(), out.end(), 100 * world.rank());
  std::vector<weft::Request> pending;
  for (int i = 0; i < 10; ++i) pending.push_back(world.irecv(in[static_cast<std::size_t>(i)], from, i));
  check(pending[0].active() && !weft::Request().active(), "active");
  for (int i = 9; i >= 0; --i) pending.push_back(world.isend(out[static_cast<std::size_t>(i)], to, i));
  weft::wait_all(pending);
  for (int i = 0; i < 10; ++i) check(in[static_cast<std::size_t>(i)] == 100 * from + i, "data of requests");

  int late = -1;
  auto receive = world.irecv(std::span(&late, 1), from, 20);
  check(!receive.test().has_value() || world.size() > 1, "nothing sent yet");
  {
    const int value = 5;
    auto send = world.isend(value, to, 20);
  } // its destructor waits
  while (!receive.test()) {
  }
  check(late == 5 && !receive.active(), "tested until done");
  weft::Request moved = world.irecv(late, from, 21);
  receive = std::move(moved);
  world.send(6, to, 21);
  check(receive.wait().tag() == 21 && late == 6, "moved request");
}

}  // namespace

int main(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  const auto world = weft::Comm::world();
  values_and_ranges(world);
  requests(world);
  world.barrier();
}
