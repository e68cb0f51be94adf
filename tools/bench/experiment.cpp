// What all experiments share; see experiment.hpp.
#include "bench/experiment.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>

#include "bench/settings.hpp"

namespace weft::bench {

bool write_records(const Record& facts, const Records& records, const Output& output) {
  if (output.format == "csv") return write_text(records_as_csv(records), output.out);
  Record document = facts;
  document["records"] = records;
  if (output.format == "json") return write_text(document.dump(2) + "\n", output.out);
  std::string text;
  for (const auto& [name, value] : facts.items())
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value.is_string() ? value.get<std::string>() : value.dump());
  return write_text(text + "\n" + records_as_table(records), output.out);
}

std::vector<int> parse_counts(const std::string& text) {
  std::vector<int> counts;
  for (const std::size_t size : parse_sizes(text)) {
    if (size == 0) throw std::invalid_argument("'" + text + "': 0 is no count");
    counts.push_back(static_cast<int>(size));
  }
  return counts;
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (letter == ',') words.emplace_back();
    else words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return words;
}

bool everyone_can(const Job& job, const std::string& command, const std::string& note) {
  int first = note.empty() ? job.size : job.rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == job.size) return true;
  std::string told = job.rank == first ? fmt::format("rank {} on {}: {}", job.rank, job.host, note) : "";
  constexpr std::size_t most_letters = 1024;
  told.resize(most_letters);
  MPI_Bcast(told.data(), static_cast<int>(told.size()), MPI_CHAR, first, MPI_COMM_WORLD);
  if (job.rank == 0) fmt::print(stderr, "weft-bench {}: {}\n", command, told.c_str());
  return false;
}

Histogram sum_at_root(Histogram& mine, MPI_Comm comm) {
  Histogram all;
  MPI_Reduce(mine.buckets().data(), all.buckets().data(), static_cast<int>(all.buckets().size()), MPI_UINT64_T, MPI_SUM, 0, comm);
  return all;
}

double cpu_seconds_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

bool ranks_share_cores() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int ranks = 1;
  MPI_Comm_size(host, &ranks);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  MPI_Allreduce(MPI_IN_PLACE, &allowed, static_cast<int>(sizeof allowed), MPI_BYTE, MPI_BOR, host);
  MPI_Comm_free(&host);
  return CPU_COUNT(&allowed) < ranks;
}

}  // namespace weft::bench
