// Lines of the script about parts of the fabric: names, common causes, flaps, impairments.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/runner/inputs.hpp"
#include "experiments/runner/rails.hpp"

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

TEST(FaultLines, ALinkIsNamedByEitherEnd) {
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

TEST(FaultLines, ASwitchIsRepaired) {
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

TEST(FaultLines, ALeafTakesItsNodesWithIt) {
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

TEST(FaultLines, AFlapComesAgainToTheEnd) {
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

TEST(FaultLines, AnImpairmentHasTheDirectionOfItsPort) {
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

// The tree's only chassis: four line boards of a leaf chip, and its two spine chips on one board.
TEST(FaultLines, ABoardAndAChassisTakeTheirChipsAlong) {
  const auto devices = [](runner::FaultTarget what, const std::string& which) {
    const Loaded loaded = load(line(what, which));
    EXPECT_TRUE(loaded.status.is_ok()) << loaded.status.message();
    std::set<std::uint32_t> found;
    for (const sim::FaultEvent& event : loaded.faults.events) {
      EXPECT_EQ(event.target, FaultTarget::device);
      found.insert(event.index);
    }
    return found;
  };
  using Set = std::set<std::uint32_t>;
  EXPECT_EQ(devices(runner::FaultTarget::board, "chassis-0/line-2"), Set{18});
  EXPECT_EQ(devices(runner::FaultTarget::board, "chassis-0/spine-0"), (Set{20, 21}));
  EXPECT_EQ(devices(runner::FaultTarget::chassis, "chassis-0"), (Set{16, 17, 18, 19, 20, 21}));
  EXPECT_EQ(devices(runner::FaultTarget::spine, "spine-1"), Set{21});
}

TEST(FaultLines, AWrongNameGetsTheNearest) {
  const auto message = [](runner::FaultTarget what, const std::string& which) {
    return load(line(what, which)).status.message();
  };
  EXPECT_EQ(
      message(runner::FaultTarget::board, "chassis-0/lin-2"),
      "/failures/0/which: no board is called \"chassis-0/lin-2\"; expected chassis-0/line-0 … "
      "chassis-0/spine-0; did you mean \"chassis-0/line-2\"?");
  EXPECT_EQ(message(runner::FaultTarget::chassis, "chasis-0"),
            "/failures/0/which: no chassis is called \"chasis-0\"; expected chassis-0 … chassis-0; "
            "did you mean \"chassis-0\"?");
  const auto ends_in = [&](runner::FaultTarget what, const std::string& which,
                           const std::string& end) {
    EXPECT_TRUE(message(what, which).ends_with(end)) << message(what, which);
  };
  ends_in(runner::FaultTarget::switch_chip, "laef-1", "did you mean \"leaf-1\"?");
  ends_in(runner::FaultTarget::link, "leef-1[3]", "did you mean \"leaf-1\"?");
  ends_in(runner::FaultTarget::adapter, "hosst-3", "did you mean \"host-3\"?");
  ends_in(runner::FaultTarget::node, "hots-3", "did you mean \"host-3\"?");
  ends_in(runner::FaultTarget::leaf, "spine-1",
          "is a switch that no host hangs on; expected a leaf");
  ends_in(runner::FaultTarget::spine, "leaf-1", "is a switch that hosts hang on; expected another");
}

TEST(FaultLines, WithoutBoardsThereIsNoneToFail) {
  Experiment experiment = experiment_with(line(runner::FaultTarget::board, "chassis-0/line-0"));
  experiment.topology.down = {4};
  experiment.topology.up = experiment.topology.parallel = {1};
  std::shared_ptr<const Inputs> inputs;
  const Status status = InputsCache().load(experiment, inputs);
  EXPECT_TRUE(status.message().starts_with(
      "/failures/0/which: this topology has no chassis or boards; a generated tree"))
      << status.message();
}

// A board's impairment is of all its links, each once, and only away from it if one way. A link
// from one of its chips to another has both directions away from it.
TEST(FaultLines, ABoardIsImpairedOnAllItsLinks) {
  FailureConfig entry = line(runner::FaultTarget::board, "chassis-0/spine-0");
  entry.action = FaultKind::impair;
  entry.lasts = seconds(5);
  entry.per_bit = 1e-6;
  for (const bool one_way : {false, true}) {
    entry.one_way = one_way;
    const Loaded loaded = load(entry);
    ASSERT_EQ(loaded.faults.impairments.size(), 8u);  // two spines with a link to each leaf
    const sim::Wiring& wiring = loaded.inputs->topology().routing().wiring();
    std::set<std::uint32_t> links;
    for (const sim::Impairment& impairment : loaded.faults.impairments) {
      EXPECT_TRUE(links.insert(impairment.link).second);
      EXPECT_EQ(impairment.per_bit, 1e-6);
      EXPECT_EQ(impairment.direction.has_value(), one_way);
      if (one_way) {
        EXPECT_GE(wiring.ends(impairment.link)[*impairment.direction].device, 20u);
      }
    }
    EXPECT_EQ(loaded.faults.events.size(), 16u);
    ASSERT_EQ(loaded.faults.faults.size(), 1u);
    EXPECT_EQ(loaded.faults.faults[0].pieces, 8u);
  }
}

// What a chassis takes along may be down for its own reason, and stays so.
TEST(FaultLines, AChipIsDownUntilItsLastCauseIsOver) {
  FailureConfig chassis = line(runner::FaultTarget::chassis, "chassis-0");
  chassis.repaired_after = seconds(10);  // from 10 s to 20 s
  FailureConfig chip = line(runner::FaultTarget::switch_chip, "spine-1");
  chip.at = Time{} + seconds(15);
  chip.repaired_after = seconds(20);  // to 35 s
  Experiment experiment = experiment_with(chassis);
  experiment.failures.push_back(chip);
  std::shared_ptr<const Inputs> inputs;
  ASSERT_TRUE(InputsCache().load(experiment, inputs).is_ok());
  const sim::FaultSchedule faults = inputs->faults_of(1);
  std::vector<std::int64_t> of_chip;
  for (const sim::FaultEvent& event : faults.events)
    if (event.index == 21) of_chip.push_back((event.at - Time{}) / seconds(1));
  EXPECT_EQ(of_chip, (std::vector<std::int64_t>{10, 35}));
  EXPECT_EQ(faults.events.size(), 12u);
  EXPECT_EQ(faults.records_while_down, 0u);
  ASSERT_EQ(faults.faults.size(), 2u);
  EXPECT_EQ(faults.faults[0].pieces, 6u);
  EXPECT_EQ(faults.faults[1].at, Time{} + seconds(15));
  EXPECT_EQ(faults.faults[1].until, Time{} + seconds(35));
  EXPECT_EQ(faults.faults[1].pieces, 0u) << "it was down already";
}

// What the events of one line do to the rails of 12 hosts that carry processes.
std::vector<hw::LaunchTarget> rails_of(const FailureConfig& entry) {
  const Loaded loaded = load(entry);
  EXPECT_TRUE(loaded.status.is_ok()) << loaded.status.message();
  const Rails rails(loaded.inputs->topology().routing().wiring(), 12);
  return rails.of(loaded.faults.events.at(0), loaded.faults);
}

TEST(Rails, AreCutOrSilentAsTheScriptSays) {
  using hw::RailFault;
  FailureConfig away = line(runner::FaultTarget::link, "host-5");
  away.action = FaultKind::impair;
  away.share = 1.0;
  away.one_way = true;
  away.lasts = seconds(1);
  FailureConfig towards = away;
  towards.which = "leaf-1[2]";  // the same link from its other end
  FailureConfig both = away;
  both.one_way = false;
  FailureConfig of_adapter = away;
  of_adapter.what = runner::FaultTarget::adapter;
  for (const auto& [entry, expected] :
       {std::pair{line(runner::FaultTarget::link, "leaf-1[2]"), std::vector{RailFault::cut}},
        std::pair{line(runner::FaultTarget::adapter, "host-5"), std::vector{RailFault::cut}},
        std::pair{away, std::vector{RailFault::silent_from}},
        std::pair{of_adapter, std::vector{RailFault::silent_from}},
        std::pair{towards, std::vector{RailFault::silent_to}},
        std::pair{both, std::vector{RailFault::silent_from, RailFault::silent_to}}}) {
    const std::vector<hw::LaunchTarget> rails = rails_of(entry);
    ASSERT_EQ(rails.size(), expected.size());
    for (std::size_t i = 0; i < rails.size(); ++i) {
      EXPECT_EQ(rails[i].kind, hw::LaunchTarget::Kind::rail);
      EXPECT_EQ(rails[i].index, 5u);
      EXPECT_EQ(rails[i].fault, expected[i]);
    }
  }
  EXPECT_TRUE(rails_of(line(runner::FaultTarget::adapter, "host-13")).empty());
  EXPECT_TRUE(rails_of(line(runner::FaultTarget::node, "host-5")).empty());
}

TEST(Rails, OneOfSeveralMayFail) {
  FailureConfig silent = line(runner::FaultTarget::link, "host-5");
  silent.action = FaultKind::impair;
  silent.share = 1.0;
  silent.one_way = true;
  silent.lasts = seconds(1);
  FailureConfig cut = line(runner::FaultTarget::adapter, "host-5");
  cut.repaired_after = seconds(1);
  cut.every = seconds(20);
  for (FailureConfig entry : {line(runner::FaultTarget::link, "host-5"), cut, silent}) {
    EXPECT_EQ(rails_of(entry).at(0).rail, hw::LaunchTarget::kAllRails);
    entry.rail = 2;
    const std::vector<hw::LaunchTarget> rails = rails_of(entry);
    ASSERT_EQ(rails.size(), 1u);
    EXPECT_EQ(rails[0].index, 5u);
    EXPECT_EQ(rails[0].rail, 2u);
    EXPECT_EQ(rails[0].fault, entry.share > 0 ? hw::RailFault::silent_from : hw::RailFault::cut);
  }
  cut.rail = 1;
  const Loaded loaded = load(cut);
  EXPECT_EQ(loaded.faults.events.size(), 6u) << "it is a flap of that rail";
  EXPECT_EQ(loaded.inputs->describe(loaded.faults).at(0).which, "host-5 rail 1");
}

TEST(Rails, OnlyTheLinksOfHostsAreReal) {
  Experiment experiment = experiment_with(line(runner::FaultTarget::link, "leaf-1[5]"));
  std::shared_ptr<const Inputs> inputs;
  EXPECT_TRUE(InputsCache().load(experiment, inputs).is_ok());
  experiment.fabric.target = Target::udp;
  experiment.fabric.separate_hosts = true;
  const Status between = InputsCache().load(experiment, inputs);
  ASSERT_FALSE(between.is_ok());
  EXPECT_NE(between.message().find("/failures/0/which: found a link between switches"),
            std::string::npos)
      << between.message();
  experiment.failures[0].which = "leaf-1[4]";
  EXPECT_TRUE(InputsCache().load(experiment, inputs).is_ok());
  experiment.topology.down = {251};
  experiment.topology.up = experiment.topology.parallel = {1};
  experiment.failures.clear();
  const Status many = InputsCache().load(experiment, inputs);
  ASSERT_FALSE(many.is_ok());
  EXPECT_NE(many.message().find("at most 250"), std::string::npos) << many.message();
}

}  // namespace
}  // namespace holdfast::runner
