// Skipping quiet time must not show in anything but the number of events.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/faults/renewal.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

struct Ran {
  std::uint64_t hash, events, skipped;
  FrameCounts counts;
  std::vector<Memory::Belief> beliefs;
};

Ran run(bool skip, std::uint64_t seed, bool agents) {
  Job job(9, agents ? 4 : 1, agents);
  job.simulation.seed = seed;
  job.simulation.skip_quiet_time = skip;
  job.simulation.duration = seconds(400);
  job.roster.order = seed % 2 == 0 ? RingOrder::rank : RingOrder::shuffled;
  Random random(seed, 1, 1);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Time crash =
        Time{} + nanoseconds(static_cast<std::int64_t>(random.below(300'000'000'000)));
    const auto node = static_cast<std::uint32_t>(2 * i);
    job.at(crash, FaultAction::crash, FaultTarget::node, node);
    if (i < 3) {
      job.at(crash + nanoseconds(static_cast<std::int64_t>(random.below(90'000'000'000))),
             FaultAction::repair, FaultTarget::node, node);
    }
  }
  Simulation& simulation = job.build();
  simulation.run();
  return {simulation.state_hash(), simulation.events(), simulation.heartbeats_skipped(),
          simulation.frame_counts(), job.memory.beliefs};
}

TEST(Skip, ChangesNothingButTheNumberOfEvents) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Ran with = run(true, seed, seed % 3 == 0);
    const Ran without = run(false, seed, seed % 3 == 0);
    EXPECT_EQ(with.hash, without.hash) << seed;
    EXPECT_EQ(with.counts, without.counts) << seed;
    ASSERT_EQ(with.beliefs.size(), without.beliefs.size()) << seed;
    for (std::size_t i = 0; i < with.beliefs.size(); ++i) {
      EXPECT_EQ(with.beliefs[i].at, without.beliefs[i].at) << seed;
      EXPECT_EQ(with.beliefs[i].observer, without.beliefs[i].observer) << seed;
      EXPECT_EQ(with.beliefs[i].subject, without.beliefs[i].subject) << seed;
    }
    EXPECT_EQ(without.skipped, 0u);
    EXPECT_GT(with.skipped, with.counts.heartbeats / 2) << seed;
    EXPECT_LT(with.events, without.events / 2) << seed;
  }
}

// A schedule of models for every node: crashes that are repaired, and pauses.
FaultSchedule modelled(std::uint64_t seed, std::uint32_t nodes, Duration end) {
  const LifeKind kinds[] = {LifeKind::exponential, LifeKind::weibull, LifeKind::lognormal};
  const RenewalModel crashes{{kinds[seed % 3], seconds(300), 0.7, 1.4},
                             {},
                             RepairModel{RepairKind::lognormal, seconds(20), 1.0}};
  const RenewalModel pauses{{kinds[(seed + 1) % 3], seconds(400), 0.7, 1.4},
                            Duration{0},
                            RepairModel{RepairKind::exponential, seconds(1), 1.0}};
  ScheduleBuilder builder;
  std::size_t record = 0;
  std::vector<DownTime> down;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (const bool crash : {true, false}) {
      down.clear();
      const RenewalModel& model = crash ? crashes : pauses;
      draw_down_times(Lives(model.life), model, {seed, crash ? 0u : 1u, node}, end, down);
      for (const DownTime& each : down) {
        builder.add({each.from, each.until, crash ? FaultAction::crash : FaultAction::pause,
                     FaultTarget::node, node, record++});
      }
    }
  }
  return builder.build();
}

TEST(Skip, ChangesNothingUnderModels) {
  std::uint64_t skipped = 0;
  std::uint64_t heartbeats = 0;
  for (std::uint64_t seed = 0; seed < tests::drawn(50u); ++seed) {
    std::vector<std::uint64_t> hashes;
    std::vector<FrameCounts> counts;
    std::vector<std::size_t> beliefs;
    for (const bool skip : {true, false}) {
      Job job(5, 2, seed % 2 == 0);
      job.simulation.seed = seed;
      job.simulation.skip_quiet_time = skip;
      job.simulation.duration = seconds(600);
      job.roster.order = RingOrder::shuffled;
      job.roster.order_key = seed;
      job.faults = modelled(seed, 5, seconds(600));
      Simulation& simulation = job.build();
      simulation.run();
      hashes.push_back(simulation.state_hash());
      counts.push_back(simulation.frame_counts());
      beliefs.push_back(job.memory.beliefs.size());
      skipped += simulation.heartbeats_skipped();
      if (skip) heartbeats += simulation.frame_counts().heartbeats;
    }
    EXPECT_EQ(hashes[0], hashes[1]) << seed;
    EXPECT_EQ(counts[0], counts[1]) << seed;
    EXPECT_EQ(beliefs[0], beliefs[1]) << seed;
  }
  EXPECT_GT(skipped, heartbeats / 3);
}

// Hosts on two switches without a cable between them: who is never heard is judged, and that is not
// skipped over although no frame is ever under way.
TEST(Skip, WaitsForThoseWhoWereNeverHeard) {
  FabricGraph graph;
  for (const std::uint64_t island : {1u, 2u}) {
    Device chip;
    chip.kind = DeviceKind::switch_chip;
    chip.guid = island << 32;
    const std::uint32_t leaf = graph.add_device(chip, 2);
    for (std::uint32_t port = 1; port <= 2; ++port) {
      Device adapter;
      adapter.guid = (island << 32) + port;
      adapter.host = graph.add_host("host-" + std::to_string(island) + std::to_string(port));
      const std::uint32_t card = graph.add_device(adapter, 1);
      graph.connect({leaf, port}, {card, 1}, {100'000'000'000, nanoseconds(150)});
    }
  }
  const Routes routes(graph);
  const PathTimes paths(graph, routes, nanoseconds(90));
  ASSERT_FALSE(paths.reachable({0}, {2}));
  RosterOptions four;
  four.nodes = 4;
  const Roster roster(four);
  std::vector<std::uint64_t> hashes;
  for (const bool skip : {true, false}) {
    SimulationOptions options;
    options.duration = seconds(60);
    options.skip_quiet_time = skip;
    FaultSchedule faults;
    faults.events.push_back({Time{} + seconds(30), FaultAction::crash, FaultTarget::node, 0, 0});
    Memory memory;
    Simulation simulation(options, roster, paths, faults, memory);
    simulation.run();
    // Each side judges the other after its first deadline, long before the crash.
    ASSERT_TRUE(memory.first_verdict({2}).has_value());
    EXPECT_LT(*memory.first_verdict({2}), Time{} + seconds(10));
    hashes.push_back(simulation.state_hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace holdfast::sim
