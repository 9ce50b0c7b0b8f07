// A cut through the fabric: each side judges the other, and all are alive again after it heals.
#include <gtest/gtest.h>

#include "sim/oracle/bound.hpp"
#include "sim/oracle/truth.hpp"
#include "sim/topology/pgft_routing.hpp"
#include "tests/unit/sim_run/job.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint32_t kHosts = 16;
constexpr std::uint32_t kIsland = 4;  // hosts 0 … 3 hang on leaf 0
constexpr Time kCut = Time{} + seconds(5);
constexpr Time kHealed = Time{} + seconds(45);

// 16 hosts of `per_node` processes on four leaves and two spines.
struct CutJob {
  explicit CutJob(std::uint32_t per_node, bool skip) {
    const Status built = Pgft::create({{4, 4}, {1, 2}, {1, 1}}, tree);
    HOLDFAST_ASSERT(built.is_ok());
    routing.emplace(tree, 1);
    paths.emplace(tree, LinkSpec{100'000'000'000, nanoseconds(150)}, nanoseconds(90));
    RosterOptions jobs;
    jobs.nodes = kHosts;
    jobs.per_node = per_node;
    roster.emplace(jobs);
    options.duration = seconds(200);
    options.skip_quiet_time = skip;
    options.routing = &*routing;
  }

  // Both links from leaf 0 to the spines.
  void cut(Time from, Time until) {
    ScheduleBuilder builder;
    const Wiring& wiring = routing->wiring();
    const std::uint32_t leaf = wiring.far_end(wiring.endpoint({0})).device;
    for (std::uint32_t port = 1; port <= wiring.ports(leaf); ++port) {
      if (!wiring.is_switch(wiring.far_end({leaf, port}).device)) continue;
      builder.add(
          {from, until, FaultAction::crash, FaultTarget::link, wiring.link_at({leaf, port}), port});
    }
    faults = builder.build();
    ASSERT_EQ(faults.events.size(), 4u);
  }

  Simulation& build() {
    simulation = std::make_unique<Simulation>(options, *roster, *paths, faults, memory);
    return *simulation;
  }
  void run_until(Time time) {
    while (simulation->now() < time && simulation->step()) {
    }
  }
  bool believes_live(std::uint32_t observer, std::uint32_t subject) const {
    return simulation->engine({observer})->membership().view().live({subject});
  }

  Pgft tree;
  std::optional<PgftRouting> routing;
  std::optional<PathTimes> paths;
  std::optional<Roster> roster;
  SimulationOptions options;
  FaultSchedule faults;
  Memory memory;
  std::unique_ptr<Simulation> simulation;
};

TEST(Cut, EachSideJudgesTheOtherAndAllLiveAgainAfterwards) {
  for (const std::uint32_t per_node : {1u, 3u}) {
    CutJob job(per_node, false);
    job.cut(kCut, kHealed);
    Simulation& simulation = job.build();
    job.run_until(kCut);
    EXPECT_TRUE(job.memory.beliefs.empty());
    job.run_until(kHealed);
    const std::uint32_t island = kIsland * per_node;
    const std::uint32_t processes = kHosts * per_node;
    for (std::uint32_t observer = 0; observer < processes; ++observer) {
      for (std::uint32_t subject = 0; subject < processes; ++subject) {
        const bool same_side = (observer < island) == (subject < island);
        EXPECT_EQ(job.believes_live(observer, subject), same_side) << observer << ' ' << subject;
      }
    }
    // A verdict of one side on the other, and no other.
    for (const Memory::Belief& belief : job.memory.beliefs) {
      EXPECT_FALSE(is_live(belief.record));
      EXPECT_NE(belief.observer.value < island, belief.subject.value < island);
    }
    const EngineOf engine_of = [&](ProcessId process) { return simulation.engine(process); };
    const Duration bound = convergence_bound({.domains = kHosts,
                                              .domain_size = per_node,
                                              .dead_stretch = 0,
                                              .period = milliseconds(100),
                                              .timeout = seconds(1),
                                              .retransmission_timeout = milliseconds(100),
                                              .message_time = microseconds(10)});
    // The tables that name the links again come 129 ms after the repair at the latest.
    const Time latest = kHealed + milliseconds(130) + bound;
    while (!untruth(processes, engine_of).empty() && simulation.now() <= latest) {
      ASSERT_TRUE(simulation.step());
    }
    EXPECT_EQ(untruth(processes, engine_of), "");
    // By refutation: whoever was believed dead has a higher incarnation of the same boot.
    for (std::uint32_t i = 0; i < processes; ++i) {
      const Incarnation incarnation = simulation.engine({i})->membership().incarnation();
      EXPECT_EQ(boot_of(incarnation), boot_of(Incarnation{}));
      EXPECT_GT(incarnation, Incarnation{});
    }
    EXPECT_TRUE(job.memory.crashes.empty());
  }
}

// The first verdicts of the observers follow from frames that the cut took.
TEST(Cut, WhoIsJudgedWasKeptApartFromWhoJudges) {
  CutJob job(1, false);
  job.cut(kCut, kHealed);
  Simulation& simulation = job.build();
  while (job.memory.beliefs.empty()) ASSERT_TRUE(simulation.step());
  const Memory::Belief& first = job.memory.beliefs.front();
  EXPECT_TRUE(simulation.kept_apart(first.observer, first.subject));
  EXPECT_FALSE(simulation.kept_apart({0}, {1}));
  EXPECT_FALSE(simulation.kept_apart({5}, {9}));
}

// A spine dies: its frames are lost until the subnet manager has led around it; a timeout that is
// longer than that sees nothing. Without traps it takes half a second here.
TEST(Cut, ADeadSpineIsLedAroundBeforeAnyoneIsJudged) {
  CutJob job(1, false);
  job.options.duration = seconds(30);
  job.options.subnet_manager.sweep_on_trap = false;
  job.options.subnet_manager.sweep_interval = milliseconds(500);
  // The spine of hosts with even numbers, of which the first of each leaf hears from another leaf.
  const std::uint32_t spine = job.routing->wiring().devices() - 2;
  job.faults.events = {{kCut, FaultAction::crash, FaultTarget::device, spine, 0}};
  job.build().run();
  EXPECT_GT(job.simulation->frames_lost(), 0u);
  EXPECT_TRUE(job.memory.beliefs.empty());
  EXPECT_EQ(job.simulation->engine({3})->membership().incarnation(), Incarnation{});
}

TEST(Cut, SkippingQuietTimeChangesNothing) {
  std::vector<std::uint64_t> hashes, lost, skipped;
  std::vector<std::size_t> beliefs;
  for (const bool skip : {true, false}) {
    CutJob job(2, skip);
    job.cut(kCut + seconds(40), kHealed + seconds(40));
    job.build().run();
    hashes.push_back(job.simulation->state_hash());
    lost.push_back(job.simulation->frames_lost());
    skipped.push_back(job.simulation->heartbeats_skipped());
    beliefs.push_back(job.memory.beliefs.size());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(lost[0], lost[1]);
  EXPECT_EQ(beliefs[0], beliefs[1]);
  EXPECT_GT(skipped[0], 0u);
}

}  // namespace
}  // namespace holdfast::sim
