// holdfast launch: any program as the processes of a job on this machine.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "experiments/config/quantity.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/metrics_option.hpp"
#include "hw/launch/engine_program.hpp"
#include "hw/launch/job_key.hpp"
#include "hw/launch/programs.hpp"
#include "hw/launch/verbs_rail.hpp"
#include "stack/base/random.hpp"
#include "stack/several_rails.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kProcessesMax = 4096;

const std::array kOptions = {
    Option{"-n", "N", "how many processes, at most 4096; must be given"},
    Option{"--per-node", "K",
           "act as if there were K of them on each machine; must divide N;\n"
           "default: N. Machines watch each other by heartbeats, processes of\n"
           "one machine by the operating system"},
    Option{"--fabric", "KIND",
           "how they reach each other: udp (default), tcp, shm, or verbs (RDMA\n"
           "adapters of this machine, of which nodes take turns)"},
    Option{"--rails", "R",
           "networks of the job, 1 to 8, of shared memory 1: each process has\n"
           "a socket on 127.0.0.1, one on 127.0.0.2 and so on, twice, for\n"
           "frames and for messages; over verbs queue pairs at as many ports;\n"
           "default: 1"},
    Option{"--period", "TIME", "between two heartbeats of a machine; default: 100ms"},
    Option{"--timeout", "TIME",
           "silence of a machine that makes a verdict, at least 2 periods for\n"
           "each rail; default: 1s"},
    kMetricsOption,
};

// A sentence about what is wrong; empty: nothing.
std::string read_duration(const Arguments& arguments, const char* option, Duration& duration) {
  if (!arguments.has(option)) return "";
  const std::string text = arguments.value(option);
  const auto parsed = runner::parse_duration(text);
  if (parsed.value && *parsed.value > Duration{0}) {
    duration = *parsed.value;
    return "";
  }
  std::string wrong = std::string(option) + " is \"" + text + "\"";
  if (!parsed.error.empty()) wrong += " and has " + parsed.error;
  return wrong + "; expected a time above zero, such as 100ms" +
         (parsed.hint.empty() ? "" : " (" + parsed.hint + ")");
}

// A sentence about what is wrong; empty: nothing.
std::string read_fabric(const Arguments& arguments, hw::JobFabric& fabric) {
  if (!arguments.has("--fabric")) return "";
  const std::string word = arguments.value("--fabric");
  for (const auto& [name, named] :
       {std::pair{"udp", hw::JobFabric::udp}, std::pair{"tcp", hw::JobFabric::tcp},
        std::pair{"shm", hw::JobFabric::shm}, std::pair{"verbs", hw::JobFabric::verbs}}) {
    if (word != name) continue;
    fabric = named;
    return "";
  }
  return "--fabric is \"" + word + "\"; expected udp, tcp, shm or verbs";
}

// A sentence about what is wrong; empty: nothing. PROTOCOL 12.4: with one rail left every so-manyth
// heartbeat comes.
std::string check_rails(const hw::ProgramPlan& plan, const DetectorOptions& detection) {
  if (plan.rails > 1 && plan.fabric == hw::JobFabric::shm)
    return "--rails is " + std::to_string(plan.rails) +
           ", and shared memory is one rail; give --fabric udp, tcp or verbs";
  if (detection.timeout >= std::int64_t{2 * plan.rails} * detection.period) return "";
  return "--timeout is " + runner::format_duration(detection.timeout) + "; expected at least " +
         (plan.rails == 1 ? "two" : std::to_string(2 * plan.rails)) + " periods of " +
         runner::format_duration(detection.period) +
         (plan.rails == 1 ? "" : ", two for each of the rails");
}

// As a shell finds it; empty: nowhere.
std::string find_program(const std::string& name) {
  const auto runs = [](const std::string& path) {
    std::error_code error;
    return ::access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, error);
  };
  if (name.find('/') != std::string::npos) return runs(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string folder = end == at ? "." : folders.substr(at, end - at);
    const std::string candidate = folder + "/" + name;
    if (runs(candidate)) return candidate;
    at = end + 1;
  }
  return "";
}

// The plan that the command line asks for, or what is wrong with it.
std::string read_plan(const Arguments& arguments, std::uint32_t per_node, hw::ProgramPlan& plan) {
  const std::string& name = arguments.operands()[0];
  if (!arguments.has("-n"))
    return "-n N is missing: how many processes of " + name +
           "? (An experiment with real processes is holdfast run CONFIG --set fabric.kind=udp.)";
  hw::NodeConfiguration configuration;
  DetectorOptions& detection = configuration.membership.detection;
  if (plan.processes % per_node != 0)
    return "--per-node is " + std::to_string(per_node) + ", which does not divide " +
           std::to_string(plan.processes);
  plan.per_node = per_node;
  configuration.roster = {.nodes = plan.processes / per_node, .per_node = per_node};
  for (const auto& [option, duration] :
       {std::pair{"--period", &detection.period}, std::pair{"--timeout", &detection.timeout}}) {
    if (std::string wrong = read_duration(arguments, option, *duration); !wrong.empty())
      return wrong;
  }
  if (std::string wrong = read_fabric(arguments, plan.fabric); !wrong.empty()) return wrong;
  if (std::string wrong = check_rails(plan, detection); !wrong.empty()) return wrong;
  configuration.membership.retransmission_timeout = detection.period;
  if (std::string wrong = take_metrics_option(arguments, plan.processes); !wrong.empty())
    return wrong;
  plan.path = find_program(name);
  if (plan.path.empty()) return "there is no program \"" + name + "\" that can be executed";
  plan.arguments.assign(arguments.operands().begin() + 1, arguments.operands().end());
  plan.configuration = text_of(configuration);
  plan.seed = 1;
  return "";
}

void report(const hw::ProgramEnd& end) {
  const int status = end.exit_status();
  if (end.stopped || status == 0) return;
  std::string how;
  if (WIFSIGNALED(end.wait_status)) {
    const int number = WTERMSIG(end.wait_status);
    how = "was killed by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  } else if (WEXITSTATUS(end.wait_status) != 0) {
    how = "ended with exit status " + std::to_string(status) +
          (end.joined && !end.left ? ", without leaving" : "");
  } else {
    how = "ended without leaving";
  }
  std::fprintf(stderr, "holdfast launch: process %u (pid %d) %s\n", end.process.value, end.pid,
               how.c_str());
}

// Any program may be run, as by mpirun; but who forgot to join would look in vain for what is told
// of a job.
void note_if_nobody_joined(const std::vector<hw::ProgramEnd>& ends) {
  const auto joined = [](const hw::ProgramEnd& end) { return end.joined; };
  if (std::any_of(ends.begin(), ends.end(), joined)) return;
  std::fputs(
      "holdfast launch: note: all processes ended with 0 and none had joined the job "
      "(holdfast_join, see holdfast/holdfast.h), so there was none; exit status 0\n",
      stderr);
}

int launch(const Arguments& arguments) {
  hw::ProgramPlan plan;
  std::uint32_t per_node = 0;
  if (!arguments.number("-n", 1, plan.processes, kProcessesMax) ||
      !arguments.number("--per-node", plan.processes, per_node) ||
      !arguments.number("--rails", 1, plan.rails, SeveralRails::kRailsMax))
    return kRefused;
  if (const std::string wrong = read_plan(arguments, per_node, plan); !wrong.empty()) {
    std::fprintf(stderr, "holdfast launch: %s\n", wrong.c_str());
    return kRefused;
  }
  if (hw::PortsByNetwork ports; plan.fabric == hw::JobFabric::verbs) {
    if (const Status status = hw::find_job_ports(plan.rails, ports); !status.is_ok()) {
      std::fprintf(stderr, "holdfast launch: %s\n", status.message().c_str());
      return kRefused;
    }
  }
  if (const Status status = hw::make_room(plan); !status.is_ok()) {
    std::fprintf(stderr, "holdfast launch: %s\n", status.message().c_str());
    return kRefused;
  }
  if (const Status status = hw::find_job_key("", plan.key); !status.is_ok()) {
    std::fprintf(stderr, "holdfast launch: %s\n", status.message().c_str());
    return kRefused;
  }
  hw::ProgramsResult result;
  const Status status = hw::run_programs(plan, report, result);
  if (!status.is_ok()) {
    std::fprintf(stderr, "holdfast launch: %s\n", status.message().c_str());
    return kFailed;
  }
  if (result.signal != 0) {
    std::fprintf(stderr, "holdfast launch: stopped by signal %d; no process is left\n",
                 result.signal);
    return 128 + result.signal;
  }
  for (const hw::ProgramEnd& end : result.ends)
    if (end.exit_status() != 0) return end.exit_status();
  note_if_nobody_joined(result.ends);
  return kDone;
}

}  // namespace

const Command kLaunchCommand = {
    "launch",
    "-n N [options] [--] PROGRAM [ARGUMENTS]",
    "start a program of yours as the processes of a job",
    "Starts N processes of PROGRAM on this machine. Those that join (holdfast_join, see\n"
    "holdfast/holdfast.h) are a job: each hears when another dies. A death ends nobody else; it "
    "is\n"
    "reported on stderr. Standard output and error are the launcher's, standard input is empty.\n"
    "Ctrl-C, or the end of the launcher, ends all of them. The job's key is that in the\n"
    "environment's HOLDFAST_KEY (64 hexadecimal digits), or else drawn.\n\n"
    "Exit status: 0 if every process has left the job and ended with 0, or if none has joined\n"
    "and all ended with 0, which is noted on stderr; else that of the first that did not: its\n"
    "exit status, 128 + n if it was killed by signal n, 1 if it ended with 0 without leaving;\n"
    "128 + n if the launcher was stopped by signal n; 1 if the job could not begin; 2 for a wrong\n"
    "option, or if limits (ulimit -n) have no room for the job.\n\n"
    "examples:\n"
    "  holdfast launch -n 4 -- ./survivors 1000\n"
    "  holdfast launch -n 8 --per-node 2 --period 20ms --timeout 200ms ./verdicts",
    kOptions,
    1,
    1'000'000,
    launch,
    true};

}  // namespace holdfast::program
