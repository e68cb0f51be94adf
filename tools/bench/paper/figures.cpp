// What is measured and drawn; see figures.hpp. Of the paper's figures 5 to 14 each has its number; what the paper names as
// future work (window, several servers and pollers) follows under letters.
#include "bench/paper/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::bench::paper {
namespace {

// Six of the paper, and two hybrids of the kind that HERD mixes.
const std::vector<std::string> all_paradigms = {"write-write", "read-write", "write-read", "read-read", "send-send", "socket-socket", "write-send", "send-write"};

std::string counts_up_to(int most) {
  std::string text = "1";
  for (int count = 2; count < most; count *= 2) text += fmt::format(",{}", count);
  return most > 1 ? text + fmt::format(",{}", most) : text;
}

}  // namespace

std::vector<MeasurementPlan> plan_measurements(const PaperSettings& settings) {
  constexpr double points = 350;   // about as many as there are below
  constexpr double quick_seconds = 0.003;
  const bool quick = settings.quick;
  const std::string time = fmt::format(" --seconds {:.3g}", quick ? quick_seconds : settings.seconds / points);
  const std::string raw = time + (settings.device.empty() ? "" : " --device " + settings.device);
  const std::string clients = counts_up_to(settings.clients);
  const int with_server = settings.clients + 1;
  const auto either = [quick](const char* few, const char* many) { return std::string(quick ? few : many); };
  return {
      {"operations", "primitives", "--sizes 8" + raw, 2, {}},
      {"beside", "latency", "--sizes 8" + time, 2, {"write-write", "send-send"}},
      {"payload", "primitives", "--operations send,write --sizes " + either("64,65", "8,32,63,64,65,127,128,129,256") + " --measure throughput" + raw, 2, {}},
      {"signals", "primitives", "--operations send,write --signal-every " + either("1,512", "1,4,16,64,256,512") + " --measure throughput" + raw, 2, {}},
      {"inline", "primitives", "--operations send,write --transports rc,uc,ud --inline on,off --sizes " + either("64", "8,64,128,256,512") + raw, 2, {}},
      {"reads", "primitives", "--operations send,write,read --sizes " + either("8,4k", "8,64,512,4k,32k") + raw, 2, {}},
      {"clients", "primitives", "--operations send,write,read,faa --clients " + clients + " --measure throughput" + raw, with_server, {}},
      {"paradigms", "paradigms", "--clients " + clients + time, with_server, all_paradigms},
      {"sizes", "paradigms", "--sizes " + either("8,64k", "8,64,512,4k,32k,256k") + time, 2, all_paradigms},
      {"windows", "paradigms", "--windows " + either("1,8", "1,2,4,8,16,32,64") + time, 2, all_paradigms},
      {"servers", "paradigms", "--servers 1,2 --pollers 1,2 --clients 2 --windows 8" + time, 4, all_paradigms},
  };
}

const std::vector<Figure>& figures() {
  static const std::vector<Figure> list = {
      {"fig05", "Figure 5: the operations, 8 bytes", "How long does a single operation take on the raw device? SEND and WRITE one way, the others to their completion.",
       "operations", "operation", "p50 us", "operation", "us, median", {"transport"}, false, false, true},
      {"fig06", "Figure 6: payload", "Does the rate drop where a payload crosses a cache line, at 64 and 65 bytes?", "payload", "bytes", "ops/s", "payload bytes",
       "operations/s", {"operation"}, true},
      {"fig07", "Figure 7: selective signalling", "What is saved when only every n-th of a queue of 2048 is signalled?", "signals", "signal every", "ops/s",
       "operations to one signal", "operations/s", {"operation"}, true},
      {"fig08", "Figure 8: inline and transport, rate", "What do inline payloads and a transport that promises less gain?", "inline", "bytes", "ops/s",
       "payload bytes", "operations/s", {"operation", "transport", "inline"}, true},
      {"fig09", "Figure 9: inline and transport, latency", "The same for a single message, one way.", "inline", "bytes", "p50 us", "payload bytes",
       "us one way, median", {"operation", "transport", "inline"}, true},
      {"fig10", "Figure 10: READ against SEND and WRITE, rate", "Is reading a peer's memory slower than writing it?", "reads", "bytes", "ops/s", "payload bytes",
       "operations/s", {"operation"}, true, true},
      {"fig11", "Figure 11: READ against SEND and WRITE, latency", "A READ needs a round, a SEND or WRITE half of one.", "reads", "bytes", "p50 us",
       "payload bytes", "us, median", {"operation"}, true, true},
      {"fig12", "Figure 12: clients of one server, raw device", "How does the rate grow with the clients?", "clients", "clients", "ops/s", "clients",
       "operations/s", {"operation"}},
      {"fig13", "Figure 13: paradigms, requests answered", "Echo of 8 bytes through weft, one request of each client under way.", "paradigms", "clients",
       "requests/s", "clients", "requests/s", {"paradigm"}},
      {"fig14", "Figure 14: paradigms, latency", "The same requests, each timed: from the request to its reply.", "paradigms", "clients", "p50 us", "clients",
       "us there and back, median", {"paradigm"}, false, true},
      {"fig14_tail", "Figure 14, the tail", "The slowest of a hundred of the same requests.", "paradigms", "clients", "p99 us", "clients",
       "us there and back, p99", {"paradigm"}, false, true},
      {"figA", "A: payload through weft", "One client, one request under way.", "sizes", "bytes", "p50 us", "payload bytes", "us there and back, median",
       {"paradigm"}, true, true},
      {"figB", "B: window", "Future work of the paper: one client with several requests under way.", "windows", "window", "requests/s", "requests under way",
       "requests/s", {"paradigm"}, true},
      {"figC", "C: servers and pollers", "Future work of the paper: two clients, one or two servers with one or two polling threads each; 8 requests under way.",
       "servers", "servers", "requests/s", "servers", "requests/s", {"paradigm", "pollers"}, false, false, true},
  };
  return list;
}

Plot plot_of(const Figure& figure, const Records& records) {
  Plot plot{figure.x_label, figure.y_label, figure.log_x, figure.log_y, {}, {}};
  const auto text = [](const Record& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
  for (const auto& record : records) {
    if (!record.contains(figure.x) || !record.contains(figure.y) || !record[figure.y].is_number()) continue;
    std::string name;
    for (const std::string& column : figure.series) {
      const std::string part = column == "inline" ? (record[column] == "on" ? "inline" : "") : column == "pollers" ? text(record[column]) + " pollers" : text(record[column]);
      if (!part.empty()) name += (name.empty() ? "" : " ") + part;
    }
    auto series = std::find_if(plot.series.begin(), plot.series.end(), [&](const Series& one) { return one.name == name; });
    if (series == plot.series.end()) series = plot.series.insert(series, Series{name, {}});
    double x = record[figure.x].is_number() ? record[figure.x].get<double>() : 0;
    if (figure.bars) {
      const std::string bar = text(record[figure.x]);
      auto place = std::find(plot.x_names.begin(), plot.x_names.end(), bar);
      if (place == plot.x_names.end()) place = plot.x_names.insert(place, bar);
      x = static_cast<double>(place - plot.x_names.begin());
    }
    series->points.emplace_back(x, record[figure.y].get<double>());
  }
  return plot;
}

}  // namespace weft::bench::paper
