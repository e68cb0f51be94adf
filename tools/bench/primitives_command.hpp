// weft-bench primitives as main.cpp sees it.
#pragma once

#include "bench/experiment.hpp"
#include "bench/verbs/device.hpp"

namespace weft::bench {

struct PrimitivesSettings {
  std::string operations = "send,write,read,faa,cas";
  std::string transports = "rc";
  std::string sizes = "8";
  std::string signal_every = "64";
  std::string in_line = "auto";
  std::string clients;
  std::string measure = "both";
  int depth = 2048;
  int batch = 16;
  double seconds = 0.3;
  verbs::DeviceChoice device;
  Output output;
};

void add_primitives_options(CLI::App& command, PrimitivesSettings& settings);
// Every rank calls it; the exit code. Throws std::invalid_argument for a bad option, std::runtime_error when a verb fails.
int run_primitives(const Job& job, const PrimitivesSettings& settings);

}  // namespace weft::bench
