// A small simulated job for tests, and a witness that remembers what it saw.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sim/run/simulation.hpp"
#include "sim/topology/pgft.hpp"

namespace holdfast::sim {

class Memory final : public Witness {
 public:
  struct Belief {
    Time at;
    ProcessId observer;
    ProcessId subject;
    Record record;
  };

  void crashed(Time at, std::size_t, std::span<const ProcessId> processes) override {
    for (const ProcessId process : processes) crashes.emplace_back(at, process);
  }
  void repaired(Time at, std::size_t, std::span<const ProcessId> processes, Incarnation) override {
    for (const ProcessId process : processes) repairs.emplace_back(at, process);
  }
  void believed(Time at, ProcessId observer, std::span<const Membership::Change> changes) override {
    for (const Membership::Change& change : changes) {
      const ProcessId process = change.process;
      const Record& record = change.record;
      const Belief belief{at, observer, process, record};
      const bool ends = !suspicions.empty() && suspicions.back().observer == observer &&
                        suspicions.back().subject == process && is_live(record);
      if (record.state == MemberState::suspected || ends) {
        suspicions.push_back(belief);
      } else {
        beliefs.push_back(belief);
      }
    }
  }

  // When anyone first, and when the last observer, came to believe `subject` failed.
  std::optional<Time> first_verdict(ProcessId subject) const {
    for (const Belief& belief : beliefs) {
      if (belief.subject == subject && !is_live(belief.record)) return belief.at;
    }
    return std::nullopt;
  }
  std::optional<Time> last_verdict(ProcessId subject) const {
    std::optional<Time> last;
    for (const Belief& belief : beliefs) {
      if (belief.subject == subject && !is_live(belief.record)) last = belief.at;
    }
    return last;
  }

  std::vector<std::pair<Time, ProcessId>> crashes, repairs;
  std::vector<Belief> beliefs;
  std::vector<Belief> suspicions;  // and their ends for a sign of life
};

// `nodes` hosts under one switch of 100 Gb/s.
struct Job {
  RosterOptions roster;
  SimulationOptions simulation;
  FaultSchedule faults;
  Memory memory;

  Job(std::uint32_t nodes, std::uint32_t per_node, bool agents) : nodes_(nodes) {
    roster.nodes = nodes;
    roster.per_node = per_node;
    roster.agents = agents;
    simulation.duration = seconds(10);
    simulation.engine.membership.detection.period = milliseconds(100);
    simulation.engine.membership.detection.timeout = seconds(1);
  }

  void at(Time when, FaultAction action, FaultTarget target, std::uint32_t index) {
    faults.events.push_back({when, action, target, index, faults.events.size()});
  }

  Simulation& build() {
    std::stable_sort(faults.events.begin(), faults.events.end(),
                     [](const FaultEvent& a, const FaultEvent& b) { return a.at < b.at; });
    Pgft tree;
    const Status built = Pgft::create({{nodes_}, {1}, {1}}, tree);
    HOLDFAST_ASSERT(built.is_ok());
    paths_.emplace(tree, LinkSpec{100'000'000'000, nanoseconds(150)}, nanoseconds(90));
    whole_roster_.emplace(roster);
    running_ = std::make_unique<Simulation>(simulation, *whole_roster_, *paths_, faults, memory);
    return *running_;
  }

  const Roster& whole_roster() const { return *whole_roster_; }
  const PathTimes& paths() const { return *paths_; }

 private:
  std::uint32_t nodes_;
  std::optional<PathTimes> paths_;
  std::optional<Roster> whole_roster_;
  std::unique_ptr<Simulation> running_;
};

}  // namespace holdfast::sim
