// Models of every kind of part, with every effect: how often, on what, for how long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "experiments/runner/inputs.hpp"

namespace holdfast::runner {
namespace {

using sim::FaultAction;

// PGFT(2; 18,18; 1,9; 1,2): 324 hosts, 18 leaves, 9 spines, 648 links.
Experiment experiment_of(FailureConfig entry, Duration duration) {
  Experiment experiment;
  experiment.duration = duration;
  experiment.topology.down = {18, 18};
  experiment.topology.up = {1, 9};
  experiment.topology.parallel = {1, 2};
  experiment.failures = {std::move(entry)};
  return experiment;
}

FailureConfig model_of(FaultTarget what, sim::LifeModel life, std::optional<Duration> repair) {
  FailureConfig entry;
  entry.what = what;
  entry.model = sim::RenewalModel{life, {}, {}};
  if (repair) entry.model->repair = sim::RepairModel{sim::RepairKind::fixed, *repair, 1.0};
  return entry;
}

sim::LifeModel exponential(Duration mean) {
  return {sim::LifeKind::exponential, mean, 1.0, 1.0};
}

std::shared_ptr<const Inputs> load(const Experiment& experiment) {
  std::shared_ptr<const Inputs> inputs;
  const Status status = InputsCache().load(experiment, inputs);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return inputs;
}

sim::FaultSchedule drawn(const FailureConfig& entry, Duration duration, std::uint64_t seed = 1) {
  return load(experiment_of(entry, duration))->faults_of(seed);
}

struct Kind {
  FaultTarget what;
  std::uint32_t parts;   // of the 324 hosts' tree
  std::uint32_t pieces;  // that each takes along
  sim::FaultTarget piece;
};

const std::vector<Kind> kKinds = {
    {FaultTarget::process, 324, 1, sim::FaultTarget::process},
    {FaultTarget::node, 324, 1, sim::FaultTarget::node},
    {FaultTarget::adapter, 324, 1, sim::FaultTarget::device},
    {FaultTarget::link, 648, 1, sim::FaultTarget::link},
    {FaultTarget::switch_chip, 27, 1, sim::FaultTarget::device},
    {FaultTarget::leaf, 18, 19, sim::FaultTarget::device},
    {FaultTarget::spine, 9, 1, sim::FaultTarget::device},
    {FaultTarget::board, 27, 1, sim::FaultTarget::device},
    {FaultTarget::chassis, 1, 27, sim::FaultTarget::device},
};

// Each part fails as often as its mean life and its repair say, and takes along what it should.
TEST(FaultModels, DriveEveryKindOfPart) {
  for (const Kind& kind : kKinds) {
    const FailureConfig entry = model_of(kind.what, exponential(seconds(90)), seconds(10));
    const Duration span = seconds(10) * (500'000 / (kind.parts * 10));
    const sim::FaultSchedule faults = drawn(entry, span);
    const double expected = kind.parts * (static_cast<double>(span.ns) / 1e11);
    const auto count = static_cast<double>(faults.faults.size());
    EXPECT_NEAR(count, expected, 5.0 * std::sqrt(expected)) << static_cast<int>(kind.what);
    std::set<std::uint32_t> parts;
    for (const sim::Fault& fault : faults.faults) {
      parts.insert(fault.part);
      ASSERT_EQ(fault.pieces, kind.pieces) << static_cast<int>(kind.what);
      ASSERT_EQ(fault.target, kind.piece);
      ASSERT_TRUE(fault.until.has_value());
      ASSERT_EQ(*fault.until, fault.at + seconds(10));
    }
    EXPECT_EQ(parts.size(), kind.parts) << static_cast<int>(kind.what);
  }
}

// The first minute of a mean life of ten minutes, for links, nodes and switches alike: in
// equilibrium the rate is 1 / mean from the start; new parts at Weibull shape 0.7 fail more often
// by the ratio of their distribution function to that.
TEST(FaultModels, TheFirstMinuteIsAsLikelyAsEveryOther) {
  constexpr double kMean = 600.0;  // s
  constexpr double kMinute = 60.0;
  const double scale = kMean / std::tgamma(1.0 + 1.0 / 0.7);
  const double of_new = -std::expm1(-std::pow(kMinute / scale, 0.7));
  for (const FaultTarget what : {FaultTarget::link, FaultTarget::node, FaultTarget::switch_chip}) {
    for (const bool is_new : {false, true}) {
      FailureConfig entry =
          model_of(what, {sim::LifeKind::weibull, seconds(600), 0.7, 1.0}, std::nullopt);
      if (is_new) entry.model->age = Duration{0};
      const auto inputs = load(experiment_of(entry, seconds(60)));
      const std::uint32_t parts = what == FaultTarget::link   ? 648
                                  : what == FaultTarget::node ? 324
                                                              : 27;
      const std::uint32_t replicates = 1'000'000 / parts;
      std::size_t failures = 0;
      for (std::uint64_t seed = 0; seed < replicates; ++seed)
        failures += inputs->faults_of(seed).faults.size();
      const double share =
          static_cast<double>(failures) / (static_cast<double>(parts) * replicates);
      // Without repair a part fails once: in equilibrium with the integrated survival, which is a
      // little below t / mean.
      double within = 0.0;
      constexpr int kSteps = 10'000;
      for (int i = 0; i < kSteps; ++i) {
        const double t = kMinute * (i + 0.5) / kSteps;
        within += std::exp(-std::pow(t / scale, 0.7)) * kMinute / kSteps / kMean;
      }
      EXPECT_NEAR(share / (is_new ? of_new : within), 1.0, 0.01) << static_cast<int>(what);
    }
  }
}

// With repairs that take no time the rate of links is that of their mean at once, for each model.
TEST(FaultModels, LinksFailAtTheirMeanRateByEveryModel) {
  for (const sim::LifeModel life :
       {exponential(seconds(100)), sim::LifeModel{sim::LifeKind::weibull, seconds(100), 0.7, 1.0},
        sim::LifeModel{sim::LifeKind::lognormal, seconds(100), 1.0, 1.4}}) {
    const auto inputs =
        load(experiment_of(model_of(FaultTarget::link, life, nanoseconds(1)), seconds(100)));
    double failures = 0.0, first = 0.0;
    constexpr int kReplicates = 1'543;  // of 648 links: 10^6 mean lives
    for (std::uint64_t seed = 0; seed < kReplicates; ++seed) {
      for (const sim::Fault& fault : inputs->faults_of(seed).faults) {
        ++failures;
        if (fault.at < Time{} + seconds(10)) ++first;
      }
    }
    const double mean_lives = 648.0 * kReplicates;
    EXPECT_NEAR(failures / mean_lives, 1.0, 0.01) << static_cast<int>(life.kind);
    EXPECT_NEAR(first / mean_lives, 0.1, 0.0012) << static_cast<int>(life.kind);
  }
}

TEST(FaultModels, PauseSlowDownAndImpair) {
  FailureConfig entry = model_of(FaultTarget::node, exponential(seconds(100)), std::nullopt);
  entry.action = FaultKind::pause;
  entry.lasts = seconds(2);
  for (const bool pause : {true, false}) {
    entry.action = pause ? FaultKind::pause : FaultKind::slow;
    entry.delay = pause ? Duration{0} : milliseconds(20);
    const sim::FaultSchedule faults = drawn(entry, seconds(100));
    ASSERT_GT(faults.events.size(), 400u);
    std::map<std::uint32_t, Time> open;
    for (const sim::FaultEvent& event : faults.events) {
      const bool begins = event.action == (pause ? FaultAction::pause : FaultAction::slow);
      if (begins) {
        EXPECT_EQ(event.delay, entry.delay);
        EXPECT_TRUE(open.emplace(event.index, event.at).second);
      } else {
        EXPECT_EQ(event.action, pause ? FaultAction::resume : FaultAction::normal);
        EXPECT_EQ(event.at, open.at(event.index) + seconds(2));
        open.erase(event.index);
      }
    }
  }
}

// One way, each direction of a link lives and fails by itself.
TEST(FaultModels, AnImpairmentOneWayIsOfADirection) {
  FailureConfig entry = model_of(FaultTarget::link, exponential(seconds(100)), seconds(5));
  entry.action = FaultKind::impair;
  entry.share = 0.5;
  entry.one_way = true;
  const sim::FaultSchedule faults = drawn(entry, seconds(100));
  ASSERT_EQ(faults.impairments.size(), 2u * 648u);
  std::map<std::uint32_t, std::set<Time>> begins;  // by impairment
  for (const sim::FaultEvent& event : faults.events)
    if (event.action == FaultAction::crash) begins[event.index].insert(event.at);
  std::size_t unlike = 0;
  for (std::uint32_t link = 0; link < 648; ++link) {
    EXPECT_EQ(faults.impairments[2 * link].link, link);
    EXPECT_EQ(faults.impairments[2 * link].direction, 0u);
    EXPECT_EQ(faults.impairments[2 * link + 1].direction, 1u);
    unlike += begins[2 * link] != begins[2 * link + 1];
  }
  EXPECT_GT(unlike, 500u);
}

// Down for 50 ms, again every second, until the repair of 10 s is over.
TEST(FaultModels, AFlapComesAgainUntilItIsRepaired) {
  FailureConfig entry = model_of(FaultTarget::spine, exponential(seconds(100)), seconds(10));
  entry.repaired_after = milliseconds(50);
  entry.every = seconds(1);
  const sim::FaultSchedule faults = drawn(entry, seconds(1000));
  ASSERT_GT(faults.faults.size(), 40u);
  std::size_t crashes = 0;
  for (const sim::FaultEvent& event : faults.events) crashes += event.action == FaultAction::crash;
  std::size_t times = 0;
  for (const sim::Fault& fault : faults.faults) {
    times += fault.times;
    if (fault.at + seconds(10) > Time{} + seconds(1000)) continue;
    EXPECT_EQ(fault.times, 10u);
    EXPECT_EQ(fault.until, fault.at + seconds(9) + milliseconds(50));
  }
  EXPECT_EQ(times, crashes);
}

}  // namespace
}  // namespace holdfast::runner
