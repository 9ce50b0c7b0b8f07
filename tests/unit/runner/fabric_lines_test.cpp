// Lines of the script about parts of the fabric: names, leaves, flaps, impairments; and models.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/runner/inputs.hpp"

namespace holdfast::runner {
namespace {

using sim::FaultAction;
using sim::FaultTarget;

// 16 hosts on four leaves and two spines.
Experiment experiment_with(FailureConfig entry) {
  Experiment experiment;
  experiment.duration = seconds(60);
  experiment.topology.down = {4, 4};
  experiment.topology.up = {1, 2};
  experiment.topology.parallel = {1, 1};
  experiment.failures = {std::move(entry)};
  return experiment;
}

FailureConfig line(runner::FaultTarget what, const std::string& which) {
  FailureConfig entry;
  entry.at = Time{} + seconds(10);
  entry.what = what;
  entry.which = which;
  return entry;
}

struct Loaded {
  Status status;
  sim::FaultSchedule faults;
  std::shared_ptr<const Inputs> inputs;
};

Loaded load(const FailureConfig& entry) {
  Loaded loaded{Status::ok(), {}, {}};
  loaded.status = InputsCache().load(experiment_with(entry), loaded.inputs);
  if (loaded.status.is_ok()) loaded.faults = loaded.inputs->faults_of(1);
  return loaded;
}

TEST(FabricLines, ALinkIsNamedByEitherEnd) {
  const Loaded host = load(line(runner::FaultTarget::link, "host-5"));
  const Loaded port = load(line(runner::FaultTarget::link, "host-5[1]"));
  const Loaded leaf = load(line(runner::FaultTarget::link, "leaf-1[2]"));  // its second host
  for (const Loaded* loaded : {&host, &port, &leaf}) {
    ASSERT_TRUE(loaded->status.is_ok()) << loaded->status.message();
    ASSERT_EQ(loaded->faults.events.size(), 1u);
    EXPECT_EQ(loaded->faults.events[0].target, FaultTarget::link);
    EXPECT_EQ(loaded->faults.events[0].index, host.faults.events[0].index);
  }
  EXPECT_FALSE(load(line(runner::FaultTarget::link, "leaf-1")).status.is_ok());
  EXPECT_FALSE(load(line(runner::FaultTarget::link, "leaf-1[7]")).status.is_ok());
  EXPECT_FALSE(load(line(runner::FaultTarget::switch_chip, "leaf-4")).status.is_ok());
  EXPECT_FALSE(load(line(runner::FaultTarget::switch_chip, "host-1")).status.is_ok());
  EXPECT_FALSE(load(line(runner::FaultTarget::adapter, "spine-0")).status.is_ok());
}

TEST(FabricLines, ASwitchIsRepaired) {
  FailureConfig entry = line(runner::FaultTarget::switch_chip, "spine-1");
  entry.repaired_after = seconds(5);
  const Loaded loaded = load(entry);
  ASSERT_TRUE(loaded.status.is_ok()) << loaded.status.message();
  ASSERT_EQ(loaded.faults.events.size(), 2u);
  const sim::Wiring& wiring = loaded.inputs->topology().routing().wiring();
  EXPECT_EQ(loaded.faults.events[0].index, wiring.devices() - 1);
  EXPECT_EQ(loaded.faults.events[1].action, FaultAction::repair);
  EXPECT_TRUE(loaded.inputs->parts_of(loaded.faults).empty());
}

TEST(FabricLines, ALeafTakesItsNodesWithIt) {
  const Loaded loaded = load(line(runner::FaultTarget::leaf, "leaf-2"));
  ASSERT_TRUE(loaded.status.is_ok()) << loaded.status.message();
  std::set<std::uint32_t> nodes;
  for (const sim::FaultEvent& event : loaded.faults.events) {
    EXPECT_EQ(event.at, Time{} + seconds(10));
    if (event.target == FaultTarget::node) nodes.insert(event.index);
  }
  EXPECT_EQ(nodes, (std::set<std::uint32_t>{8, 9, 10, 11}));
  EXPECT_EQ(loaded.faults.events.size(), 5u);
}

TEST(FabricLines, AFlapComesAgainToTheEnd) {
  FailureConfig entry = line(runner::FaultTarget::link, "host-0");
  entry.repaired_after = milliseconds(100);
  entry.every = seconds(20);
  const Loaded loaded = load(entry);
  std::vector<std::int64_t> downs;
  for (const sim::FaultEvent& event : loaded.faults.events) {
    if (event.action == FaultAction::crash) downs.push_back((event.at - Time{}) / seconds(1));
  }
  EXPECT_EQ(downs, (std::vector<std::int64_t>{10, 30, 50}));
  EXPECT_EQ(loaded.faults.events.size(), 6u);
}

TEST(FabricLines, AnImpairmentHasTheDirectionOfItsPort) {
  for (const std::string which : {"host-5", "leaf-1[2]"}) {
    FailureConfig entry = line(runner::FaultTarget::link, which);
    entry.action = FaultKind::impair;
    entry.lasts = seconds(5);
    entry.share = 0.25;
    entry.one_way = true;
    const Loaded loaded = load(entry);
    ASSERT_EQ(loaded.faults.impairments.size(), 1u);
    const sim::Impairment& impairment = loaded.faults.impairments[0];
    const sim::Wiring& wiring = loaded.inputs->topology().routing().wiring();
    const std::uint32_t from = wiring.ends(impairment.link)[*impairment.direction].device;
    EXPECT_EQ(wiring.is_switch(from), which != "host-5");
    EXPECT_EQ(impairment.share, 0.25);
    ASSERT_EQ(loaded.faults.events.size(), 2u);
    EXPECT_EQ(loaded.faults.events[1].at, Time{} + seconds(15));
  }
}

TEST(FabricLines, AModelOfSwitchesIsAboutSwitchesOnly) {
  FailureConfig entry;
  entry.what = runner::FaultTarget::switch_chip;
  entry.model = sim::RenewalModel{{sim::LifeKind::exponential, seconds(10), 1.0, 1.0},
                                  {},
                                  sim::RepairModel{sim::RepairKind::fixed, seconds(1), 1.0}};
  const Loaded loaded = load(entry);
  ASSERT_GT(loaded.faults.events.size(), 10u);
  std::set<std::uint32_t> devices;
  for (const sim::FaultEvent& event : loaded.faults.events) {
    EXPECT_EQ(event.target, FaultTarget::device);
    EXPECT_TRUE(loaded.inputs->topology().routing().wiring().is_switch(event.index));
    devices.insert(event.index);
  }
  EXPECT_EQ(devices.size(), 6u);
}

}  // namespace
}  // namespace holdfast::runner
