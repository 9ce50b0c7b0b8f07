// What a real process of an experiment says at its end, and its configuration from an experiment.
#include "experiments/runner/node_program.hpp"

#include <array>
#include <sstream>
#include <utility>

#include "hw/launch/engine_program.hpp"

namespace holdfast::runner {
namespace {

// Counters by name, for both directions.
using Counter = std::pair<const char*, std::uint64_t MessageCounts::*>;
constexpr std::array<Counter, 7> kCounters = {
    {{"heartbeats", &MessageCounts::heartbeats},
     {"observes", &MessageCounts::observes},
     {"notices", &MessageCounts::notices},
     {"local_notices", &MessageCounts::local_notices},
     {"repeats", &MessageCounts::repeats},
     {"acknowledgements", &MessageCounts::acknowledgements},
     {"differences", &MessageCounts::differences}}};

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
    return text;
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

void add_message_counts(const std::string& notes, MessageCounts& counts) {
  std::istringstream lines(notes);
  std::string name;
  std::uint64_t value = 0;
  while (lines >> name >> value)
    for (const auto& [known, member] : kCounters)
      if (name == known) counts.*member += value;
}

}  // namespace holdfast::runner
