// Collectives through the face, on values, vectors, spans, arrays and structs; own operations; split and dup.
#include "check.hpp"

#include <array>
#include <numeric>
#include <span>
#include <vector>

struct Particle {
  double position[3];
  int kind;
  friend bool operator==(const Particle&, const Particle&) = default;
};
template <>
inline constexpr bool weft::as_bytes<Particle> = true;

namespace {

Particle particle_of(int rank)
{
  return {{1.0 * rank, 2.0, 3.0}, rank + 7};
}

void moving_data(const weft::Comm& world)
{
  const int size = world.size(), rank = world.rank();
  std::vector<int> data(100, rank == 0 ? 4 : 0);
  world.broadcast(data);
  check(data[99] == 4, "broadcast of a vector");
  Particle particle = particle_of(rank);
  world.broadcast(particle, size - 1);
  check(particle == particle_of(size - 1), "broadcast of a struct as bytes");

  const auto all = world.all_gather(particle_of(rank));
  check(all.size() == static_cast<std::size_t>(size), "length of all_gather");
  for (int i = 0; i < size; ++i) check(all[static_cast<std::size_t>(i)] == particle_of(i), "all_gather");
  const std::array<int, 2> pair{rank, -rank};
  const auto pairs = world.gather(pair, size - 1);
  check(pairs.size() == (rank == size - 1 ? 2 * static_cast<std::size_t>(size) : 0), "length of gather");
  if (!pairs.empty()) check(pairs[1] == 0 && pairs.back() == -(size - 1), "gather");

  std::vector<double> whole(rank == 0 ? 3 * static_cast<std::size_t>(size) : 0), part(3);
  std::iota(whole.begin(), whole.end(), 0.5);
  world.scatter(whole, part);
  check(part[0] == 3 * rank + 0.5 && part[2] == 3 * rank + 2.5, "scatter");

  std::vector<int> out(2 * static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = 100 * rank + static_cast<int>(i);
  const auto in = world.all_to_all(out);
  for (int from = 0; from < size; ++from) check(in[2 * static_cast<std::size_t>(from) + 1] == 100 * from + 2 * rank + 1, "all_to_all");
}

void reducing(const weft::Comm& world)
{
  const int size = world.size(), rank = world.rank(), total = size * (size - 1) / 2;
  check(world.all_reduce(rank, weft::op::sum) == total, "sum");
  check(world.all_reduce(1.5 * rank, weft::op::maximum) == 1.5 * (size - 1), "maximum");
  check(world.all_reduce(rank == 0, weft::op::logical_or) && !world.all_reduce(false, weft::op::logical_or), "bool");
  const int at_root = world.reduce(rank, weft::op::sum, size - 1);
  check(at_root == (rank == size - 1 ? total : rank), "reduce");
  check(world.scan(rank + 1, weft::op::sum) == (rank + 1) * (rank + 2) / 2, "scan");
  check(world.exclusive_scan(rank + 1, weft::op::sum, 0) == rank * (rank + 1) / 2, "exclusive_scan");
  const auto best = world.all_reduce(weft::Located<double>{-2.0 * rank, rank}, weft::op::minimum_location);
  check(best.value == -2.0 * (size - 1) && best.index == size - 1, "minimum with location");
  const auto sum = world.all_reduce(std::complex<double>(1.0, rank), weft::op::sum);
  check(sum == std::complex<double>(size, total), "complex");

  std::vector<float> in(1000, 1.0f + static_cast<float>(rank)), out(1000);
  world.all_reduce(in, out, weft::op::sum);
  check(out[999] == static_cast<float>(total + size), "sum of vectors");
  world.all_reduce_in_place(in, weft::op::minimum);
  check(in[0] == 1.0f, "in place");
  world.reduce(in, out, weft::op::product, 0);
  if (rank == 0) check(out[7] == 1.0f, "reduce of vectors");
}

void own_operations(const weft::Comm& world)
{
  const weft::Operation larger([](int left, int right) { return left % 10 > right % 10 ? left : right; });
  check(world.all_reduce(30 + world.rank() % 5, larger) == 30 + std::min(4, world.size() - 1), "own operation");
  // a * x + b as (a, b) packed in a complex: associative, not commutative
  const weft::Operation compose([](const std::complex<double>& f, const std::complex<double>& g) {
    return std::complex<double>(f.real() * g.real(), f.imag() * g.real() + g.imag()); }, weft::Order::by_rank);
  std::complex<double> want(1.0, 0.0);
  for (int i = 0; i < world.size(); ++i) want = {want.real() * 2.0, want.imag() * 2.0 + i};
  check(world.all_reduce(std::complex<double>(2.0, world.rank()), compose) == want, "ordered operation");
}

void other_communicators(const weft::Comm& world)
{
  const auto copy = world.dup();
  check(copy.size() == world.size() && copy.handle() != world.handle(), "dup");
  const auto half = world.split(world.rank() % 2, -world.rank());
  check(half.size() == (world.size() + 1 - world.rank() % 2) / 2, "size of a half");
  check(half.all_reduce(world.rank() % 2, weft::op::maximum) == world.rank() % 2, "a half among itself");
  const auto some = world.split(world.rank() == 0 ? MPI_UNDEFINED : 1);
  check(static_cast<bool>(some) == (world.rank() != 0), "left out");
  check(weft::Comm::self().size() == 1, "self");
}

}  // namespace

int main(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  const auto world = weft::Comm::world();
  moving_data(world);
  reducing(world);
  own_operations(world);
  other_communicators(world);
}
