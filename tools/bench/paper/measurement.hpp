// One measurement: a subcommand of weft-bench run as a job, or as one job for each paradigm, and what came of it. Main thread.
#pragma once

#include <string>
#include <vector>

#include "bench/records.hpp"

namespace weft::bench::paper {

struct MeasurementPlan {
  std::string key;
  std::string subcommand;
  std::string options;
  int ranks = 2;
  std::vector<std::string> paradigms;   // a job for each; empty: one job, weft's choice
};

struct Measurement {
  MeasurementPlan plan;
  std::string command;                  // as a user would type it
  Record facts = Record::object();      // of the first job that ran
  Records records = Records::array();
  std::vector<std::string> notes;       // why something is not there
};

// What all jobs of a run have in common, and what has been learnt on the way.
class Runner {
 public:
  // launch: shell text that starts a job, such as "weftrun --hosts a,b"; empty: the weftrun beside this program.
  Runner(std::string launch, std::string flags) : launch_(std::move(launch)), flags_(std::move(flags)) {}
  Measurement run(const MeasurementPlan& plan);
  bool anything_failed() const { return anything_failed_; }

 private:
  void run_job(const MeasurementPlan& plan, const std::string& paradigm, Measurement& measurement);
  std::string missing_of(const std::string& what) const;

  std::string launch_, flags_;
  std::vector<std::pair<std::string, std::string>> missing_;   // a paradigm or subcommand, and why it can't run here
  bool anything_failed_ = false;
};

}  // namespace weft::bench::paper
