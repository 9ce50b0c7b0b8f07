// Each kind of warning is one function that adds what it has to say.
#include "experiments/runner/warnings.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "experiments/runner/tables.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::runner {
namespace {

// PROTOCOL 9.1: an asker is answered with the difference, refutes, and is heard, all within a
// period.
constexpr std::int64_t kFramesInAPeriod = 3;

std::string microseconds(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f us", static_cast<double>(duration.ns) / 1e3);
  return text;
}

// The most that a frame takes while nothing else is on its way, M of PROTOCOL 9.1; a turn takes no
// time in the simulator.
Duration longest_frame(const Experiment& experiment, const Inputs& inputs) {
  Duration longest{0};
  if (inputs.nodes() > 1)
    longest = sim::round_up(inputs.path_times().longest(std::uint32_t{kFrameBytesMax}));
  if (experiment.processes.per_node > 1)
    longest = std::max(longest, experiment.fabric.local_latency);
  return longest;
}

void warn_of_short_period(const Experiment& experiment, const Inputs& inputs,
                          std::vector<std::string>& warnings) {
  if (experiment.fabric.target != Target::simulated) return;
  const Duration frame = longest_frame(experiment, inputs);
  const Duration least = kFramesInAPeriod * frame;
  if (least < experiment.detector.period) return;
  warnings.push_back("detector.period is " + microseconds(experiment.detector.period) +
                     ", and a frame takes up to " + microseconds(frame) +
                     " on this fabric; with a period of " + microseconds(least) +
                     " or less, the living may be believed dead, and it is not known how soon all "
                     "agree (PROTOCOL 9.1)");
}

void warn_of_rails_without_effect(const Experiment& experiment,
                                  std::vector<std::string>& warnings) {
  if (experiment.fabric.target != Target::simulated || experiment.fabric.rails == 1) return;
  warnings.push_back("fabric.rails is " + std::to_string(experiment.fabric.rails) +
                     ", and the simulated fabric has one rail whatever it is; several are those of "
                     "real processes, with --target udp or tcp");
}

void warn_of_late_faults(const Inputs& inputs, std::vector<std::string>& warnings) {
  const std::size_t late = inputs.faults_after_end();
  if (late == 0) return;
  warnings.push_back(std::to_string(late) + (late == 1 ? " fault begins" : " faults begin") +
                     " when the run is over, after " + seconds_text(inputs.duration()) +
                     " s, and will not be played; \"duration\" says how long it is");
}

}  // namespace

std::vector<std::string> warnings_of(std::span<const CampaignPoint> points,
                                     std::span<const std::shared_ptr<const Inputs>> inputs) {
  std::vector<std::string> warnings = inputs.front()->topology().summary().warnings;
  warn_of_late_faults(*inputs.front(), warnings);
  // Of the points the first that has something to say speaks for all.
  std::size_t before = warnings.size();
  for (std::size_t i = 0; i < points.size() && warnings.size() == before; ++i)
    warn_of_short_period(points[i].experiment, *inputs[i], warnings);
  before = warnings.size();
  for (std::size_t i = 0; i < points.size() && warnings.size() == before; ++i)
    warn_of_rails_without_effect(points[i].experiment, warnings);
  return warnings;
}

}  // namespace holdfast::runner
