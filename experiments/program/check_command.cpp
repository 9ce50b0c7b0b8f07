// holdfast check: what an experiment would run, without running it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "experiments/program/commands.hpp"
#include "experiments/program/prepare.hpp"
#include "experiments/program/real_machine.hpp"
#include "experiments/runner/tables.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {kSetOption,         kTargetOption,    kTopologyOption,  kTraceOption,
                             kTraceSystemOption, kTraceYearOption, kTraceMonthOption};

// What a replicate takes, by what was measured as peak_memory_bytes of run.json:
//   holdfast run X.json --jobs 1 --set topology.name='"65536"' --set processes.per_node=1
// and so on, X.json a preset's topology with one death in 4 s, ring of 100 ms, bmg, rank order.
//
//   hosts x processes  agents  backstop  quiet    after a death
//   1,944 x 4          yes     on          23 MiB     28 MiB
//   8,192 x 4          yes     on          71         92
//   8,192 x 32         yes     on         495        534
//   65,536 x 1         yes     on          48        211
//   65,536 x 1         yes     off         48         78
//   8,192 x 32         no      on         196       1316
//
// and 1.44 GB for a million processes without agents and backstop, by which they are told of a
// death (experiments/detection-at-scale/million.json). A process that speaks for itself only is the
// smallest; after a death each domain remembers whom it has told, with the backstop until that is
// acknowledged. The sum is within 10 % for the largest, and at most half too high for the others.
constexpr std::uint64_t kBytesOfProgram = 21 << 20;
constexpr std::uint64_t kBytesPerProcess = 700;
constexpr std::uint64_t kBytesPerProcessOfANode = 2000;  // of several, with an agent
constexpr std::uint64_t kBytesPerDomainTold = 600;
constexpr std::uint64_t kBytesPerDomainWithBackstop = 4000;

bool has_faults(const runner::Experiment& experiment) {
  return !experiment.failures.empty() || experiment.trace.has_value();
}

std::uint64_t bytes_of(const runner::Experiment& experiment, const runner::Inputs& inputs) {
  const bool agents = experiment.processes.agents && experiment.processes.per_node > 1;
  const std::uint64_t processes = inputs.processes();
  const std::uint64_t domains = agents ? inputs.nodes() : processes;
  const std::uint64_t told =
      experiment.propagation.backstop ? kBytesPerDomainWithBackstop : kBytesPerDomainTold;
  return processes * (agents ? kBytesPerProcessOfANode : kBytesPerProcess) +
         (has_faults(experiment) ? domains * told : 0);
}

std::uint64_t bytes_of_largest(const Prepared& prepared) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < prepared.inputs.size(); ++i)
    largest =
        std::max(largest, bytes_of(prepared.campaign.points[i].experiment, *prepared.inputs[i]));
  return largest;
}

void print_faults(const runner::Experiment& experiment, const runner::Inputs& inputs) {
  const sim::FaultSchedule faults = inputs.faults_of(runner::replicate_seed(experiment, 0));
  std::size_t crashes = 0;
  std::size_t repairs = 0;
  std::size_t pauses = 0;
  std::size_t impairments = 0;
  for (const sim::FaultEvent& event : faults.events) {
    const bool begins = event.action == sim::FaultAction::crash;
    if (event.target == sim::FaultTarget::impairment || event.target == sim::FaultTarget::frames) {
      impairments += begins;
      continue;
    }
    crashes += begins;
    repairs += event.action == sim::FaultAction::repair;
    pauses += event.action == sim::FaultAction::pause;
  }
  std::printf(
      "faults      %zu crashes, %zu repairs, %zu pauses, %zu impairments; %zu records of parts "
      "that "
      "are down\n",
      crashes, repairs, pauses, impairments, faults.records_while_down);
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

void print_replicates(const runner::Campaign& campaign) {
  const runner::Experiment& first = campaign.points.front().experiment;
  if (!first.precision) {
    std::printf("replicates  %zu in all\n", runner::most_replicates(campaign));
    return;
  }
  std::string columns;
  for (const std::string& column : first.precision->columns)
    columns += (columns.empty() ? "" : ", ") + column;
  std::printf("replicates  %u to %u of each point, until the median of %s is known to %.4g %%\n",
              first.precision->least, first.replicates, columns.c_str(),
              first.precision->until_ppm / 1e4);
}

// A file that says itself that its processes are real may be for another machine; whoever gives
// --target means this one.
Status try_asked_machine(const Prepared& prepared, const Arguments& arguments) {
  std::optional<JobKey> key;
  return arguments.has(kTargetOption.name) ? try_machine(prepared, key) : Status::ok();
}

int check(const Arguments& arguments) {
  Prepared prepared;
  if (!prepare(arguments.operands()[0], arguments, prepared)) return kRefused;
  const runner::Campaign& campaign = prepared.campaign;
  if (const Status status = try_asked_machine(prepared, arguments); !status.is_ok()) {
    std::fprintf(stderr, "holdfast check: %s\n", status.message().c_str());
    return kRefused;
  }
  const runner::Inputs& first = *prepared.inputs.front();
  std::printf("experiment  %s\n", campaign.name.c_str());
  std::printf("points      %zu\n", campaign.points.size());
  for (const std::string& path : campaign.swept_paths)
    std::printf("  swept     %s\n", path.c_str());
  print_replicates(campaign);
  std::printf("processes   %u on %u of %u hosts\n", first.processes(), first.nodes(),
              first.topology().host_count());
  std::printf("duration    %s s\n", runner::seconds_text(first.duration()).c_str());
  const runner::Experiment& experiment = campaign.points.front().experiment;
  print_faults(experiment, first);
  const bool simulated = experiment.fabric.target == runner::Target::simulated;
  if (simulated) {
    const std::uint64_t bytes = bytes_of_largest(prepared);
    std::printf("memory      about %llu MiB, and %llu MiB for each replicate that runs at a time\n",
                static_cast<unsigned long long>(kBytesOfProgram >> 20),
                static_cast<unsigned long long>((bytes >> 20) + 1));
  }
  if (runner::most_replicates(campaign) > 1)
    std::printf("(processes, duration and faults are those of the first replicate)\n");
  print_warnings(prepared, stdout);
  return kDone;
}

}  // namespace

const Command kCheckCommand = {
    "check",
    "CONFIG [options]",
    "say what an experiment would run",
    "Reads an experiment and all files that it names, reports what is wrong with them (as much\n"
    "as can be told at once: what depends on a mistake is checked when that is mended), and\n"
    "prints how much there is to run. Runs nothing and writes nothing. With --target also\n"
    "whether this machine can run it so, which run finds out before it starts.\n\n"
    "examples:\n"
    "  holdfast check experiments/quickstart --set replicates=100\n"
    "  holdfast check my.json --target udp",
    kOptions,
    1,
    1,
    check};

}  // namespace holdfast::program
