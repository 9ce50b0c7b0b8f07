// holdfast run: an experiment file to a results folder.
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <thread>

#include "experiments/program/commands.hpp"
#include "experiments/program/prepare.hpp"
#include "experiments/runner/simulate.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    kSetOption,
    Option{"--jobs", "N", "replicates at the same time; default: one per processor"},
    Option{"--output", "DIR",
           "the results folder; default: results/NAME, or the first of\n"
           "NAME-2, NAME-3, … that is not there yet"},
    Option{"--resume", nullptr,
           "continue a run that was killed or interrupted, in DIR or in the\n"
           "last folder of that name; runs no finished replicate again"},
    kTopologyOption,
    kTraceOption,
    kTraceSystemOption,
    kTraceYearOption,
    kTraceMonthOption,
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

std::string command_line(const std::string& config, const Arguments& arguments) {
  std::string line = "holdfast run " + config;
  for (const auto& [option, value] : arguments.given())
    line += " " + option + (value.empty() ? "" : " " + value);
  return line;
}

int report(const runner::CampaignResult& result, const std::string& config) {
  switch (result.end) {
    case runner::CampaignEnd::complete:
      std::printf("results: %s\n", result.folder.c_str());
      return kDone;
    case runner::CampaignEnd::interrupted:
      std::fprintf(stderr,
                   "Stopped; the finished replicates are kept. To continue, give the same options "
                   "and:\n  holdfast run %s --resume --output %s\n",
                   config.c_str(), result.folder.c_str());
      std::printf("results: %s\n", result.folder.c_str());
      return kInterrupted;
    case runner::CampaignEnd::refused:
      std::fprintf(stderr, "holdfast run: %s\n", result.message.c_str());
      return kRefused;
    case runner::CampaignEnd::failed:
      std::fprintf(stderr, "holdfast run: %s\n", result.message.c_str());
      return kFailed;
  }
  return kFailed;
}

int run(const Arguments& arguments) {
  const std::string config = arguments.operands()[0];
  std::uint32_t jobs = 0;
  if (!arguments.number("--jobs", std::max(1u, std::thread::hardware_concurrency()), jobs))
    return kRefused;
  Prepared prepared;
  if (!prepare(config, arguments, prepared)) return kRefused;
  runner::CampaignOptions options;
  options.output = arguments.value("--output");
  options.resume = arguments.has("--resume");
  options.quiet = arguments.has("--quiet");
  options.jobs = jobs;
  options.command_line = command_line(config, arguments);
  stop_on_signals();
  const auto replicate = [&](runner::Job job, runner::ReplicateMonitor& monitor,
                             runner::Outcome& outcome) {
    return runner::simulate(prepared.campaign.points[job.point].experiment,
                            *prepared.inputs[job.point], job.replicate, monitor, outcome);
  };
  return report(runner::run_campaign(prepared.campaign, replicate, options, stop_requested),
                config);
}

}  // namespace

const Command kRunCommand = {
    "run",
    "CONFIG [options]",
    "run an experiment and write its results",
    "Runs every replicate of every sweep point of an experiment and writes a results folder:\n"
    "resolved.json (the configuration with all defaults), results.csv (a row per replicate),\n"
    "failures.csv (a row per failure), run.json (versions, times, rates). A kill loses at most "
    "the\n"
    "replicates that were running. CONFIG is a file, or a folder that has an experiment.json.\n"
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
