// What a line of the script becomes: consecutive parts, and parts that are drawn.
#include "experiments/runner/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
  ScriptedFailure line;
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

}  // namespace
}  // namespace holdfast::runner
