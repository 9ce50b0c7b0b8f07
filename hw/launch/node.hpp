// One process of a launched job, from its assignment to its end; and the same process out of its
// recording. What the process computes comes from a factory, so that this folder knows no
// experiments.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/record/replay.hpp"
#include "hw/run/event_log.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/engine.hpp"

namespace holdfast::hw {

// What a factory builds an engine from; the references outlive what it builds.
struct NodeStart {
  std::string_view configuration;  // as LaunchPlan has it
  ProcessId self;
  std::uint32_t processes = 0;
  std::uint32_t boot = 0;  // above 0: restarted into a running job
  std::uint64_t seed = 0;  // as LaunchPlan has it
  std::uint32_t job = 0;
  JobKey key;
  std::span<Fabric* const> rails;
  const AddressBook& addresses;

  Incarnation incarnation() const { return first_incarnation_of_boot(boot); }
  bool rejoining() const { return boot > 0; }
};

// An engine with all that it refers to.
class NodeProgram {
 public:
  virtual ~NodeProgram() = default;
  virtual Engine& engine() = 0;
  // Whether it looks for frames all the time instead of sleeping until one comes.
  virtual bool polls() const { return false; }
  // Lines for the end of the event log: counters, for example.
  virtual std::string notes() { return {}; }
};

// Builds the same engine from the same start, or says what is wrong with the configuration.
using NodeFactory = std::function<Status(const NodeStart&, std::unique_ptr<NodeProgram>&)>;

// The main function of a process that launch() has started: returns its exit status. Without a
// launcher behind it, it prints why it cannot work and returns 2.
int node_main(const NodeFactory& factory);

struct NodeReplay {
  std::uint64_t turns = 0;  // whole turns that were equal
  bool truncated = false;   // the recording ends within a turn, as after kill -9
  std::optional<ReplayDifference> difference;
  ProcessId self;
  std::uint32_t boot = 0;
};

// Replays the recording of one process. An error: the file cannot be read, or the factory refuses.
Status replay_node(const std::string& recording, const NodeFactory& factory, NodeReplay& outcome);

}  // namespace holdfast::hw
