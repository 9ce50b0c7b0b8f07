// What every process of a job must know beside its assignment, as text that the launcher hands
// down, and the engine that is built from it.
#pragma once

#include <string>
#include <string_view>

#include "hw/launch/node.hpp"
#include "stack/base/status.hpp"
#include "stack/engine.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::hw {

// The roster's nodes and per_node must make up the job. Of the engine's options only the
// membership's that are the same for all count; the names are registered ones.
struct NodeConfiguration {
  RosterOptions roster;
  MembershipOptions membership;
  std::string detector = "ring";
  std::string propagation = "bmg";
  std::string seal = "siphash128";
  bool polls = false;
};

std::string text_of(const NodeConfiguration& configuration);
Status parse(std::string_view text, NodeConfiguration& configuration);

class EngineProgram : public NodeProgram {
 public:
  // The configuration must fit the start; see make_engine_program.
  EngineProgram(NodeConfiguration configuration, const NodeStart& start);

  Engine& engine() override { return engine_; }
  bool polls() const override { return configuration_.polls; }

 private:
  EngineOptions options(const NodeStart& start) const;

  NodeConfiguration configuration_;
  Roster roster_;
  Workspace workspace_;
  Engine engine_;
};

// Parses start.configuration and checks that it fits the job; `Program` is an EngineProgram.
Status read_configuration(const NodeStart& start, NodeConfiguration& configuration);
template <class Program = EngineProgram>
Status make_engine_program(const NodeStart& start, std::unique_ptr<NodeProgram>& program) {
  NodeConfiguration configuration;
  if (Status status = read_configuration(start, configuration); !status.is_ok()) return status;
  program = std::make_unique<Program>(std::move(configuration), start);
  return Status::ok();
}

}  // namespace holdfast::hw
