// What a real process of an experiment says at its end, and its configuration from an experiment.
#include "experiments/runner/node_program.hpp"

#include <array>
#include <sstream>
#include <utility>

#include "hw/launch/engine_program.hpp"

namespace holdfast::runner {
namespace {

// Counters by name, those of messages for both directions.
using Counter = std::pair<const char*, std::uint64_t MessageCounts::*>;
constexpr std::array<Counter, 7> kCounters = {
    {{"heartbeats", &MessageCounts::heartbeats},
     {"observes", &MessageCounts::observes},
     {"notices", &MessageCounts::notices},
     {"local_notices", &MessageCounts::local_notices},
     {"repeats", &MessageCounts::repeats},
     {"acknowledgements", &MessageCounts::acknowledgements},
     {"differences", &MessageCounts::differences}}};

constexpr const char* kRejected = "frames_rejected";
using FrameCounter = std::pair<const char*, std::uint64_t FrameOutcome::*>;
constexpr std::array<FrameCounter, 7> kFrameCounters = {
    {{"frames_lost", &FrameOutcome::lost},
     {"frames_duplicated", &FrameOutcome::duplicated},
     {"frames_corrupted", &FrameOutcome::corrupted},
     {"frames_truncated", &FrameOutcome::truncated},
     {"frames_reordered", &FrameOutcome::reordered},
     {"frames_delayed", &FrameOutcome::delayed},
     {kRejected, &FrameOutcome::rejected}}};

class ExperimentProgram final : public hw::EngineProgram {
 public:
  using EngineProgram::EngineProgram;

  std::string notes() override {
    const FrameCounts& frames = engine().membership().counts();
    const MessageCounts counts = {frames.heartbeats,    frames.observes, frames.notices,
                                  frames.local_notices, frames.repeats,  frames.acknowledgements,
                                  frames.differences};
    std::string text;
    for (const auto& [name, member] : kCounters)
      text += std::string(name) + " " + std::to_string(counts.*member) + "\n";
    return text + kRejected + " " + std::to_string(engine().drops().rejected()) + "\n";
  }
};

}  // namespace

std::string node_configuration(const Experiment& experiment, const Inputs& inputs,
                               std::uint32_t replicate) {
  hw::NodeConfiguration configuration;
  configuration.roster = roster_options(experiment, inputs, replicate);
  configuration.membership = engine_options(experiment).membership;
  configuration.detector = experiment.detector.kind;
  configuration.propagation = experiment.propagation.kind;
  configuration.seal = experiment.seal.kind;
  configuration.polls = experiment.fabric.polls;
  return text_of(configuration);
}

Status make_node_program(const hw::NodeStart& start, std::unique_ptr<hw::NodeProgram>& program) {
  return hw::make_engine_program<ExperimentProgram>(start, program);
}

void add_counts(const std::string& notes, Outcome& outcome) {
  std::istringstream lines(notes);
  std::string name;
  std::uint64_t value = 0;
  while (lines >> name >> value) {
    for (const auto& [known, member] : kCounters)
      if (name == known) outcome.messages.*member += value;
    for (const auto& [known, member] : kFrameCounters)
      if (name == known) outcome.frames.*member += value;
  }
}

}  // namespace holdfast::runner
