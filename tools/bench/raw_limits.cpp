// Measuring the machine without MPI; see raw_limits.hpp.
#include "bench/raw_limits.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <mpi.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace weft::bench {

// Writers of different lines must not disturb each other's neighbour lines, which processors fetch in pairs or more.
struct SharedLines {
  struct alignas(256) Word { std::atomic<std::uint32_t> value; };
  struct alignas(64) Line { std::atomic<std::uint32_t> value; };
  Word to_rank[2];
  Word sleeping_to_rank[2];
  Word answer;
  alignas(4096) Line stream[PairMemory::stream_lines];
};

namespace {

void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// Gives up the core now and then: on a busy machine the other rank may have to run on this one.
void spin_until(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  constexpr int spins_before_yield = 4096;   // far beyond any hand-off between cores
  for (int spins = 1; word.load(std::memory_order_acquire) != value; ++spins) {
    if (spins % spins_before_yield == 0) sched_yield();
    else spin_pause();
  }
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  for (std::uint32_t seen = 0; (seen = word.load()) != value;) futex(word, FUTEX_WAIT, seen);
}

void* map(int file) {
  void* memory = mmap(nullptr, sizeof(SharedLines), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

struct FileName { int process; int number; };   // a descriptor of another process, reached through /proc

int open_peer_file(FileName name) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", name.process, name.number);
  return open(path, O_RDWR | O_CLOEXEC);
}

}  // namespace

PairMemory::PairMemory(const Job& job) : rank_(job.rank), own_cores_(job.own_cores) {
  if (job.size < 2 || !job.one_node) return;
  int file = -1;
  FileName name{static_cast<int>(getpid()), -1};
  if (rank_ == 0) {
    name.number = file = memfd_create("weft-bench", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(sizeof(SharedLines))) != 0) name.number = -1;
  }
  MPI_Bcast(&name, static_cast<int>(sizeof name), MPI_BYTE, 0, MPI_COMM_WORLD);
  void* memory = nullptr;
  if (rank_ == 1 && name.number >= 0) file = open_peer_file(name);
  if (rank_ < 2 && name.number >= 0 && file >= 0) memory = map(file);
  int everywhere = rank_ >= 2 || memory != nullptr ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (file >= 0) close(file);
  if (everywhere == 1 && memory != nullptr) lines_ = static_cast<SharedLines*>(memory);
  else if (memory != nullptr) munmap(memory, sizeof(SharedLines));
}

PairMemory::~PairMemory() {
  if (lines_ != nullptr) munmap(lines_, sizeof(SharedLines));
}

double PairMemory::handoff_ns() {
  if (!usable()) return 0;
  return own_cores_ ? spinning_handoff_ns() : sleeping_handoff_ns();
}

double PairMemory::spinning_handoff_ns() {
  constexpr int warm_up = 4, rounds = 40;
  auto& mine = lines_->to_rank[rank_].value;
  auto& theirs = lines_->to_rank[1 - rank_].value;
  double begin = 0;
  for (int round = -warm_up; round < rounds; ++round) {
    if (round == 0) begin = now_ns();
    ++turn_;
    if (rank_ == 0) theirs.store(turn_, std::memory_order_release);
    spin_until(mine, turn_);
    if (rank_ == 1) theirs.store(turn_, std::memory_order_release);
  }
  return (now_ns() - begin) / rounds / 2;
}

double PairMemory::sleeping_handoff_ns() {
  if (!usable()) return 0;
  constexpr int rounds = 10;
  auto& mine = lines_->sleeping_to_rank[rank_].value;
  auto& theirs = lines_->sleeping_to_rank[1 - rank_].value;
  const auto hand_over = [&] { theirs.store(turn_); futex(theirs, FUTEX_WAKE, 1); };
  double begin = 0;
  for (int round = -1; round < rounds; ++round) {
    if (round == 0) begin = now_ns();
    ++turn_;
    if (rank_ == 0) hand_over();
    sleep_until(mine, turn_);
    if (rank_ == 1) hand_over();
  }
  return (now_ns() - begin) / rounds / 2;
}

double PairMemory::line_stream_ns() {
  if (!usable() || !own_cores_) return 0;
  handoff_ns();   // both start together, with the lines read by the other side last
  ++turn_;
  const double begin = now_ns();
  if (rank_ == 0) {
    for (auto& line : lines_->stream) line.value.store(turn_, std::memory_order_release);
    spin_until(lines_->answer.value, turn_);
  } else {
    for (auto& line : lines_->stream) spin_until(line.value, turn_);
    lines_->answer.value.store(turn_, std::memory_order_release);
  }
  return (now_ns() - begin) / stream_lines;
}

CopyLimit::CopyLimit(std::size_t bytes) : from_(bytes, std::byte{1}), to_(bytes) {}

double CopyLimit::copy_ns(std::size_t bytes) {
  constexpr std::size_t window_bytes = 64 * 1024;   // a few microseconds: well above the clock's grain
  bytes = std::min(bytes, from_.size());
  if (bytes == 0) return 0;
  const std::size_t rounds = std::max<std::size_t>(1, std::min<std::size_t>(1000, window_bytes / bytes));
  const double begin = now_ns();
  for (std::size_t round = 0; round < rounds; ++round) {
    std::memcpy(to_.data(), from_.data(), bytes);
    asm volatile("" ::"r"(to_.data()) : "memory");   // each copy is really made
  }
  return (now_ns() - begin) / static_cast<double>(rounds);
}

namespace {

template <typename Action>
double per_call_ns(Action&& action) {
  constexpr int calls = 100;
  const double begin = now_ns();
  for (int i = 0; i < calls; ++i) action();
  return (now_ns() - begin) / calls;
}

}  // namespace

double clock_read_ns() {
  return per_call_ns([] { (void)now_ns(); });
}

double system_call_ns() {
  return per_call_ns([] { syscall(SYS_getppid); });
}

double wake_nobody_ns() {
  std::atomic<std::uint32_t> word{0};
  return per_call_ns([&] { futex(word, FUTEX_WAKE, 1); });
}

}  // namespace weft::bench
