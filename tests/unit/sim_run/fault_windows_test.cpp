// Simulated jobs in which frames between some processes have faults at planned times.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/run/fault_windows.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

constexpr Duration kTimeout = seconds(1);

FaultPart process(std::uint32_t index) {
  return {FaultTarget::process, index};
}
FaultPart node(std::uint32_t index) {
  return {FaultTarget::node, index};
}

void impair(Job& job, Time from, Time until, const FrameImpairment& impairment) {
  const auto index = static_cast<std::uint32_t>(job.faults.frame_impairments.size());
  job.faults.frame_impairments.push_back(impairment);
  job.at(from, FaultAction::crash, FaultTarget::frames, index);
  job.at(until, FaultAction::repair, FaultTarget::frames, index);
}

TEST(FaultWindows, OfASchedule) {
  RosterOptions options;
  options.nodes = 3;
  options.per_node = 2;
  options.placement = ProcessPlacement::by_node;  // process r on node r mod 3
  const Roster roster(options);
  ScheduleBuilder builder;
  const FrameFaults faults{.loss = 0.5, .jitter = milliseconds(1)};
  const std::uint32_t first = builder.add_impairment({node(1), {}, false, faults});
  const std::uint32_t second = builder.add_impairment({node(2), node(0), true, {.loss = 1.0}});
  const std::uint32_t never = builder.add_impairment({process(5), {}, false, faults});
  const auto add = [&](std::int64_t from, std::int64_t until, std::uint32_t index) {
    builder.add({Time{} + seconds(from), Time{} + seconds(until), FaultAction::crash,
                 FaultTarget::frames, index, builder.end_of_records()});
  };
  add(4, 6, first);
  add(1, 5, second);
  add(9, 10, first);
  add(7, 7, never);
  const std::vector<FaultWindow> expected = {
      {seconds(1), seconds(5), {.loss = 1.0}, {{2}, {5}}, {{0}, {3}}, true},
      {seconds(4), seconds(6), faults, {{1}, {4}}, {}, false},
      {seconds(9), seconds(10), faults, {{1}, {4}}, {}, false}};
  EXPECT_EQ(fault_windows(builder.build(), roster), expected);
}

TEST(FaultWindows, WhoIsSilencedForLongIsUnreachableAndComesBack) {
  Job job(5, 1, false);
  const Time from = Time{} + seconds(2), until = Time{} + seconds(5);
  impair(job, from, until, {process(2), {}, false, {.loss = 1.0}});
  Simulation& simulation = job.build();
  while (simulation.step()) {
    const bool apart = simulation.kept_apart({0}, {2});
    const Time now = simulation.now();
    // As long after the end as an observer waits for a first heartbeat, PROTOCOL 9.1.
    const Duration within = 2 * kTimeout + milliseconds(200);
    EXPECT_EQ(apart, now >= from && now <= until + within) << now.ns;
    EXPECT_FALSE(simulation.kept_apart({0}, {1}));
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto about = [&](ProcessId subject, bool live) {
      return std::count_if(job.memory.beliefs.begin(), job.memory.beliefs.end(),
                           [&](const Memory::Belief& belief) {
                             return belief.observer == ProcessId{i} && belief.subject == subject &&
                                    is_live(belief.record) == live;
                           });
    };
    if (i == 2) continue;
    EXPECT_EQ(about({2}, false), 1) << i;
    EXPECT_EQ(about({2}, true), 1) << i;
    EXPECT_TRUE(simulation.engine({i})->membership().view().live({2}));
  }
  const auto first = job.memory.first_verdict({2});
  ASSERT_TRUE(first);
  EXPECT_GE(*first, from + kTimeout - milliseconds(100));
  EXPECT_LE(*first, from + kTimeout + milliseconds(1));
}

// Each rail by itself; on what it is asked of several, who judges decides.
TEST(Silences, AreOfARailOrOfAll) {
  FaultWindow window{seconds(2), seconds(4), {.loss = 1.0}, {{1}}, {}, true, 1};
  const auto silent = [&](std::uint32_t rail, ProcessId a, ProcessId b) {
    const std::vector<FaultWindow> windows{window};
    return Silences(windows, seconds(1)).silent(seconds(3), rail, a, b);
  };
  EXPECT_TRUE(silent(1, {0}, {1}));
  EXPECT_TRUE(silent(1, {1}, {0})) << "who hears nothing may judge, whichever it is";
  EXPECT_FALSE(silent(1, {0}, {2}));
  EXPECT_FALSE(silent(0, {0}, {1}));
  window.rail.reset();
  EXPECT_TRUE(silent(0, {0}, {1}));
  window.faults.loss = 0.9;
  EXPECT_FALSE(silent(0, {0}, {1}));
}

// One direction of one pair: in a ring in the order of ranks 2 is heard by 3, and by nobody else.
TEST(FaultWindows, OneDirectionOfOnePairIsAllThatIsLost) {
  for (const std::uint32_t receiver : {1u, 3u}) {
    Job job(5, 1, false);
    impair(job, Time{} + seconds(2), Time{} + seconds(5),
           {process(2), process(receiver), true, {.loss = 1.0}});
    Simulation& simulation = job.build();
    simulation.run();
    const bool is_observer = simulation.frame_faults().lost > 0;
    EXPECT_EQ(job.memory.first_verdict({2}).has_value(), is_observer) << receiver;
    EXPECT_EQ(is_observer, receiver == 3) << "which of its neighbours observes it";
    EXPECT_FALSE(job.memory.first_verdict({0}));
  }
}

TEST(FaultWindows, DelaysAndShortFramesAreBorneWithoutAVerdict) {
  Job job(6, 2, true);
  job.simulation.engine.seal = "siphash128";
  impair(job, Time{} + seconds(2), Time{} + seconds(8),
         {node(1), {}, false, {.duplicate = 0.3, .delay = milliseconds(300)}});
  impair(job, Time{} + seconds(3), Time{} + seconds(8),
         {node(4), {}, true, {.corrupt = 0.2, .truncate = 0.2}});
  Simulation& simulation = job.build();
  simulation.run();
  EXPECT_TRUE(job.memory.beliefs.empty());
  const FrameFaultCounts counts = simulation.frame_faults();
  EXPECT_GT(counts.delayed, 50u);
  EXPECT_GT(counts.duplicated, 5u);
  EXPECT_GT(counts.truncated, 3u);
  EXPECT_GT(counts.corrupted, 3u);
  EXPECT_GE(simulation.frames_rejected(), counts.truncated);
}

TEST(FaultWindows, WhoIsRestartedIsUnderThePlanAgain) {
  Job job(5, 1, false);
  impair(job, Time{} + seconds(1), Time{} + seconds(9),
         {process(2), {}, true, {.delay = milliseconds(30)}});
  job.at(Time{} + seconds(4), FaultAction::crash, FaultTarget::process, 2);
  job.at(Time{} + seconds(6), FaultAction::repair, FaultTarget::process, 2);
  Simulation& simulation = job.build();
  std::uint64_t before = 0;
  while (simulation.now() < Time{} + seconds(5)) {
    ASSERT_TRUE(simulation.step());
    before = simulation.frame_faults().delayed;
  }
  EXPECT_GT(before, 20u);
  simulation.run();
  EXPECT_GT(simulation.frame_faults().delayed, before + 20);
}

struct Ran {
  std::uint64_t hash, skipped;
  FrameCounts counts;
  FrameFaultCounts faults;
  std::vector<Memory::Belief> beliefs;
};

Ran run(std::uint64_t seed, bool skip) {
  const bool agents = seed % 2 == 0;
  Job job(9, agents ? 2 : 1, agents);
  job.simulation.seed = seed;
  job.simulation.skip_quiet_time = skip;
  job.simulation.duration = seconds(400);
  job.roster.order = seed % 3 == 0 ? RingOrder::rank : RingOrder::shuffled;
  Random random(seed, 2, 2);
  const auto up_to = [&](Duration most) {
    return nanoseconds(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most.ns))));
  };
  const auto part = [&] {
    const auto index = static_cast<std::uint32_t>(random.below(9));
    return random.below(2) == 0 ? node(index) : process(index);
  };
  for (int i = 0; i < 6; ++i) {
    const Time from = Time{} + up_to(seconds(350));
    FrameImpairment impairment{part(), {}, random.below(2) == 0, {}};
    if (random.below(2) == 0) impairment.to = part();
    impairment.faults.loss = random.below(3) == 0 ? 1.0 : 0.5 * random.unit();
    if (random.below(2) == 0) impairment.faults.delay = up_to(milliseconds(400));
    if (random.below(2) == 0) impairment.faults.truncate = 0.2;
    impair(job, from, from + nanoseconds(1) + up_to(seconds(20)), impairment);
  }
  Simulation& simulation = job.build();
  simulation.run();
  return {simulation.state_hash(), simulation.heartbeats_skipped(), simulation.frame_counts(),
          simulation.frame_faults(), job.memory.beliefs};
}

TEST(FaultWindows, SkippingQuietTimeChangesNothing) {
  std::uint64_t skipped = 0, lost = 0, beliefs = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Ran with = run(seed, true), without = run(seed, false);
    EXPECT_EQ(with.hash, without.hash) << seed;
    EXPECT_EQ(with.counts, without.counts) << seed;
    EXPECT_EQ(with.faults, without.faults) << seed;
    ASSERT_EQ(with.beliefs.size(), without.beliefs.size()) << seed;
    for (std::size_t i = 0; i < with.beliefs.size(); ++i) {
      EXPECT_EQ(with.beliefs[i].at, without.beliefs[i].at) << seed;
      EXPECT_EQ(with.beliefs[i].observer, without.beliefs[i].observer) << seed;
    }
    EXPECT_EQ(without.skipped, 0u);
    EXPECT_GT(with.skipped, with.counts.heartbeats / 2) << seed;
    skipped += with.skipped;
    lost += with.faults.lost;
    beliefs += with.beliefs.size();
  }
  EXPECT_GT(lost, 0u);
  EXPECT_GT(beliefs, 0u);
}

}  // namespace
}  // namespace holdfast::sim
