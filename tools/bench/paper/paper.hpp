// weft-bench paper: repeats the experiments of the paper on the fabric at hand and writes CSV, JSON and a page with plots.
// "The paper" is Hemmatpour, Montrucchio, Rebaudengo, Communicating Efficiently on Cluster-Based RDMA over InfiniBand
// Protocol, Applied Sciences 8(11):2034, 2018. No job itself: it starts one for each measurement. Main thread only.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace weft::bench {

struct PaperSettings {
  std::string out;                // folder
  bool quick = false;             // few points, short ones: whether all works, not what it says
  std::string launch;             // how a job starts; empty: the weftrun that stands beside
  std::string fabrics;            // empty: weft's choice
  std::string device;             // RDMA device of the raw measurements
  int clients = 4;                // most clients of a server
  double seconds = 90;            // measuring time, all figures together
};

void add_paper_options(CLI::App& command, PaperSettings& settings);
// The exit code.
int run_paper(const PaperSettings& settings);

}  // namespace weft::bench
