// faults.csv and cuts.csv of simulated runs: what each fault took away, what the sides of a cut
// believed of each other, and when all was well again.
#include "experiments/runner/fault_log.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "experiments/runner/inputs.hpp"
#include "experiments/runner/simulate.hpp"

namespace holdfast::runner {
namespace {

constexpr Time kCut = Time{} + seconds(5);

FailureConfig line(FaultTarget what, const std::string& which, Duration repaired_after) {
  FailureConfig entry;
  entry.at = kCut;
  entry.what = what;
  entry.which = which;
  entry.repaired_after = repaired_after;
  return entry;
}

// 16 hosts of `per_node` processes on four leaves and two spines, in rank order.
Outcome run(std::vector<FailureConfig> failures, Duration duration, std::uint32_t per_node = 1) {
  Experiment experiment;
  experiment.duration = duration;
  experiment.topology.down = {4, 4};
  experiment.topology.up = {1, 2};
  experiment.topology.parallel = {1, 1};
  experiment.processes.per_node = per_node;
  experiment.failures = std::move(failures);
  std::shared_ptr<const Inputs> inputs;
  const Status loaded = Inputs::load(experiment, inputs);
  EXPECT_TRUE(loaded.is_ok()) << loaded.message();
  const std::atomic<bool> stop{false};
  ReplicateMonitor monitor(stop);
  Outcome outcome;
  EXPECT_TRUE(simulate(experiment, *inputs, 0, monitor, outcome).is_ok());
  return outcome;
}

double in_seconds(std::optional<Duration> duration) {
  return duration ? static_cast<double>(duration->ns) / 1e9 : -1.0;
}

// Both uplinks of leaf 0 at once. In rank order each side finds p neighbours in a row to be dead,
// in (2 p - 1) timeouts less up to a period: 4 seen from the others, 12 seen from the leaf.
TEST(FaultLog, BothSidesOfACutAndItsHealing) {
  for (const std::uint32_t per_node : {1u, 2u}) {
    const Outcome outcome = run({line(FaultTarget::link, "leaf-0[5]", seconds(40)),
                                 line(FaultTarget::link, "leaf-0[6]", seconds(40))},
                                seconds(60), per_node);
    ASSERT_EQ(outcome.faults.size(), 2u);
    ASSERT_EQ(outcome.cuts.size(), 1u);
    const CutOutcome& cut = outcome.cuts[0];
    EXPECT_EQ(cut.at, kCut);
    EXPECT_EQ(cut.fault, 1u) << "the second of them made it";
    EXPECT_EQ(cut.nodes, "0-3");
    EXPECT_EQ(cut.cut_off, 4u);
    EXPECT_EQ(cut.others, 12u);
    EXPECT_NEAR(in_seconds(cut.others_knew), 7.0 - 0.05, 0.06);
    EXPECT_NEAR(in_seconds(cut.cut_off_knew), 23.0 - 0.05, 0.06);
    EXPECT_EQ(cut.healed_at, kCut + seconds(40));
    EXPECT_EQ(cut.pairs, 48u * per_node * per_node);
    EXPECT_EQ(cut.believed_by_others, cut.pairs);
    EXPECT_EQ(cut.believed_by_cut_off, cut.pairs);
    ASSERT_TRUE(cut.reconciled.has_value());
    EXPECT_GT(in_seconds(cut.reconciled), 0.0);
    EXPECT_LT(in_seconds(cut.reconciled), 5.0);
  }
}

// Told by hand: it is over when the slower side is, whichever that is.
TEST(FaultLog, ReconciledIsWhenBothSidesAre) {
  sim::Pgft tree;
  ASSERT_TRUE(sim::Pgft::create({{4, 4}, {1, 2}, {1, 1}}, tree).is_ok());
  const sim::PgftWiring wiring(tree);
  RosterOptions nodes;
  nodes.nodes = 16;
  const Roster roster(nodes);
  const sim::FabricPart link{sim::FabricPart::Kind::link, wiring.link_at(wiring.endpoint({0}))};
  for (const bool others_last : {true, false}) {
    Judge judge(16);
    FaultLog log(roster, judge, 1);
    const auto believe = [&](std::int64_t second, std::uint32_t observer, bool failed) {
      const Time at = Time{} + seconds(second);
      const ProcessId subject{observer == 0 ? 5u : 0u};
      log.advance(at);
      judge.believe(at, {observer}, subject, Incarnation{0}, failed, true);
      log.believed(at, {observer}, subject, failed);
    };
    log.fabric_changed(kCut, 0, wiring, link);
    believe(6, 0, true);
    believe(6, 5, true);
    log.fabric_changed(Time{} + seconds(10), sim::kNoFault, wiring, link);
    believe(12, others_last ? 0 : 5, false);
    believe(15, others_last ? 5 : 0, false);
    log.finish();
    ASSERT_EQ(log.cuts().size(), 1u);
    EXPECT_EQ(log.cuts()[0].pairs, 15u);
    EXPECT_EQ(log.cuts()[0].believed_by_others, 1u);
    EXPECT_EQ(log.cuts()[0].believed_by_cut_off, 1u);
    EXPECT_EQ(log.cuts()[0].reconciled, seconds(5));
  }
}

// Two hosts lose their links 1 ms apart, while nobody comes to believe anything: two cuts, each by
// its own fault and at its own time; and so do they heal.
TEST(FaultLog, CutsCloseToEachOtherAreTwo) {
  FailureConfig second = line(FaultTarget::link, "host-9", seconds(3));
  second.at = kCut + milliseconds(1);
  const Outcome outcome = run({line(FaultTarget::link, "host-2", seconds(3)), second}, seconds(20));
  ASSERT_EQ(outcome.cuts.size(), 2u);
  EXPECT_EQ(outcome.cuts[0].nodes, "2");
  EXPECT_EQ(outcome.cuts[0].fault, 0u);
  EXPECT_EQ(outcome.cuts[0].at, kCut);
  EXPECT_EQ(outcome.cuts[0].healed_at, kCut + seconds(3));
  EXPECT_EQ(outcome.cuts[1].nodes, "9");
  EXPECT_EQ(outcome.cuts[1].fault, 1u);
  EXPECT_EQ(outcome.cuts[1].at, second.at);
  EXPECT_EQ(outcome.cuts[1].healed_at, second.at + seconds(3));
}

// Healed after 5 s: the others had found 3 of 4, the leaf 3 of 12.
TEST(FaultLog, ACutThatHealsEarlyIsKnownInPart) {
  const Outcome outcome = run({line(FaultTarget::link, "leaf-0[5]", seconds(5)),
                               line(FaultTarget::link, "leaf-0[6]", seconds(5))},
                              seconds(30));
  ASSERT_EQ(outcome.cuts.size(), 1u);
  const CutOutcome& cut = outcome.cuts[0];
  EXPECT_FALSE(cut.others_knew);
  EXPECT_FALSE(cut.cut_off_knew);
  EXPECT_EQ(cut.believed_by_others, 12u * 3u);
  EXPECT_EQ(cut.believed_by_cut_off, 4u * 3u);
  EXPECT_TRUE(cut.reconciled.has_value());
}

TEST(FaultLog, ACutThatNeverHealsHasTheBeliefsOfTheEnd) {
  FailureConfig entry = line(FaultTarget::board, "chassis-0/line-1", seconds(1));
  entry.repaired_after.reset();
  const Outcome outcome = run({entry}, seconds(60));
  ASSERT_EQ(outcome.cuts.size(), 1u);
  const CutOutcome& cut = outcome.cuts[0];
  EXPECT_EQ(cut.nodes, "4-7");
  EXPECT_FALSE(cut.healed_at);
  EXPECT_FALSE(cut.reconciled);
  EXPECT_EQ(cut.pairs, 48u);
  EXPECT_EQ(cut.believed_by_others, 48u);
}

// A leaf with its nodes ends domains and cuts nobody off; a line board cuts off and ends none; a
// link between switches does neither.
TEST(FaultLog, WhatAFaultTookAway) {
  const Outcome outcome = run(
      {line(FaultTarget::leaf, "leaf-1", seconds(10)), line(FaultTarget::node, "15", seconds(5)),
       line(FaultTarget::board, "chassis-0/line-2", seconds(10)),
       line(FaultTarget::link, "leaf-3[5]", seconds(10))},
      seconds(40), 2);
  ASSERT_EQ(outcome.faults.size(), 4u);
  EXPECT_EQ(outcome.faults[0].which, "leaf-1");
  EXPECT_EQ(outcome.faults[0].pieces, 5u);
  EXPECT_EQ(outcome.faults[0].ended, 4u);
  EXPECT_EQ(outcome.faults[0].until, kCut + seconds(10));
  EXPECT_EQ(outcome.faults[1].which, "host-15");
  EXPECT_EQ(outcome.faults[1].ended, 1u);
  EXPECT_EQ(outcome.faults[2].ended, 0u);
  EXPECT_EQ(outcome.faults[3].which, "leaf-3[5]");
  ASSERT_EQ(outcome.cuts.size(), 1u);
  EXPECT_EQ(outcome.cuts[0].nodes, "8-11");
  EXPECT_EQ(outcome.cuts[0].others, 16u - 4u - 4u) << "the dead leaf's hosts are on no side";
}

// By a model: named, in order of time, each as often as it flaps.
TEST(FaultLog, ModelsAreWrittenDownToo) {
  FailureConfig entry;
  entry.what = FaultTarget::node;
  entry.count = 4;
  entry.model = sim::RenewalModel{{sim::LifeKind::exponential, seconds(100), 1.0, 1.0},
                                  {},
                                  sim::RepairModel{sim::RepairKind::fixed, seconds(5), 1.0}};
  FailureConfig flap = entry;
  flap.what = FaultTarget::spine;
  flap.count = 1;
  flap.repaired_after = milliseconds(100);
  flap.every = seconds(1);
  const Outcome outcome = run({entry, flap}, seconds(200));
  ASSERT_GT(outcome.faults.size(), 6u);
  Time last;
  for (const FaultOutcome& fault : outcome.faults) {
    EXPECT_GE(fault.at, last);
    last = fault.at;
    EXPECT_EQ(fault.source, "model");
    if (fault.what == "node") {
      EXPECT_EQ(fault.effect, "crash");
      EXPECT_EQ(fault.ended, 4u);
      EXPECT_EQ(fault.which.substr(0, 5), "host-");
      EXPECT_NE(fault.which.find(" … host-"), std::string::npos);
    } else {
      EXPECT_EQ(fault.effect, "flap");
      EXPECT_EQ(fault.which.substr(0, 6), "spine-");
      if (fault.at + seconds(5) < Time{} + seconds(200)) {
        EXPECT_EQ(fault.times, 5u);
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::runner
