// Plays a scenario, event by event, under the oracles.
#include <memory>
#include <ostream>
#include <vector>

#include "stack/outer_fabric.hpp"
#include "tests/messages/ledger.hpp"
#include "tests/messages/lives.hpp"
#include "tests/messages/placing_fabric.hpp"
#include "tests/messages/scenario.hpp"
#include "tests/messages/trace.hpp"
#include "tests/messages/workload.hpp"

namespace holdfast::messages {

namespace {

// After everything has completed: long enough for what may come twice, and for the last news of who
// lives (draw.cpp: 51 ms), without which nobody receives what waits from there.
constexpr Duration kAfterwards = milliseconds(60);

class SimulatedLives final : public Lives {
 public:
  SimulatedLives(const sim::World& world, Time calm) : world_(world), calm_(calm) {}

  Time now() const override { return world_.now(); }
  bool is_calm() const override { return now() >= calm_; }
  const reliable::Endpoint* endpoint(ProcessId process) const override {
    return world_.endpoint(process);
  }
  Incarnation incarnation(ProcessId process) const override { return world_.incarnation(process); }
  std::optional<Incarnation> believes(ProcessId process, ProcessId other) const override {
    return world_.believes(process, other);
  }

 private:
  const sim::World& world_;
  Time calm_;
};

class Play {
 public:
  Play(const Scenario& scenario, std::ostream* trace)
      : scenario_(scenario),
        ledger_(scenario),
        workload_(scenario, ledger_),
        trace_(trace),
        world_(with_trace(scenario.world), workload_),
        lives_(world_, scenario.calm) {
    workload_.set_lives(lives_);
    workload_.set_trace(trace);
    trace_.watch(world_);
    run();
    count();
  }

  const Played& played() const { return played_; }

 private:
  sim::WorldOptions with_trace(sim::WorldOptions options) {
    trace_.join(options);
    options.wrap = [this, traced = options.wrap](Fabric& inner, std::size_t rail,
                                                 ProcessId process) -> std::unique_ptr<Fabric> {
      Fabric* below = &inner;
      if (traced) below = traced_.emplace_back(traced(inner, rail, process)).get();
      const bool places = (scenario_.placing_rails >> rail & 1) != 0;
      if (!places) return std::make_unique<OuterFabric>(*below);
      return std::make_unique<PlacingFabric>(*below, scenario_.world.seed + wrapped_++, placing_);
    };
    return options;
  }

  // False if nothing happens until then, or something is wrong.
  bool step(Time end) {
    const bool more = world_.step(end);
    if (!ledger_.failure().empty()) played_.failure = ledger_.failure();
    if (!world_.failure().empty()) played_.failure = world_.failure();
    return more && played_.failure.empty();
  }

  void run() {
    while (step(scenario_.calm)) {
    }
    const Time deadline = scenario_.calm + scenario_.bound;
    while (played_.failure.empty() && !workload_.finished()) {
      if (step(deadline) || !played_.failure.empty()) continue;
      if (!workload_.finished()) {
        played_.failure = "not everything has completed in time:" + workload_.unfinished();
      }
    }
    if (!played_.failure.empty()) return;
    played_.completion = world_.now() - scenario_.calm;
    const Time end = world_.now() + kAfterwards;
    while (step(end)) {
    }
    if (!played_.failure.empty()) return;
    std::vector<Incarnation> lives;
    for (std::uint32_t i = 0; i < scenario_.world.processes; ++i) {
      lives.push_back(world_.incarnation({i}));
    }
    ledger_.check_in_the_end(lives);
    played_.failure = ledger_.failure();
  }

  void count() {
    played_.frames = world_.frames(sim::PipeFate::left) + world_.impaired().lost;
    played_.messages = ledger_.received();
    played_.scattered = ledger_.received_scattered();
    played_.resent = world_.counts().fragments_resent;
    played_.placed = placing_.placed;
    played_.displaced = placing_.displaced;
    played_.faults_in_recovery = world_.faults_in_recovery();
    played_.truncated = ledger_.outcomes(reliable::Outcome::truncated);
    played_.cancelled = ledger_.outcomes(reliable::Outcome::cancelled);
    played_.peer_failed = ledger_.outcomes(reliable::Outcome::peer_failed);
    played_.digest = world_.digest();
  }

  const Scenario& scenario_;
  Ledger ledger_;
  Workload workload_;
  Trace trace_;
  std::vector<std::unique_ptr<Fabric>> traced_;
  PlacingCounts placing_;
  std::uint64_t wrapped_ = 0;
  sim::World world_;
  SimulatedLives lives_;
  Played played_;
};

}  // namespace

Played play(const Scenario& scenario, std::ostream* trace) {
  return Play(scenario, trace).played();
}

}  // namespace holdfast::messages
