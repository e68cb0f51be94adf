// CLI11 does the parsing of each program's part; this file knows what weftrun's flags mean. Every option of the runtime's
// table is a flag here too (--eager-limit 8k sets WEFT_EAGER_LIMIT), so that there is one list of knobs.
#include "launcher/command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "launcher/program_search.hpp"
#include "launcher/say.hpp"
#include "os/options.hpp"

namespace weft::launcher {
namespace {

constexpr int usage_error = 2;

struct Raw {                       // the values CLI11 fills, for one program's part
  int ranks = 0;                   // not given
  std::vector<std::string> exports, hosts;
  std::string directory, map_by, bind_to, stdin_to, host_file, agent;
  bool label = false, report = false, needless = false;
  double timeout_s = 0, grace_s = -1, host_timeout_s = -1;   // not given
  std::vector<std::string> option_texts;
};

// Spellings of other launchers' scripts that mean one of our flags.
constexpr std::pair<const char*, const char*> aliases[] = {
    {"-np", "-n"},          {"--np", "-n"},          {"-c", "-n"},             {"-wdir", "--wdir"},
    {"-wd", "--wdir"},      {"--tag-output", "-l"},  {"-prepend-rank", "-l"},  {"--report-bindings", "--report"},
    {"-map-by", "--map-by"}, {"-bind-to", "--bind-to"}, {"-report-bindings", "--report"}, {"-stdin", "--stdin"},
    {"-timeout", "--timeout"}, {"-genvall", "--oversubscribe"}, {"-oversubscribe", "--oversubscribe"},
    {"-H", "--hosts"},      {"--host", "--hosts"},   {"-host", "--hosts"},     {"-hosts", "--hosts"},
    {"-f", "--hostfile"},   {"-hostfile", "--hostfile"}, {"--machinefile", "--hostfile"}, {"-machinefile", "--hostfile"},
    {"-allow-run-as-root", "--oversubscribe"}, {"--allow-run-as-root", "--oversubscribe"},
};

bool is_internal(std::string_view option) { return option == "launcher" || option == "report"; }

void add_options(CLI::App& app, Raw& raw) {
  app.add_option("-n,--ranks", raw.ranks, "number of ranks (default 1; with hosts, their slots)")->check(CLI::Range(1, 1'000'000));
  app.add_option("--hosts", raw.hosts, "hosts, NAME or NAME:SLOTS, with commas between; filled in order, --map-by node deals out")
      ->allow_extra_args(false);
  app.add_option("--hostfile", raw.host_file, "file of hosts, one a line: NAME, NAME:SLOTS or NAME slots=SLOTS");
  app.add_option("--agent", raw.agent, "command that starts something on host %h (default: ssh -o BatchMode=yes %h)");
  app.add_option("--host-timeout", raw.host_timeout_s, "seconds without a word after which a host is lost; 0: never (default 30)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("-x,--env", raw.exports, "NAME=VALUE to set, or NAME to pass on, in the ranks' environment")->allow_extra_args(false);
  app.add_option("--wdir", raw.directory, "working directory of the ranks");
  app.add_option("--map-by", raw.map_by, "core, hwthread, l3, numa, socket, node, or ppr:RANKS:OBJECT; each with :PE=CORES");
  app.add_option("--bind-to", raw.bind_to, "none, hwthread, core, l3, numa, socket, node (default: free cores shared out)");
  app.add_flag("--report", raw.report, "print binding, fabric and paradigm of each rank");
  app.add_flag("-l,--label", raw.label, "start each line of output with its rank");
  app.add_option("--timeout", raw.timeout_s, "seconds until the job is ended, with exit code 124")->check(CLI::NonNegativeNumber);
  app.add_option("--grace", raw.grace_s, "seconds between an end signal and SIGKILL (default 3)")->check(CLI::NonNegativeNumber);
  app.add_option("--stdin", raw.stdin_to, "the rank that gets standard input, or none (default 0)");
  app.add_flag("--oversubscribe", raw.needless, "accepted and needless: more ranks than cores is a normal case");
  const auto table = os::option_table();
  raw.option_texts.resize(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (is_internal(table[i].name)) continue;
    const std::string name = fmt::format("--{}", table[i].name);
    if (table[i].type == os::OptionType::flag) app.add_flag(name, raw.option_texts[i], table[i].help);
    else app.add_option(name, raw.option_texts[i], fmt::format("{} (default {})", table[i].help, table[i].fallback));
  }
}

// Rewrites foreign spellings up to the program's name, which ends the options.
std::vector<std::string> translate(const CLI::App& app, std::vector<std::string> words) {
  for (std::size_t at = 0; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
    for (const auto& [foreign, ours] : aliases)
      if (words[at] == foreign) words[at] = ours;
    if (words[at] == "-env" || words[at] == "-genv" || words[at] == "--genv") {   // two words: NAME VALUE
      if (at + 2 >= words.size()) break;
      words[at] = "-x";
      words[at + 1] += "=" + words[at + 2];
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at) + 2);
    }
    if (words[at].find('=') != std::string::npos) continue;
    const CLI::Option* const option = app.get_option_no_throw(words[at]);
    if (option != nullptr && option->get_items_expected_min() > 0) ++at;
  }
  return words;
}

Done add_exports(const Raw& raw, Program& program) {
  for (const std::string& text : raw.exports) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (name.empty()) return Failure{Status::bad_argument, fmt::format("-x {}: no name", text)};
    if (equals != std::string::npos) program.environment.emplace_back(name, text.substr(equals + 1));
    else if (std::getenv(name.c_str()) == nullptr)
      return Failure{Status::bad_argument, fmt::format("-x {}: not set in this environment, and no =VALUE given", name)};
  }
  return Nothing{};
}

// A part without hosts of its own runs on those of the part before it.
Done add_hosts(const Raw& raw, const JobRequest& request, Program& program) {
  if (raw.hosts.empty() && raw.host_file.empty() && !request.programs.empty()) program.hosts = request.programs.back().hosts;
  for (const std::string& text : raw.hosts)
    if (Done done = parse_hosts(text, program.hosts); !done) return done;
  if (!raw.host_file.empty())
    if (Done done = read_host_file(raw.host_file, program.hosts); !done) return done;
  const bool own = !raw.hosts.empty() || !raw.host_file.empty();
  program.ranks = raw.ranks;
  if (raw.ranks == 0 && own)
    for (const Host& host : program.hosts) program.ranks += host.slots;
  if (program.ranks == 0) program.ranks = 1;
  return Nothing{};
}

// Options of the runtime are set in the launcher's own environment: it hears them too, and the ranks inherit them.
void set_option(const std::string& variable, const std::string& text) { (void)::setenv(variable.c_str(), text.c_str(), 1); }

Done add_job_flags(const Raw& raw, JobRequest& request) {
  if (!raw.map_by.empty())
    if (Done done = parse_map_by(raw.map_by, request.policy); !done) return done;
  if (!raw.bind_to.empty())
    if (Done done = parse_bind_to(raw.bind_to, request.policy); !done) return done;
  request.label |= raw.label;
  request.report |= raw.report;
  if (raw.grace_s >= 0) request.grace_s = raw.grace_s;
  if (raw.timeout_s > 0) request.timeout_s = raw.timeout_s;
  if (raw.host_timeout_s >= 0) request.host_timeout_s = raw.host_timeout_s;
  if (!raw.agent.empty()) request.agent_command = raw.agent;
  if (raw.stdin_to == "none") request.stdin_rank = -1;
  else if (!raw.stdin_to.empty() && std::sscanf(raw.stdin_to.c_str(), "%d", &request.stdin_rank) != 1)
    return Failure{Status::bad_argument, fmt::format("--stdin {}: expects a rank or none", raw.stdin_to)};
  const auto table = os::option_table();
  for (std::size_t i = 0; i < table.size(); ++i)
    if (!raw.option_texts[i].empty()) set_option(os::option_variable(table[i]), raw.option_texts[i] == "true" ? "1" : raw.option_texts[i]);
  if (raw.report) set_option("WEFT_REPORT", "1");
  return Nothing{};
}

void describe(CLI::App& app) {
  app.prefix_command();
  app.set_version_flag("--version,-V", fmt::format("weftrun (weft) {}, MPI 5.0 standard ABI", WEFT_VERSION));
  app.get_formatter()->column_width(34);
  app.footer("Variables: each --flag-name of the runtime is also WEFT_FLAG_NAME; MPIEXEC_TIMEOUT is --timeout.\n"
             "Exit code: 0, or that of the first rank that failed (128 + signal); 124 time limit; 127 no such program.");
}

// One part of the command line, between colons.
std::optional<int> read_part(std::vector<std::string> words, bool only_part, JobRequest& request) {
  CLI::App app{"weftrun starts the ranks of an MPI job:\n"
               "weftrun [flags] PROGRAM [arguments] [: [flags] PROGRAM [arguments]]...", "weftrun"};
  Raw raw;
  describe(app);
  add_options(app, raw);
  if (only_part && words.empty()) words = {"--help"};
  words = translate(app, std::move(words));
  std::reverse(words.begin(), words.end());          // CLI11 takes them last first
  try {
    app.parse(words);
  } catch (const CLI::Success& wish) {               // help or version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    say("{} (weftrun --help lists the flags)", error.what());
    return usage_error;
  }
  Program program;
  program.command = app.remaining();
  program.directory = raw.directory;
  if (!program.command.empty() && program.command.front() == "--") program.command.erase(program.command.begin());
  if (program.command.empty()) { say("no program to run (weftrun --help lists the flags)"); return usage_error; }
  if (program.command.front().starts_with('-')) {
    say("{}: no such flag (weftrun --help lists the flags)", program.command.front());
    return usage_error;
  }
  if (const Done done = add_hosts(raw, request, program); !done) { say("{}", done.failure().note); return usage_error; }
  if (const Done done = add_exports(raw, program); !done) { say("{}", done.failure().note); return usage_error; }
  if (const Done done = add_job_flags(raw, request); !done) { say("{}", done.failure().note); return usage_error; }
  if (const auto problem = find_program(program)) { say("{}", problem->note); return problem->exit_code; }
  request.programs.push_back(std::move(program));
  return std::nullopt;
}

}  // namespace

CommandLine read_command_line(int count, char** arguments) {
  std::vector<std::vector<std::string>> parts(1);
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], ":") == 0) parts.emplace_back();
    else parts.back().emplace_back(arguments[i]);
  }
  JobRequest request;
  if (const char* limit = std::getenv("MPIEXEC_TIMEOUT")) request.timeout_s = std::strtod(limit, nullptr);
  for (const std::vector<std::string>& part : parts)
    if (const auto exit_code = read_part(part, parts.size() == 1, request)) return {std::nullopt, *exit_code};
  return {std::move(request), 0};
}

}  // namespace weft::launcher
