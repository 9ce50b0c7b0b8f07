// holdfast check: what an experiment would run, without running it.
#include <algorithm>
#include <array>
#include <cstdio>

#include "experiments/program/commands.hpp"
#include "experiments/program/prepare.hpp"
#include "experiments/runner/tables.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {kSetOption,         kTopologyOption,  kTraceOption,
                             kTraceSystemOption, kTraceYearOption, kTraceMonthOption};

// Peak memory of runs with 1,296 and with 20,736 processes, one replicate at a time, one crash of a
// node: what a process adds (its engine, its part of the queue and of the beliefs), and what is
// there anyway.
constexpr std::uint64_t kBytesPerProcess = 6500;
constexpr std::uint64_t kBytesOfProgram = 13 << 20;

std::uint64_t largest_job(const Prepared& prepared) {
  std::uint64_t largest = 0;
  for (const auto& inputs : prepared.inputs)
    largest = std::max<std::uint64_t>(largest, inputs->processes());
  return largest;
}

void print_faults(const runner::Experiment& experiment, const runner::Inputs& inputs) {
  const sim::FaultSchedule faults = inputs.faults_of(runner::replicate_seed(experiment, 0));
  std::size_t crashes = 0;
  std::size_t repairs = 0;
  std::size_t pauses = 0;
  for (const sim::FaultEvent& event : faults.events) {
    crashes += event.action == sim::FaultAction::crash;
    repairs += event.action == sim::FaultAction::repair;
    pauses += event.action == sim::FaultAction::pause;
  }
  std::printf(
      "faults      %zu crashes, %zu repairs, %zu pauses; %zu records of parts that are down\n",
      crashes, repairs, pauses, faults.records_while_down);
  if (!inputs.lanl()) return;
  const sim::LanlReport& lanl = *inputs.lanl();
  std::printf("trace       %zu records of %zu nodes, played on %u hosts\n", lanl.records,
              lanl.nodes.size(), inputs.nodes());
  if (lanl.never_fixed + lanl.fixed_before_started + lanl.without_node > 0)
    std::printf(
        "            %zu never fixed (down to the end), %zu fixed before they started and %zu"
        " without a node (not played)\n",
        lanl.never_fixed, lanl.fixed_before_started, lanl.without_node);
}

int check(const Arguments& arguments) {
  Prepared prepared;
  if (!prepare(arguments.operands()[0], arguments, prepared)) return kRefused;
  const runner::Campaign& campaign = prepared.campaign;
  const runner::Inputs& first = *prepared.inputs.front();
  std::printf("experiment  %s\n", campaign.name.c_str());
  std::printf("points      %zu\n", campaign.points.size());
  for (const std::string& path : campaign.swept_paths)
    std::printf("  swept     %s\n", path.c_str());
  std::printf("replicates  %zu in all\n", runner::jobs_of(campaign).size());
  std::printf("processes   %u on %u of %u hosts\n", first.processes(), first.nodes(),
              first.topology().host_count());
  std::printf("duration    %s s\n", runner::seconds_text(first.duration()).c_str());
  const runner::Experiment& experiment = campaign.points.front().experiment;
  print_faults(experiment, first);
  const bool simulated = experiment.fabric.target == runner::Target::simulated;
  if (simulated) {
    const std::uint64_t bytes = largest_job(prepared) * kBytesPerProcess;
    std::printf("memory      about %llu MiB, and %llu MiB for each replicate that runs at a time\n",
                static_cast<unsigned long long>(kBytesOfProgram >> 20),
                static_cast<unsigned long long>((bytes >> 20) + 1));
  }
  if (runner::jobs_of(campaign).size() > 1)
    std::printf("(processes, duration and faults are those of the first replicate)\n");
  print_warnings(prepared, stdout);
  return kDone;
}

}  // namespace

const Command kCheckCommand = {
    "check",
    "CONFIG [options]",
    "say what an experiment would run",
    "Reads an experiment and all files that it names, reports everything that is wrong with them,\n"
    "and prints how much there is to run. Runs nothing and writes nothing.\n\n"
    "example:\n"
    "  holdfast check experiments/quickstart --set replicates=100",
    kOptions,
    1,
    1,
    check};

}  // namespace holdfast::program
