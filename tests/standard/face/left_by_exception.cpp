// One rank leaves main by an exception while the others wait for it: the job ends, with exit code 1, and does not hang.
// Run by the tests as a job that must fail.
#include <weft/weft.hpp>

#include <cstdio>

namespace {

void run(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  const auto world = weft::Comm::world();
  if (world.rank() == world.size() - 1) throw std::runtime_error("a rank gives up");
  world.barrier();
}

}  // namespace

int main(int argc, char** argv)
{
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    std::puts(error.what());
    return 0;
  }
}
