// Standard output and error of one rank: pipes, or a terminal where the launcher writes to one, read in lines. Main thread.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "launcher/event_loop.hpp"
#include "launcher/output.hpp"
#include "launcher/ports.hpp"
#include "os/expected.hpp"

namespace weft::launcher {

Done open_pipe(os::Fd& read_end, os::Fd& write_end);

class RankStreams {
 public:
  using Sink = std::function<void(Stream stream, std::string_view text)>;
  RankStreams(EventLoop& loop, const Terminal& terminal, bool whole_lines, Sink sink);

  Done open(os::Fd (&theirs)[2]);          // the rank's ends, to be closed once it has started
  void listen(Stream stream, bool on);
  void read_out();                         // what it has written by now
  void drain();                            // nobody writes any more: the rest, and the end

 private:
  struct Source {
    os::Fd ours;
    std::optional<LineReader> lines;
  };
  void read(Stream stream, bool to_the_end);
  void drain(Stream stream);
  void close(Stream stream);
  void show_prompts();
  Source& source(Stream stream) noexcept { return sources_[static_cast<std::size_t>(stream)]; }

  EventLoop& loop_;
  const Terminal& terminal_;
  bool whole_lines_;
  Sink sink_;
  Source sources_[2];
  bool prompts_timed_ = false;
};

}  // namespace weft::launcher
