// holdfast run: an experiment file to a results folder, in the simulator or with real processes.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "experiments/program/command_line.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/metrics_option.hpp"
#include "experiments/program/prepare.hpp"
#include "experiments/program/real_machine.hpp"
#include "experiments/runner/launch_replicate.hpp"
#include "experiments/runner/recordings.hpp"
#include "experiments/runner/results_folder.hpp"
#include "experiments/runner/simulate.hpp"
#include "hw/launch/meeting.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    kSetOption,
    kTargetOption,
    Option{"--jobs", "N", "replicates at the same time; default: one per processor"},
    Option{"--output", "DIR",
           "the results folder; default: results/NAME, or the first of\n"
           "NAME-2, NAME-3, … that is not there yet"},
    Option{"--resume", nullptr,
           "continue a run that was killed or interrupted, in DIR or in the\n"
           "last folder of that name; runs no finished replicate again, and\n"
           "begins where there is nothing yet, so that a job script may always\n"
           "give it"},
    kTopologyOption,
    kTraceOption,
    kTraceSystemOption,
    kTraceYearOption,
    kTraceMonthOption,
    Option{"--record", "DIR",
           "of real processes: record each into DIR/POINT-REPLICATE, for\n"
           "holdfast replay; recordings are never overwritten"},
    kMetricsOption,
    Option{"--quiet", nullptr, "no progress and no summary"},
};

std::atomic<bool> stop_requested{false};

extern "C" void request_stop(int) {
  stop_requested = true;
}

// The second Ctrl-C ends the program at once: SA_RESETHAND restores the default.
void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// A launcher waits for signals in its own way, so no other thread may take them.
void leave_signals_to_launcher() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int report(const runner::CampaignResult& result, const Arguments& arguments) {
  const std::string resume = command_line("run", arguments, {"--output", "--resume"}) +
                             " --resume --output " + shell_word(result.folder);
  switch (result.end) {
    case runner::CampaignEnd::complete:
      std::printf("results: %s\n", result.folder.c_str());
      return kDone;
    case runner::CampaignEnd::interrupted:
      std::fprintf(stderr, "Stopped; the finished replicates are kept. To continue:\n  %s\n",
                   resume.c_str());
      std::printf("results: %s\n", result.folder.c_str());
      return kInterrupted;
    case runner::CampaignEnd::unwritable:
    case runner::CampaignEnd::failed:
      std::fprintf(stderr,
                   "holdfast run: %s\nThe finished replicates are kept. When that is mended, "
                   "continue with:\n  %s\n",
                   result.message.c_str(), resume.c_str());
      return result.end == runner::CampaignEnd::failed ? kFailed : kRefused;
    case runner::CampaignEnd::refused:
      std::fprintf(stderr, "holdfast run: %s\n", result.message.c_str());
      return kRefused;
  }
  return kFailed;
}

// What does not go together, as a sentence; empty: all does.
std::string conflict(const runner::Campaign& campaign, const Arguments& arguments) {
  const auto& points = campaign.points;
  const bool real = any_real(campaign);
  std::uint32_t jobs = 1;
  if (real && (!arguments.number("--jobs", 1, jobs) || jobs > 1))
    return "real processes run one replicate at a time; leave out --jobs";
  if (!real && arguments.has("--record"))
    return "--record is for real processes (fabric.kind udp, tcp, shm or verbs); a simulation is "
           "repeated "
           "by running it again";
  if (!real && arguments.has(kMetricsOption.name))
    return "--metrics is for real processes (fabric.kind udp, tcp, shm or verbs)";
  for (const runner::CampaignPoint& point : points) {
    if (!is_real(point) || !arguments.has(kMetricsOption.name)) continue;
    if (point.experiment.fabric.separate_hosts)
      return "--metrics: with fabric.hosts \"namespaces\" nobody outside reaches a loopback "
             "address "
             "of the processes; their unix sockets are there all the same (holdfast status)";
  }
  return "";
}

// What every replicate of real processes needs.
struct RealRun {
  std::optional<JobKey> key;
  std::string recordings;  // --record; empty: none
  std::string name;        // of the run, in kRunFile; empty without recordings
};

// The name of the run that is resumed, whose results are there, or a new one.
std::string name_of_run(const std::string& results) {
  const std::string before = results.empty() ? "" : runner::run_of(results);
  std::array<std::byte, 16> drawn{};
  if (!before.empty() || !hw::draw(drawn)) return before;
  std::string name;
  for (const std::byte byte : drawn) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", std::to_integer<unsigned>(byte));
    name += digits.data();
  }
  return name;
}

// Whether recordings can be written into the folder, which is made; why not is told. Where a run is
// resumed, from these results, those of the replicates that it has finished are there already.
bool can_record(const RealRun& run, const std::string& results) {
  const std::string& folder = run.recordings;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string problem;
  if (error || ::access(folder.c_str(), R_OK | W_OK | X_OK) != 0) {
    problem = "recordings cannot be written there: " +
              (error ? error.message() : std::string(std::strerror(errno)));
  } else if (run.name.empty()) {
    problem = "the system has no random numbers to name the run by";
  } else if (!runner::are_of(folder, run.name)) {
    problem =
        runner::found_recordings(folder) + " is not empty, and recordings are never overwritten; ";
    problem += results.empty()
                   ? "give another folder, or continue the run that it is of with --resume (and "
                     "--output, where its results are)"
                   : "they are not of the run in " + results + " (" + runner::kRunFile +
                         " differs); give the folder that it was recorded into, or an empty one";
  }
  if (problem.empty()) return true;
  std::fprintf(stderr, "holdfast run: --record %s: %s\n", folder.c_str(), problem.c_str());
  return false;
}

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "/proc/self/exe";
}

Status run_real(const Prepared& prepared, runner::Job job, const RealRun& run,
                runner::ReplicateMonitor& monitor, runner::Outcome& outcome) {
  runner::LaunchSettings settings;
  settings.program = own_path();
  settings.key = run.key;
  if (!run.recordings.empty()) {
    settings.recording = runner::recordings_of(run.recordings, job);
    const Status begun = runner::begin_recordings(run.recordings, run.name, job);
    monitor.unwritable = !begun.is_ok();
    if (monitor.unwritable) return begun;
  }
  runner::LaunchFault fault = runner::LaunchFault::other;
  Status status = runner::launch_replicate(prepared.campaign.points[job.point].experiment,
                                           *prepared.inputs[job.point], job.replicate, settings,
                                           monitor, outcome, fault);
  if (status.is_ok()) return status;
  if (fault == runner::LaunchFault::interrupted) stop_requested = true;
  monitor.unwritable = fault == runner::LaunchFault::unwritable;
  return status;
}

int run_prepared(Prepared& prepared, const Arguments& arguments) {
  runner::Campaign& campaign = prepared.campaign;
  if (const std::string problem = conflict(campaign, arguments); !problem.empty()) {
    std::fprintf(stderr, "holdfast run: %s\n", problem.c_str());
    return kRefused;
  }
  for (const auto& inputs : prepared.inputs) {
    const std::string wrong = take_metrics_option(arguments, inputs->processes());
    if (wrong.empty()) continue;
    std::fprintf(stderr, "holdfast run: %s\n", wrong.c_str());
    return kRefused;
  }
  RealRun real_run;
  if (const Status status = try_machine(prepared, real_run.key); !status.is_ok()) {
    std::fprintf(stderr, "holdfast run: %s\n", status.message().c_str());
    return kRefused;
  }
  const bool real = any_real(campaign);
  const std::uint32_t processors = std::max(1u, std::thread::hardware_concurrency());
  runner::CampaignOptions options;
  if (!arguments.number("--jobs", real ? 1 : processors, options.jobs)) return kRefused;
  options.output = arguments.value("--output");
  options.resume = arguments.has("--resume");
  options.quiet = arguments.has("--quiet");
  options.command_line = command_line("run", arguments);
  if (real) {
    leave_signals_to_launcher();
  } else {
    stop_on_signals();
  }
  real_run.recordings = arguments.value("--record");
  if (!real_run.recordings.empty()) {
    const std::string results =
        options.resume ? runner::ResultsFolder::begun(campaign, options) : "";
    real_run.name = name_of_run(results);
    if (!can_record(real_run, results)) return kRefused;
    campaign.attachments.push_back({runner::kRunFile, real_run.name + "\n"});
  }
  if (!options.quiet) print_warnings(prepared, stderr);
  const auto replicate = [&](runner::Job job, runner::ReplicateMonitor& monitor,
                             runner::Outcome& outcome) {
    const runner::CampaignPoint& point = campaign.points[job.point];
    if (is_real(point)) return run_real(prepared, job, real_run, monitor, outcome);
    return runner::simulate(point.experiment, *prepared.inputs[job.point], job.replicate, monitor,
                            outcome);
  };
  return report(runner::run_campaign(campaign, replicate, options, stop_requested), arguments);
}

int run(const Arguments& arguments) {
  Prepared prepared;
  if (!prepare(arguments.operands()[0], arguments, prepared)) return kRefused;
  return run_prepared(prepared, arguments);
}

}  // namespace

const Command kRunCommand = {
    "run",
    "CONFIG [options]",
    "run an experiment and write its results",
    "Runs every replicate of every sweep point of an experiment and writes a results folder:\n"
    "resolved.json (the configuration with all defaults), results.csv (a row per replicate),\n"
    "failures.csv (a row per failure), faults.csv and cuts.csv (what happened, and to whom) and\n"
    "run.json (versions, times, rates). A kill loses at most the replicates that were running.\n"
    "CONFIG is a file, or a folder that has an experiment.json.\n"
    "Real processes have the key in the environment's HOLDFAST_KEY (64 hexadecimal digits), or\n"
    "else one that is drawn for each replicate.\n"
    "The last line of the output is \"results: FOLDER\".\n\n"
    "examples:\n"
    "  holdfast run experiments/quickstart\n"
    "  holdfast run my.json --set replicates=100 --set detector.period=50ms --jobs 8\n"
    "  holdfast run my.json --resume --output results/my",
    kOptions,
    1,
    1,
    run};

}  // namespace holdfast::program
