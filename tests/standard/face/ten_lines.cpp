// The ten-line program of the face: sends, receives and reduces.
#include <weft/weft.hpp>

#include <vector>

int main(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  auto world = weft::Comm::world();
  const int next = (world.rank() + 1) % world.size();
  auto request = world.isend(next, next);
  const int got = world.receive<int>();
  const int sum = world.all_reduce(got, weft::op::sum);
  return got == world.rank() && sum == world.size() * (world.size() - 1) / 2 ? 0 : 1;
}
