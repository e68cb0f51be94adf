// weft-bench paradigms: echo requests from clients to servers through the runtime, under the one paradigm that the job was
// started with (WEFT_PARADIGM). Plain MPI, the same code for all paradigms, so that none is written better than another.
// This file: what main.cpp and the parts share. Threads: a server's pollers are threads; all else is the main thread.
#pragma once

#include <mpi.h>

#include "bench/experiment.hpp"
#include "bench/histogram.hpp"
#include "bench/tick_clock.hpp"

namespace weft::bench {

struct ParadigmsSettings {
  std::string sizes = "8";
  std::string windows = "1";
  std::string clients;            // empty: every rank that is no server
  std::string servers = "1";
  std::string pollers = "1";
  double seconds = 0.3;
  bool all = false;               // start a job for each paradigm
  std::string paradigms = "write-write,read-write,write-read,read-read,send-send,socket-socket,write-send,send-write";
  std::string launch;             // what starts these jobs; empty: the weftrun beside this program
  int ranks = 2;                  // of each
  Output output;
};

void add_paradigms_options(CLI::App& command, ParadigmsSettings& settings);
// What MPI must be started with: pollers are threads that call it side by side.
int thread_level_of(const ParadigmsSettings& settings);
// Both give the exit code. All: not called in a job, starts one for each paradigm. The other: every rank of a job calls it.
int run_all_paradigms(const ParadigmsSettings& settings);
int run_paradigms(const Job& job, const ParadigmsSettings& settings);

// One point of the sweep. Ranks below `servers` serve; client k asks server k modulo `servers`.
struct EchoPoint {
  std::size_t bytes = 8;
  int window = 1;                 // requests of a client under way
  int clients = 1;
  int servers = 1;
  int pollers = 1;                // threads of a server, each with clients of its own
};

struct EchoResult {
  double requests = 0;            // answered after warming up
  double seconds = 0;
  double cpu_seconds = 0;
  double wasted_reads = 0;        // READs of pull links that found nothing
};

// The ranks of a point. A communicator for each poller, with the same ranks, keeps their clients apart.
struct EchoGroup {
  MPI_Comm all = MPI_COMM_NULL;
  std::vector<MPI_Comm> of_poller;
};

// Collective over the group: a server serves until its clients have ended, a client asks for `seconds`.
EchoResult echo(const EchoGroup& group, const EchoPoint& point, const TickClock& clock, double seconds, Histogram& times);

}  // namespace weft::bench
