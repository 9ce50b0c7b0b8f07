// What an experiment refers to, read and checked: the fabric it names, the processes on it, and the
// faults of its script and trace. Everything that can be wrong with a file is found here, before
// anything runs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "experiments/runner/campaign.hpp"
#include "experiments/runner/fault_log.hpp"
#include "experiments/runner/fault_parts.hpp"
#include "sim/faults/schedule.hpp"
#include "sim/faults/trace.hpp"
#include "sim/topology/topology.hpp"
#include "stack/base/status.hpp"
#include "stack/engine.hpp"
#include "stack/view/roster.hpp"

namespace holdfast::runner {

// What a crash ends, for failures.csv.
struct FailedPart {
  std::string what;   // "process" or "node"
  std::string which;  // rank, or the host's name
};

class Inputs {
 public:
  // An error is for the user to mend; it begins with the name of the file that is wrong, or with
  // the JSON pointer of the value ("/failures/0/which: "); config's with_place says where that is.
  static Status load(const Experiment& experiment, std::shared_ptr<const Inputs>& inputs);

  const sim::Topology& topology() const { return *topology_; }
  const sim::PathTimes& path_times() const { return *path_times_; }
  // Written out for packet fidelity; else null.
  const sim::FabricGraph* graph() const { return graph_.get(); }
  // What a replicate with this seed plays: random parts are drawn, what models say, and the instant
  // of the records of a lanl trace, which are known to the minute.
  sim::FaultSchedule faults_of(std::uint64_t seed) const;
  std::uint32_t nodes() const { return nodes_; }
  // Of each kind of traffic; means something for incasts only.
  const std::vector<NodeId>& traffic_targets() const { return traffic_targets_; }
  const std::shared_ptr<const std::vector<std::uint32_t>>& leaf_of_node() const {
    return leaf_of_node_;
  }
  std::uint32_t processes() const { return nodes_ * per_node_; }
  // The experiment's, or that of its trace.
  Duration duration() const { return duration_; }
  // How many faults of script and trace begin when the run is over.
  std::size_t faults_after_end() const;
  // What the crashes of a schedule end, by record.
  std::map<std::size_t, FailedPart> parts_of(const sim::FaultSchedule& faults) const;
  // What the faults of a schedule are, in its order; without what they ended.
  std::vector<FaultOutcome> describe(const sim::FaultSchedule& faults) const;
  // Of a lanl trace.
  const std::optional<sim::LanlReport>& lanl() const { return lanl_; }

  // warnings.json (what looks wrong with the fabric), topology.json unless there are more hosts
  // than can be drawn, and mapping.csv of a lanl trace.
  std::vector<Attachment> attachments() const;

 private:
  // A line of the script whose parts are drawn; its records begin with that of `outage`.
  struct DrawnLine {
    sim::Outage outage;
    std::uint32_t count;
    std::uint32_t number;  // of the line
  };

  // Down for `down`, again every `every`.
  struct Flap {
    Duration down;
    Duration every;
  };

  // A model of the script's list; its records begin where those of the trace end. Its parts are
  // in groups that fail as one: of one part each, or of `count`.
  struct Model {
    sim::RenewalModel renewal;
    sim::Outage outage;  // what happens to each piece, without piece and times
    std::optional<Flap> flap;
    FaultTarget what = FaultTarget::process;
    std::uint32_t count = 1;
    std::uint32_t number = 0;                // of the line
    std::vector<std::uint32_t> parts;        // by group, the first of its parts
    std::vector<std::uint32_t> last_parts;   // and the last
    std::vector<sim::FaultPart> pieces;      // group g has those from first_piece[g]
    std::vector<std::uint32_t> first_piece;  // by group; then the end
  };

  Status load_topology(const Experiment& experiment);
  Status load_traffic(const Experiment& experiment);
  Status check_rails(const Experiment& experiment) const;
  // Errors of these begin with the key that is wrong, as a pointer within the line ("/which: ").
  Status load_line(const FailureConfig& line, std::uint32_t number);
  Status load_model(const FailureConfig& line, std::uint32_t number);
  Status load_drawn(const FailureConfig& line, std::uint32_t number);
  Status load_part(const FailureConfig& line, std::uint32_t number, std::uint32_t part);
  Status load_impairment(const FailureConfig& line, std::uint32_t number, std::uint32_t part);
  Status load_frames(const FailureConfig& line, std::uint32_t number, std::uint32_t part);
  Status check_to(const FailureConfig& line) const;
  sim::FrameImpairment frames_of(const FailureConfig& line, std::uint32_t part) const;
  Status check_count(const FailureConfig& line, std::uint32_t first) const;
  Status add_outages(const FailureConfig& line, sim::Outage outage);
  // What goes down with a part of the line: of a host with several rails perhaps one.
  std::vector<sim::FaultPart> pieces_of(const FailureConfig& line, std::uint32_t part);
  static sim::Outage outage_of(const FailureConfig& line);
  static std::uint64_t cause_of(FaultTarget what, std::uint32_t part);
  void list_groups(const FailureConfig& line, Model& model);
  std::string name_of(const sim::Fault& fault) const;

  Status load_script(const Experiment& experiment);
  Status load_trace(const Experiment& experiment);
  void add_drawn(const DrawnLine& line, std::uint64_t seed, sim::ScheduleBuilder& builder) const;
  // Adds what the model draws as records from `record` on, which then is the next one.
  void add_model(const Model& model, std::uint64_t seed, std::size_t& record,
                 sim::ScheduleBuilder& builder) const;
  void add_failure(const Model& model, std::uint32_t group, const sim::DownTime& down,
                   std::size_t& record, sim::ScheduleBuilder& builder) const;
  sim::FaultSchedule scheduled(std::uint64_t seed) const;
  Status check_models() const;
  Status set_duration(const Experiment& experiment);

  std::optional<sim::Topology> topology_;
  std::optional<sim::PathTimes> path_times_;
  std::unique_ptr<const sim::FabricGraph> graph_;
  std::shared_ptr<const std::vector<std::uint32_t>> leaf_of_node_;
  std::vector<NodeId> traffic_targets_;
  std::uint32_t nodes_ = 0;
  std::uint32_t per_node_ = 0;
  std::optional<FaultParts> parts_;  // of the topology
  Duration duration_;
  Duration experiment_duration_;      // 0: that of its trace
  sim::ScheduleBuilder schedule_;     // all but the drawn lines and the models
  std::vector<FailureConfig> lines_;  // the experiment's
  std::vector<DrawnLine> drawn_;
  std::vector<Model> models_;
  std::size_t scripted_records_ = 0;  // the trace's come after them
  std::optional<sim::LanlReport> lanl_;
};

// Puts what the log says of the faults of a schedule, and their names, into the outcome: those
// that began within the run, in order of time.
void add_faults(const Inputs& inputs, const sim::FaultSchedule& faults, const FaultLog& log,
                Outcome& outcome);

// The inputs of all points of a campaign; points that need the same share them.
class InputsCache {
 public:
  // Loads what is missing.
  Status load(const Experiment& experiment, std::shared_ptr<const Inputs>& inputs);

 private:
  std::map<std::string, std::shared_ptr<const Inputs>> by_key_;
};

// The roster of a replicate: the shuffle is drawn from (seed, replicate).
RosterOptions roster_options(const Experiment& experiment, const Inputs& inputs,
                             std::uint32_t replicate);

// What the engines of simulated and of real processes have in common.
EngineOptions engine_options(const Experiment& experiment);

// The seed of everything else that is drawn in a replicate.
std::uint64_t replicate_seed(const Experiment& experiment, std::uint32_t replicate);

}  // namespace holdfast::runner
