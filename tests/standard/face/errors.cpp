// Errors come as exceptions with class and text, the job goes on after them, and own checks of sizes come before MPI's.
#include "check.hpp"

#include <string>
#include <vector>

namespace {

template <class Call>
int class_thrown_by(Call call)
{
  try {
    call();
  } catch (const weft::Error& error) {
    check(std::string(error.what()).find("MPI_") == 0 && std::string(error.what()).size() > 10, "text");
    check(error.code() != MPI_SUCCESS, "code");
    return error.error_class();
  }
  return MPI_SUCCESS;
}

}  // namespace

int main(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  const auto world = weft::Comm::world(), self = weft::Comm::self();
  check(class_thrown_by([&] { world.send(1, world.size()); }) == MPI_ERR_RANK, "a rank that is not there");
  check(class_thrown_by([&] { world.send(1, 0, -5); }) == MPI_ERR_TAG, "a negative tag");
  check(class_thrown_by([&] { int value = 0; world.broadcast(value, -1); }) == MPI_ERR_ROOT, "a root that is not there");
  check(class_thrown_by([&] { (void)world.all_reduce(1.0, weft::op::bit_and); }) == MPI_ERR_OP, "an operation that is not defined");

  const std::vector<int> five(5);
  std::vector<int> three(3);
  auto request = self.isend(five, 0);
  check(class_thrown_by([&] { self.receive(three); }) == MPI_ERR_TRUNCATE, "too short a buffer");
  request.wait();

  bool refused = false;
  try {
    world.all_reduce(five, three, weft::op::sum);
  } catch (const std::invalid_argument& error) {
    refused = std::string(error.what()).find('5') != std::string::npos && std::string(error.what()).find('3') != std::string::npos;
  }
  check(refused, "unlike lengths, both named");
  refused = world.size() == 1;
  try {
    (void)world.all_to_all(std::vector<int>(static_cast<std::size_t>(world.size()) + 1));
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  check(refused, "parts of unlike length");
  check(world.all_reduce(1, weft::op::sum) == world.size(), "the job goes on");
}
