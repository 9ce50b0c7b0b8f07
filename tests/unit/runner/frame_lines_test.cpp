// Lines and models about frames between processes or nodes: sides, times, names.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/runner/inputs.hpp"

namespace holdfast::runner {
namespace {

using sim::FaultAction;

constexpr FrameFaults kFaults{.loss = 0.5, .truncate = 0.25, .delay = milliseconds(3)};

// Four hosts with two processes each.
Experiment experiment_with(FailureConfig entry) {
  Experiment experiment;
  experiment.duration = seconds(60);
  experiment.topology.down = {4};
  experiment.topology.up = experiment.topology.parallel = {1};
  experiment.processes.per_node = 2;
  experiment.failures = {std::move(entry)};
  return experiment;
}

FailureConfig line(FaultTarget what, const std::string& which) {
  FailureConfig entry;
  entry.at = Time{} + seconds(10);
  entry.action = FaultKind::impair;
  entry.lasts = seconds(5);
  entry.what = what;
  entry.which = which;
  entry.frames = kFaults;
  return entry;
}

Status load(const FailureConfig& entry, std::shared_ptr<const Inputs>& inputs) {
  return InputsCache().load(experiment_with(entry), inputs);
}

TEST(FrameLines, AProcessAndEverybodyElse) {
  FailureConfig entry = line(FaultTarget::process, "6");
  std::shared_ptr<const Inputs> inputs;
  for (const bool one_way : {false, true}) {
    entry.one_way = one_way;
    ASSERT_TRUE(load(entry, inputs).is_ok());
    const sim::FaultSchedule faults = inputs->faults_of(1);
    EXPECT_EQ(faults.frame_impairments,
              (std::vector<sim::FrameImpairment>{
                  {{sim::FaultTarget::process, 6}, {}, one_way, kFaults}}));
    ASSERT_EQ(faults.events.size(), 2u);
    EXPECT_EQ(faults.events[0].target, sim::FaultTarget::frames);
    EXPECT_EQ(faults.events[0].action, FaultAction::crash);
    EXPECT_EQ(faults.events[1].at, Time{} + seconds(15));
    EXPECT_EQ(faults.events[1].action, FaultAction::repair);
    EXPECT_TRUE(inputs->parts_of(faults).empty()) << "nobody ends by it";
    const FaultOutcome described = inputs->describe(faults).at(0);
    EXPECT_EQ(described.what, "process");
    EXPECT_EQ(described.which, "6");
    EXPECT_EQ(described.effect, "impair");
    EXPECT_EQ(described.pieces, 1u);
    EXPECT_EQ(*described.until, Time{} + seconds(15));
  }
}

TEST(FrameLines, FromANodeToAnotherIsOneWay) {
  FailureConfig entry = line(FaultTarget::node, "host-1");
  entry.to = "host-3";
  std::shared_ptr<const Inputs> inputs;
  const Status status = load(entry, inputs);
  ASSERT_TRUE(status.is_ok()) << status.message();
  const sim::FaultSchedule faults = inputs->faults_of(1);
  EXPECT_EQ(faults.frame_impairments,
            (std::vector<sim::FrameImpairment>{{{sim::FaultTarget::node, 1},
                                                sim::FaultPart{sim::FaultTarget::node, 3},
                                                true,
                                                kFaults}}));
  EXPECT_EQ(inputs->describe(faults).at(0).which, "host-1 to host-3");
}

TEST(FrameLines, WhoIsNotThereOrTheSameIsNoOtherSide) {
  const auto message = [](FaultTarget what, const std::string& which, const std::string& to,
                          std::uint32_t count = 1) {
    FailureConfig entry = line(what, which);
    entry.to = to;
    entry.count = count;
    std::shared_ptr<const Inputs> inputs;
    return load(entry, inputs).message();
  };
  EXPECT_EQ(message(FaultTarget::node, "host-1", "hosst-3"),
            "/failures/0/to: no host is called 'hosst-3': expected an index 0 to 3, a name such as "
            "host-0, or the GUID of an adapter; did you mean \"host-3\"?");
  EXPECT_EQ(message(FaultTarget::process, "1", "8"),
            "/failures/0/to: \"8\" is no process; expected a rank 0 … 7");
  EXPECT_EQ(message(FaultTarget::process, "1", "1"),
            "/failures/0/to: found 1, whose own frames are meant; expected another process");
  EXPECT_EQ(message(FaultTarget::process, "1", "4", 4),
            "/failures/0/to: found 4, whose own frames are meant; expected another process");
  EXPECT_EQ(message(FaultTarget::process, "1", "5", 4), "");
}

TEST(FrameLines, DrawnPartsAreOthersInEachReplicate) {
  FailureConfig entry = line(FaultTarget::process, kDrawnParts);
  entry.count = 3;
  std::shared_ptr<const Inputs> inputs;
  ASSERT_TRUE(load(entry, inputs).is_ok());
  std::set<std::set<std::uint32_t>> draws;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const sim::FaultSchedule faults = inputs->faults_of(seed);
    std::set<std::uint32_t> processes;
    for (const sim::FaultEvent& event : faults.events) {
      const sim::FrameImpairment& impairment = faults.frame_impairments.at(event.index);
      EXPECT_EQ(impairment.faults, kFaults);
      EXPECT_EQ(impairment.of.target, sim::FaultTarget::process);
      processes.insert(impairment.of.index);
    }
    EXPECT_EQ(processes.size(), 3u);
    EXPECT_EQ(faults.events.size(), 6u);
    EXPECT_EQ(faults.faults.size(), 3u);
    draws.insert(processes);
  }
  EXPECT_GT(draws.size(), 5u);
}

// All but one of the processes, so nearly every draw would have had the one that is meant.
TEST(FrameLines, ToWhomTheFramesGoIsNotDrawn) {
  FailureConfig entry = line(FaultTarget::process, kDrawnParts);
  entry.to = "5";
  entry.count = 7;
  std::shared_ptr<const Inputs> inputs;
  const Status status = load(entry, inputs);
  ASSERT_TRUE(status.is_ok()) << status.message();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const sim::FaultSchedule faults = inputs->faults_of(seed);
    std::set<std::uint32_t> processes;
    for (const sim::FrameImpairment& impairment : faults.frame_impairments)
      processes.insert(impairment.of.index);
    EXPECT_EQ(processes, (std::set<std::uint32_t>{0, 1, 2, 3, 4, 6, 7}));
    EXPECT_EQ(faults.faults.size(), 7u);
  }
  entry.count = 8;
  EXPECT_EQ(
      load(entry, inputs).message(),
      "/failures/0/count: found 8; expected at most 7, as many as there are beside 5, to which "
      "the frames go");
}

TEST(FrameLines, AModelDrawsTheTimesOfEachPart) {
  FailureConfig entry = line(FaultTarget::node, "");
  entry.model = sim::RenewalModel{{sim::LifeKind::exponential, seconds(5), 1.0, 1.0}, {}, {}};
  entry.to = "host-0";
  std::shared_ptr<const Inputs> inputs;
  ASSERT_TRUE(load(entry, inputs).is_ok());
  const sim::FaultSchedule faults = inputs->faults_of(3);
  ASSERT_EQ(faults.frame_impairments.size(), 4u);
  std::set<std::uint32_t> nodes;
  for (const sim::FaultEvent& event : faults.events) {
    ASSERT_EQ(event.target, sim::FaultTarget::frames);
    nodes.insert(faults.frame_impairments[event.index].of.index);
  }
  EXPECT_EQ(nodes, (std::set<std::uint32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace holdfast::runner
