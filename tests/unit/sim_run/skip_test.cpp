// Skipping quiet time must not show in anything but the number of events.
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
