// Counters and locks through the C++ face: counting, waiting, guards of the standard library, errors as exceptions.
#include "check.hpp"

#include <weft/counter.hpp>
#include <weft/lock.hpp>

#include <mutex>

int main(int argc, char** argv)
{
  weft::Environment environment(argc, argv);
  auto world = weft::Comm::world();
  const int size = world.size();
  weft::Counter counter(world, size - 1, 5, 3);
  weft::Lock lock(world, 0);

  const std::int64_t before = counter++;
  check(before >= 5 && before < 5 + size, "counted");
  check(counter.wait_at_least(5 + size) == 5 + size, "all have counted");
  check(!counter.wait_equal(-1, 0, weft::Seconds(0)).has_value(), "not reached");
  world.barrier();

  for (int i = 0; i < 100; ++i) {
    const std::lock_guard guard(lock);
    counter.swap(counter.read(1) + 1, 1);
  }
  world.barrier();
  check(counter.read(1) == 5 + 100 * size, "one at a time");

  std::int64_t expected = counter.read(2);
  while (!counter.compare_exchange(expected, expected + 2, 2)) {}
  world.barrier();
  check(counter.read(2) == 5 + 2 * size, "compare and exchange");

  if (world.rank() == 0) {
    const std::unique_lock guard(lock, std::try_to_lock);
    check(guard.owns_lock() && lock.owner() == 0, "owned");
    counter++;
    check(size == 1 || counter.wait_at_least(7 + size).has_value(), "seen by another");
  } else if (world.rank() == 1) {
    check(counter.wait_at_least(6 + size).has_value(), "taken");
    check(lock.try_acquire() == weft::Lock::Outcome::busy && lock.acquire(weft::Seconds(0.01)) == weft::Lock::Outcome::busy, "busy");
    counter++;
  }
  world.barrier();
  check(!lock.owner(), "free");
  world.barrier();                     // all have looked
  if (world.rank() == size - 1) check(lock.acquire() == weft::Lock::Outcome::taken, "taken in the end"), lock.release();

  int error_class = MPI_SUCCESS;
  try {
    (void)counter.read(3);
  } catch (const weft::Error& error) {
    error_class = error.error_class();
  }
  check(error_class == MPI_ERR_ARG, "an index that is not there");
  weft::Counter moved(std::move(counter));
  check(counter.handle() == WEFT_COUNTER_NULL && moved.read(1) == 5 + 100 * size, "moved");
}
