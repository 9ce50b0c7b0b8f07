// What a line of the script becomes: consecutive parts, and parts that are drawn.
#include "experiments/runner/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::runner {
namespace {

// 24 processes on 6 hosts; one line of the script.
std::shared_ptr<const Inputs> inputs_with(FaultTarget what, const std::string& which,
                                          std::uint32_t count) {
  Experiment experiment;
  experiment.duration = seconds(60);
  experiment.topology.down = {6};
  experiment.topology.up = experiment.topology.parallel = {1};
  experiment.processes.per_node = 4;
  FailureConfig line;
  line.at = Time{} + seconds(1);
  line.what = what;
  line.which = which;
  line.count = count;
  line.repaired_after = seconds(5);
  experiment.failures = {line, line};
  experiment.failures[1].at = Time{} + seconds(20);
  std::shared_ptr<const Inputs> inputs;
  const Status status = Inputs::load(experiment, inputs);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return inputs;
}

// The parts that crash in the first or second line, in order.
std::vector<std::uint32_t> crashed(const sim::FaultSchedule& faults, bool first) {
  std::vector<std::uint32_t> parts;
  for (const sim::FaultEvent& event : faults.events)
    if (event.action == sim::FaultAction::crash && (event.at < Time{} + seconds(10)) == first)
      parts.push_back(event.index);
  return parts;
}

TEST(Inputs, ACountIsThePartAndThoseThatFollow) {
  const auto inputs = inputs_with(FaultTarget::node, "2", 3);
  const sim::FaultSchedule faults = inputs->faults_of(7);
  EXPECT_EQ(crashed(faults, true), (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(crashed(faults, false), (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(faults.events.size(), 12u);  // each is repaired
  const auto parts = inputs->parts_of(faults);
  ASSERT_EQ(parts.size(), 6u);
  for (std::size_t record = 0; record < 6; ++record) {
    EXPECT_EQ(parts.at(record).what, "node");
    EXPECT_EQ(parts.at(record).which, "host-" + std::to_string(2 + record % 3));
  }
}

// The target of an incast is named as the parts of failures are; who is misspelt is guessed.
TEST(Inputs, TheTargetOfAnIncastIsAHostByIndexOrName) {
  Experiment experiment;
  experiment.duration = seconds(1);
  experiment.topology.down = {16};
  experiment.topology.up = experiment.topology.parallel = {1};
  experiment.fabric.fidelity = Fidelity::packet;
  experiment.traffic.resize(3);
  for (TrafficConfig& kind : experiment.traffic) kind.options.pattern = sim::TrafficPattern::incast;
  experiment.traffic[0].target = "11";
  experiment.traffic[1].target = "host-12";
  experiment.traffic[2].target = "nobody";
  experiment.traffic[2].options.pattern = sim::TrafficPattern::uniform;  // which has no target
  InputsCache cache;
  std::shared_ptr<const Inputs> inputs;
  Status status = cache.load(experiment, inputs);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_EQ(inputs->traffic_targets(), (std::vector<NodeId>{{11}, {12}, {0}}));
  experiment.traffic[1].target = "hots-13";
  status = cache.load(experiment, inputs);
  EXPECT_EQ(
      status.message(),
      "/traffic/1/target: no host is called 'hots-13': expected an index 0 to 15, a name such "
      "as host-0, or the GUID of an adapter; did you mean \"host-13\"?");
}

TEST(Inputs, RandomPartsDifferFromEachOtherAndBetweenReplicatesAndLines) {
  const auto inputs = inputs_with(FaultTarget::process, kDrawnParts, 5);
  std::set<std::vector<std::uint32_t>> draws;
  std::vector<int> chosen(24);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const sim::FaultSchedule faults = inputs->faults_of(seed);
    for (const bool first : {true, false}) {
      const std::vector<std::uint32_t> parts = crashed(faults, first);
      EXPECT_EQ(std::set<std::uint32_t>(parts.begin(), parts.end()).size(), 5u);
      draws.insert(parts);
      for (const std::uint32_t part : parts) ++chosen.at(part);
    }
    EXPECT_EQ(faults, inputs->faults_of(seed));
    EXPECT_EQ(inputs->parts_of(faults).at(0).which, std::to_string(crashed(faults, true)[0]));
  }
  EXPECT_GT(draws.size(), 1990u);
  // Each of 24 in 5 of 24 draws: 417 of 2,000, with a standard deviation of 18.
  const auto [least, most] = std::minmax_element(chosen.begin(), chosen.end());
  EXPECT_GT(*least, 417 - 5 * 18);
  EXPECT_LT(*most, 417 + 5 * 18);
}

TEST(Inputs, MoreRandomPartsAreTheSameAndMore) {
  const auto few = inputs_with(FaultTarget::process, kDrawnParts, 2);
  const auto many = inputs_with(FaultTarget::process, kDrawnParts, 6);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto shorter = crashed(few->faults_of(seed), true);
    const auto longer = crashed(many->faults_of(seed), true);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
  }
}

// 4,000 processes on 1,000 hosts whose nodes fail by a model.
Experiment modelled(sim::LifeKind kind, Duration mtbf, std::uint32_t count) {
  Experiment experiment;
  experiment.duration = seconds(3600);
  experiment.topology.down = {1000};
  experiment.topology.up = experiment.topology.parallel = {1};
  experiment.processes.per_node = 4;
  FailureConfig entry;
  entry.what = FaultTarget::node;
  entry.count = count;
  entry.model = sim::RenewalModel{
      {kind, mtbf, 0.7, 1.4}, {}, sim::RepairModel{sim::RepairKind::fixed, seconds(10), 1.0}};
  experiment.failures = {entry};
  return experiment;
}

sim::FaultSchedule drawn(const Experiment& experiment, std::uint64_t seed) {
  std::shared_ptr<const Inputs> inputs;
  const Status status = InputsCache().load(experiment, inputs);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return inputs->faults_of(seed);
}

TEST(Inputs, ModelsFailAsOftenAsTheirMeanLifeSays) {
  for (const sim::LifeKind kind :
       {sim::LifeKind::exponential, sim::LifeKind::weibull, sim::LifeKind::lognormal}) {
    const Experiment experiment = modelled(kind, seconds(7200), 1);
    double failures = 0.0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const sim::FaultSchedule faults = drawn(experiment, seed);
      std::map<std::size_t, std::uint32_t> node_of_record;
      for (const sim::FaultEvent& event : faults.events) {
        if (event.action != sim::FaultAction::crash) continue;
        ++failures;
        EXPECT_LT(event.at, Time{} + seconds(3600));
        EXPECT_TRUE(node_of_record.emplace(event.record, event.index).second);
      }
      for (const sim::FaultEvent& event : faults.events)
        if (event.action == sim::FaultAction::repair) {
          EXPECT_EQ(event.index, node_of_record.at(event.record));
        }
      if (seed == 0) {
        EXPECT_EQ(faults, drawn(experiment, seed));
      }
    }
    // 20 replicates of 1,000 nodes for half a mean life: 10,000 failures, less those that repairs
    // leave no time for, which are about one in a thousand.
    EXPECT_NEAR(failures / 10'000, 1.0, 0.04) << static_cast<int>(kind);
  }
}

// Common random numbers: what a sweep varies beside the model does not move a failure, and twice
// the mean is twice the time.
TEST(Inputs, ModelsDrawTheSameAtEverySweepPoint) {
  const Experiment one = modelled(sim::LifeKind::weibull, seconds(7200), 1);
  Experiment other = one;
  other.detector.period = milliseconds(10);
  other.propagation.kind = "chord";
  other.fabric.switch_latency = nanoseconds(100);
  EXPECT_EQ(drawn(one, 5), drawn(other, 5));
  EXPECT_NE(drawn(one, 5), drawn(one, 6));
  Experiment longer = modelled(sim::LifeKind::weibull, seconds(14'400), 1);
  longer.duration = seconds(7200);
  const auto first = [](const sim::FaultSchedule& faults) {
    std::map<std::uint32_t, std::int64_t> at;
    for (const sim::FaultEvent& event : faults.events) at.emplace(event.index, event.at.ns);
    return at;
  };
  const auto shorter_times = first(drawn(one, 5));
  const auto longer_times = first(drawn(longer, 5));
  ASSERT_GT(shorter_times.size(), 200u);
  ASSERT_EQ(shorter_times.size(), longer_times.size());
  for (const auto& [node, at] : shorter_times)
    EXPECT_NEAR(static_cast<double>(longer_times.at(node)), 2.0 * static_cast<double>(at), 2.0);
}

TEST(Inputs, NeighboursThatFailAsOneFailAtOneInstant) {
  const sim::FaultSchedule faults =
      drawn(modelled(sim::LifeKind::exponential, seconds(7200), 64), 3);
  std::map<std::int64_t, std::set<std::uint32_t>> crashes;
  for (const sim::FaultEvent& event : faults.events)
    if (event.action == sim::FaultAction::crash) crashes[event.at.ns].insert(event.index);
  ASSERT_GE(crashes.size(), 2u);
  for (const auto& [at, nodes] : crashes) {
    EXPECT_EQ(*nodes.begin() % 64, 0u);
    EXPECT_EQ(nodes.size(), std::min<std::size_t>(64, 1000 - *nodes.begin()));
    EXPECT_EQ(*nodes.rbegin() - *nodes.begin() + 1, nodes.size());
  }
}

TEST(Inputs, TooManyFailuresAreAnError) {
  std::shared_ptr<const Inputs> inputs;
  const Experiment experiment = modelled(sim::LifeKind::exponential, microseconds(1), 1);
  const Status status = InputsCache().load(experiment, inputs);
  EXPECT_EQ(status.message().substr(0, 17), "/failures/0/mtbf:");
}

// In the 4-ary 3-tree 16 hosts of a group send to 48 others through 4 middle switches of 4 uplinks:
// 48 routes on each link where they are spread, and 192 on one of four where each switch counts for
// itself. With four addresses the means are four times as large.
TEST(Inputs, UpdnSpreadsAsOpenSmDoes) {
  for (const RoutingKind kind : {RoutingKind::dmodk, RoutingKind::balanced, RoutingKind::updn}) {
    for (const std::uint32_t lmc : {0u, 2u}) {
      Experiment experiment;
      experiment.duration = seconds(60);
      experiment.topology.down = {4, 4, 4};
      experiment.topology.up = {1, 4, 4};
      experiment.topology.parallel = {1, 1, 1};
      experiment.fabric.routing.kind = kind;
      experiment.fabric.routing.lmc = lmc;
      std::shared_ptr<const Inputs> inputs;
      ASSERT_TRUE(Inputs::load(experiment, inputs).is_ok());
      const sim::LinkLoads loads = inputs->topology().summary().loads;
      const sim::LinkLoad& upwards = loads.at({2, 3});
      EXPECT_EQ(upwards.routes, upwards.links * 48 << lmc);
      if (lmc > 0) continue;
      EXPECT_EQ(upwards.most, kind == RoutingKind::updn ? 192u : 48u);
    }
  }
}

TEST(Inputs, TheOrderSpreadKnowsTheLeavesOfTheTopology) {
  Experiment experiment;
  experiment.duration = seconds(60);
  experiment.topology.down = {3, 4};
  experiment.topology.up = experiment.topology.parallel = {1, 1};
  experiment.processes.nodes = 9;
  experiment.detector.order = "spread";
  std::shared_ptr<const Inputs> inputs;
  ASSERT_TRUE(Inputs::load(experiment, inputs).is_ok());
  const Roster roster(roster_options(experiment, *inputs, 0));
  for (std::uint32_t i = 0; i < 9; ++i) {
    EXPECT_NE(roster.domain_at({i}).value / 3, roster.domain_at({(i + 1) % 9}).value / 3);
  }
  experiment.detector.order = "rank";
  EXPECT_EQ(roster_options(experiment, *inputs, 0).leaf_of_node, nullptr);
}

}  // namespace
}  // namespace holdfast::runner
