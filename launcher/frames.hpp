// Frames over two descriptors, both ways: a length and that many bytes of MessagePack, an array that opens with a name. Frames
// are whole or not there; writing never blocks, what can't be written waits. Either end notices when the other falls silent:
// an empty frame goes out every quarter of the limit. Main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "launcher/event_loop.hpp"

namespace weft::launcher {

class FramePipe {
 public:
  struct Events {
    std::function<void(const nlohmann::json& frame)> frame;
    std::function<void(const std::string& why)> end;       // at most once; nothing follows
    std::function<void(bool full)> fullness;               // more waits to be written than should, or less again
  };
  FramePipe(EventLoop& loop, os::Fd in, os::Fd out, Events events);
  ~FramePipe();
  FramePipe(const FramePipe&) = delete;
  FramePipe& operator=(const FramePipe&) = delete;

  // Whatever comes before these bytes is skipped: what a login shell on the way has to say.
  void skip_until(std::string marker) { marker_ = std::move(marker); }
  void write_raw(std::string_view bytes);
  template <typename... Values>
  void post(const char* name, const Values&... values) { post_frame(nlohmann::json::array({name, nlohmann::json(values)...})); }
  void watch_silence(double limit_s);      // from now on; 0: never
  void excuse_silence() { excused_ = true; }   // until something is heard again
  bool flush(int limit_ms) noexcept;       // blocks
  void close() noexcept;

 private:
  void post_frame(const nlohmann::json& frame);
  void read_some();
  void take_frames();
  void send();
  void tick();
  void end(const std::string& why);

  EventLoop& loop_;
  os::Fd in_, out_;
  Events events_;
  std::string marker_, received_, pending_;
  std::size_t sent_ = 0;
  double limit_s_ = 0;
  int silent_ticks_ = 0;
  bool excused_ = false, waits_ = false, full_ = false;
  EventLoop::TimerId timer_ = 0;
};

}  // namespace weft::launcher
