// Opening, reading, draining.
#include "launcher/rank_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/epoll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "os/clock.hpp"

namespace weft::launcher {
namespace {

constexpr std::int64_t prompt_ms = 150;         // an unfinished line that rests so long is shown at a terminal
constexpr std::int64_t drain_ms = 1000;
constexpr Stream both[] = {Stream::output, Stream::error};

// A terminal for a rank whose launcher writes to one: its C library then passes lines on as they come, and they aren't lost
// in a buffer when it crashes. Raw, so that every byte arrives as written.
Done open_terminal(const Terminal& like, os::Fd& ours, os::Fd& theirs) {
  int master = -1, slave = -1;
  termios raw{};
  ::cfmakeraw(&raw);
  winsize size{};
  size.ws_row = static_cast<unsigned short>(like.rows);
  size.ws_col = static_cast<unsigned short>(like.columns);
  if (::openpty(&master, &slave, nullptr, &raw, &size) != 0) return system_failure("terminal for a rank", errno);
  for (const int fd : {master, slave}) (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ours = os::Fd(master);
  theirs = os::Fd(slave);
  return Nothing{};
}

}  // namespace

Done open_pipe(os::Fd& read_end, os::Fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure("pipe", errno);
  read_end = os::Fd(ends[0]);
  write_end = os::Fd(ends[1]);
  return Nothing{};
}

RankStreams::RankStreams(EventLoop& loop, const Terminal& terminal, bool whole_lines, Sink sink)
    : loop_(loop), terminal_(terminal), whole_lines_(whole_lines), sink_(std::move(sink)) {}

Done RankStreams::open(os::Fd (&theirs)[2]) {
  for (const Stream stream : both) {
    Source& mine = source(stream);
    os::Fd& end = theirs[static_cast<std::size_t>(stream)];
    const bool terminal = stream == Stream::output && terminal_.output;
    Done done = terminal ? open_terminal(terminal_, mine.ours, end) : open_pipe(mine.ours, end);
    if (terminal && !done) done = open_pipe(mine.ours, end);     // terminals are few; pipes do as well
    if (!done) return done;
    (void)::fcntl(mine.ours.get(), F_SETFL, O_NONBLOCK);
    mine.lines.emplace(whole_lines_, [this, stream](std::string_view text) { sink_(stream, text); });
    loop_.watch(mine.ours.get(), 0, [this, stream](std::uint32_t) { read(stream, false); });
  }
  return Nothing{};
}

void RankStreams::listen(Stream stream, bool on) {
  if (source(stream).ours) loop_.change(source(stream).ours.get(), on ? EPOLLIN : 0u);
}

void RankStreams::read_out() {
  for (const Stream stream : both) read(stream, true);
}

void RankStreams::read(Stream stream, bool to_the_end) {
  Source& from = source(stream);
  if (!from.ours) return;
  LineReader::Result result = LineReader::Result::more;
  do result = from.lines->read_some(from.ours.get());
  while (to_the_end && result == LineReader::Result::more);
  if (result == LineReader::Result::end) return close(stream);
  if (prompts_timed_ || !from.lines->holds() || !terminal_.output) return;
  prompts_timed_ = true;
  loop_.after_ms(prompt_ms, [this] { show_prompts(); });
}

// At a terminal somebody may be waiting for the question that a rank wrote without an end of line.
void RankStreams::show_prompts() {
  prompts_timed_ = false;
  for (Source& from : sources_) {
    if (!from.lines || !from.lines->holds()) continue;
    if (from.lines->rested()) from.lines->finish();
    else prompts_timed_ = true;
  }
  if (prompts_timed_) loop_.after_ms(prompt_ms, [this] { show_prompts(); });
}

void RankStreams::close(Stream stream) {
  Source& from = source(stream);
  if (!from.ours) return;
  from.lines->finish();
  loop_.forget(from.ours.get());
  from.ours.reset();
}

void RankStreams::drain() {
  for (const Stream stream : both) drain(stream);
}

// A pipe is at its end then; a terminal may still be bringing what was written, in its own time.
void RankStreams::drain(Stream stream) {
  const os::Fd& end = source(stream).ours;
  const os::Deadline deadline = os::Deadline::in_ms(drain_ms);
  while (end && !deadline.passed()) {
    read(stream, true);
    pollfd ready{end.get(), POLLIN, 0};
    if (end) (void)::poll(&ready, 1, deadline.left_ms());
  }
  close(stream);
}

}  // namespace weft::launcher
