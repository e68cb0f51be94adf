// The matrix of channels.
#include "match/report.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "os/log.hpp"
#include "os/options.hpp"

namespace weft::match {
namespace {

constexpr const char* row_key = "weft.report";
constexpr std::int64_t card_limit_ms = 60'000;
constexpr std::size_t widest_matrix = 40;

using Row = std::vector<std::string>;

Expected<Row> own_row(const channel::Switchboard& switchboard, int size) {
  Row row;
  for (int peer = 0; peer < size; ++peer) {
    const Expected<channel::Choice> choice = switchboard.choose(peer);
    if (!choice) return choice.failure();
    row.push_back(fmt::format("{}, {}-{}: {}", choice->fabric, channel::link_verb(choice->paradigm.request),
                              channel::link_verb(choice->paradigm.reply), choice->reason));
  }
  return row;
}

// A line a run of equal entries, so that the row of a large job fits a card: how many, and the text.
std::string joined(const Row& row) {
  std::string text;
  for (std::size_t first = 0, end = 0; first < row.size(); first = end) {
    while (end < row.size() && row[end] == row[first]) ++end;
    text += fmt::format("{} {}\n", end - first, row[first]);
  }
  return text;
}

Row split(std::string_view text) {
  Row row;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    std::size_t count = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + end, count);
    row.insert(row.end(), error == std::errc{} ? count : 0, std::string(rest + 1, text.data() + end));
  }
  return row;
}

std::string letter_of(std::size_t number) { return number < 26 ? std::string(1, static_cast<char>('a' + number)) : fmt::format("a{}", number); }

// "0-39 a, 40-79 b"
std::string ranges(const std::vector<std::size_t>& letters) {
  std::string text;
  for (std::size_t first = 0; first < letters.size();) {
    std::size_t end = first + 1;
    while (end < letters.size() && letters[end] == letters[first]) ++end;
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", first, end - first > 1 ? fmt::format("-{}", end - 1) : "", letter_of(letters[first]));
    first = end;
  }
  return text;
}

Done report(const Row& mine, const boot::Job& job) {
  if (job.size > 1) {
    if (Done put = boot::put_card(row_key, joined(mine)); !put) return put.failure();
    if (Done fenced = boot::fence(); !fenced) return fenced;
  }
  if (job.rank != 0) return Nothing{};
  std::vector<Row> rows{mine};
  for (int rank = 1; rank < job.size; ++rank) {
    const Expected<std::string> row = boot::get_card(rank, row_key, os::Deadline::in_ms(card_limit_ms));
    if (!row) return row.failure();
    rows.push_back(split(*row));
  }
  for (const std::string& line : matrix_lines(rows)) os::log_error("{}", line);
  return Nothing{};
}

}  // namespace

std::vector<std::string> matrix_lines(const std::vector<Row>& rows) {
  std::vector<std::string> meanings;
  std::vector<std::vector<std::size_t>> letters;
  for (const Row& row : rows) {
    letters.emplace_back();
    for (const std::string& text : row) {
      const auto known = std::find(meanings.begin(), meanings.end(), text);
      letters.back().push_back(static_cast<std::size_t>(known - meanings.begin()));
      if (known == meanings.end()) meanings.push_back(text);
    }
  }
  std::vector<std::string> lines{"channels: row a rank, column a peer"};
  if (rows.size() <= widest_matrix) {
    std::string head = "     ";
    for (std::size_t peer = 0; peer < rows.size(); ++peer) head += fmt::format("{:>3}", peer);
    lines.push_back(head);
  }
  for (std::size_t rank = 0; rank < letters.size();) {
    if (rows.size() <= widest_matrix) {
      std::string line = fmt::format("{:>5}", rank);
      for (const std::size_t letter : letters[rank]) line += fmt::format("{:>3}", letter_of(letter));
      lines.push_back(line);
      ++rank;
      continue;
    }
    const std::size_t first = rank++;
    while (rank < letters.size() && letters[rank] == letters[first]) ++rank;
    lines.push_back(fmt::format("{}-{}: {}", first, rank - 1, ranges(letters[first])));
  }
  for (std::size_t letter = 0; letter < meanings.size(); ++letter) lines.push_back(fmt::format("{}  {}", letter_of(letter), meanings[letter]));
  return lines;
}

Done check_choices(const channel::Switchboard& switchboard, const boot::Job& job) {
  const bool wanted = os::option_number("report") != 0;
  // Without a demand all is well where the ports reach everybody; asking for each peer's card would make a start grow with the job.
  const std::size_t for_others = switchboard.ports().size() - 1 - (switchboard.shm() != nullptr ? 1 : 0);
  const bool reached = job.local_size == job.size ? job.size == 1 || switchboard.ports().size() > 1 : for_others != 0;
  if (os::option_text("paradigm") == "auto" && reached && !wanted) return Nothing{};
  const Expected<Row> row = own_row(switchboard, job.size);
  if (!row) return row.failure();
  return wanted ? report(*row, job) : Done(Nothing{});
}

}  // namespace weft::match
