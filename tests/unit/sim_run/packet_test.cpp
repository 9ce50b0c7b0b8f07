// Jobs at packet fidelity: the same as at message fidelity where nothing contends, the same with
// and without the collapse where much does, and slower than heartbeats can bear where they have no
// lane of their own.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sim/topology/topology.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/sim_run/job.hpp"
#include "tests/unit/sim_topology/trees.hpp"

namespace holdfast::sim {
namespace {

struct Ran {
  std::uint64_t hash = 0, events = 0, skipped = 0, lost = 0, collapsed = 0, expanded = 0;
  FrameCounts counts;
  PacketCounts frames, traffic, victims;
  Memory memory;
};

// All hosts of the tree, `per_node` processes each.
struct PacketJob {
  PgftSpec tree{{4, 4}, {1, 2}, {1, 1}};
  RosterOptions roster;
  SimulationOptions simulation;
  PacketCarrierOptions packets;
  FaultSchedule faults;

  Ran run(bool at_packets) {
    const Pgft made = make_tree(tree);
    const Topology topology = Topology::generated(made, kLink100);
    const FabricGraph graph = topology.written_out();
    const PathTimes paths(made, kLink100, packets.wire.switch_latency);
    roster.nodes = made.host_count();
    const Roster whole(roster);
    Ran ran;
    simulation.packets = at_packets ? &packets : nullptr;
    simulation.graph = &graph;
    simulation.forwarding = &topology.routing().tables();
    simulation.routing = &topology.routing();
    Simulation simulated(simulation, whole, paths, faults, ran.memory);
    simulated.run();
    ran.hash = simulated.state_hash();
    ran.events = simulated.events();
    ran.skipped = simulated.heartbeats_skipped();
    ran.lost = simulated.frames_lost();
    ran.counts = simulated.frame_counts();
    if (const PacketCarrier* carrier = simulated.carrier()) {
      ran.frames = carrier->frames();
      ran.traffic = carrier->traffic();
      ran.victims = carrier->victims();
      ran.collapsed = carrier->wire().collapsed();
      ran.expanded = carrier->wire().expanded();
    }
    return ran;
  }
};

void expect_same(const Ran& a, const Ran& b, std::uint64_t seed) {
  EXPECT_EQ(a.hash, b.hash) << seed;
  EXPECT_EQ(a.counts, b.counts) << seed;
  EXPECT_EQ(a.lost, b.lost) << seed;
  EXPECT_EQ(a.frames, b.frames) << seed;
  EXPECT_EQ(a.traffic, b.traffic) << seed;
  EXPECT_EQ(a.victims, b.victims) << seed;
  ASSERT_EQ(a.memory.beliefs.size(), b.memory.beliefs.size()) << seed;
  for (std::size_t i = 0; i < a.memory.beliefs.size(); ++i) {
    EXPECT_EQ(a.memory.beliefs[i].at, b.memory.beliefs[i].at) << seed;
    EXPECT_EQ(a.memory.beliefs[i].observer, b.memory.beliefs[i].observer) << seed;
    EXPECT_EQ(a.memory.beliefs[i].subject, b.memory.beliefs[i].subject) << seed;
  }
}

// Node 5 dies and nothing contends: who learns of it when is the same to the nanosecond.
TEST(PacketJob, AnIdleFabricIsThatOfMessageFidelity) {
  PacketJob job;
  job.simulation.duration = seconds(5);
  // The ring's order is such that no two heartbeats of one instant share a link.
  job.faults.events.push_back({Time{} + seconds(2), FaultAction::crash, FaultTarget::node, 5, 0});
  const Ran message = job.run(false);
  const Ran packet = job.run(true);
  EXPECT_EQ(message.memory.first_verdict({5}), packet.memory.first_verdict({5}));
  ASSERT_TRUE(packet.memory.last_verdict({5}).has_value());
  EXPECT_GE(*packet.memory.last_verdict({5}), *message.memory.last_verdict({5}));
  // 15 notices from one port wait for each other, 100 bytes each: not for a microsecond in all.
  EXPECT_LT(*packet.memory.last_verdict({5}) - *message.memory.last_verdict({5}), microseconds(1));
  EXPECT_EQ(message.counts.heartbeats, packet.counts.heartbeats);
}

// Four faults of any kind, with the fabric's own.
void draw_faults(Random& random, bool busy, PacketJob& job) {
  const Duration period = job.simulation.engine.membership.detection.period;
  const FabricGraph graph = build_pgft(make_tree(job.tree), kLink100);
  const auto some = [&](std::size_t count) {
    return static_cast<std::uint32_t>(random.below(count));
  };
  Time at{};
  for (std::size_t i = 0; i < 4; ++i) {
    at += Duration{
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(10 * period.ns)))};
    const Duration lasts{static_cast<std::int64_t>(
        1 + random.below(static_cast<std::uint64_t>((busy ? 10 : 40) * period.ns)))};
    FaultEvent begin{at, FaultAction::crash, FaultTarget::node, some(graph.host_count()), 2 * i};
    FaultEvent end = begin;
    end.at = at + lasts;
    end.action = FaultAction::repair;
    switch (random.below(5)) {
      case 0:
        break;
      case 1:
        begin.action = FaultAction::pause;
        end.action = FaultAction::resume;
        break;
      case 2:
        begin.target = end.target = FaultTarget::link;
        begin.index = end.index = some(graph.links().size());
        break;
      case 3: {
        Impairment impairment{some(graph.links().size()), {}, 0.5 * random.unit(), 1e-5};
        if (random.below(2) == 0) impairment.direction = some(2);
        begin.target = end.target = FaultTarget::impairment;
        begin.index = end.index = static_cast<std::uint32_t>(job.faults.impairments.size());
        job.faults.impairments.push_back(impairment);
        break;
      }
      default:
        begin.target = end.target = FaultTarget::device;
        begin.index = end.index = some(graph.devices().size());
    }
    job.faults.events.push_back(begin);
    job.faults.events.push_back(end);
  }
  std::stable_sort(job.faults.events.begin(), job.faults.events.end(),
                   [](const FaultEvent& a, const FaultEvent& b) { return a.at < b.at; });
}

PacketJob draw(std::uint64_t seed) {
  Random random(seed, 0x706a6f62, 0);
  PacketJob job;
  const PgftSpec trees[] = {{{4, 4}, {1, 2}, {1, 1}}, {{6}, {1}, {1}}, {{2, 3}, {1, 1}, {1, 2}}};
  job.tree = trees[random.below(std::size(trees))];
  job.roster.per_node = 1 + static_cast<std::uint32_t>(random.below(2));
  job.roster.agents = random.below(2) == 0;
  job.roster.order = random.below(2) == 0 ? RingOrder::rank : RingOrder::shuffled;
  job.roster.order_key = seed;
  job.simulation.seed = seed;
  // Long enough for the subnet manager to act, or short and with traffic.
  const bool busy = random.below(2) == 0;
  const Duration period = busy ? microseconds(100) : milliseconds(2);
  job.simulation.duration = 25 * period + (busy ? Duration{} : milliseconds(150));
  job.simulation.engine.membership.detection.period = period;
  job.simulation.engine.membership.detection.timeout = 4 * period;
  PacketWireOptions& wire = job.packets.wire;
  wire.switching = random.below(3) == 0 ? Switching::store_and_forward : Switching::cut_through;
  wire.flow_control = random.below(3) == 0 ? FlowControl::drop_tail : FlowControl::credits;
  wire.buffer_bytes = 4'096u << random.below(4);
  wire.head_lifetime = microseconds(random.below(2) == 0 ? 0 : 50);
  wire.lane_of_service_level = {0, 1};
  job.packets.service_level = static_cast<std::uint8_t>(random.below(2));
  if (busy) {
    TrafficOptions traffic;
    traffic.pattern = static_cast<TrafficPattern>(random.below(4));
    traffic.load = 0.01 + 0.3 * random.unit() * random.unit();
    traffic.bytes = 512 + static_cast<std::uint32_t>(random.below(2'048));
    job.packets.traffic.push_back(traffic);
  }
  draw_faults(random, busy, job);
  return job;
}

TEST(PacketJob, TheCollapseAndTheSkippingChangeNothing) {
  std::uint64_t fewer = 0;
  std::uint64_t all = 0;
  std::uint64_t collapsed = 0;
  std::uint64_t expanded = 0;
  std::uint64_t skipped = 0;
  std::uint64_t beliefs = 0;
  for (std::uint64_t seed = 0; seed < tests::drawn(50u); ++seed) {
    PacketJob job = draw(seed);
    job.simulation.skip_quiet_time = true;
    const Ran with = job.run(true);
    job.simulation.skip_quiet_time = false;
    job.packets.wire.collapse = false;
    const Ran without = job.run(true);
    expect_same(with, without, seed);
    fewer += with.events;
    all += without.events;
    collapsed += with.collapsed;
    expanded += with.expanded;
    skipped += with.skipped;
    beliefs += with.memory.beliefs.size();
  }
  if (tests::kSanitized) return;  // some of it is rare
  EXPECT_LT(fewer, all);
  EXPECT_GT(collapsed, 10'000u);
  EXPECT_GT(expanded, 1'000u);
  EXPECT_GT(skipped, 1'000u);
  EXPECT_GT(beliefs, 2'000u);
}

// A quarter of what host 3 sends is lost, of the traffic as of the job, and of nobody else's: the
// fabric has room for a permutation at half its rate. Five standard deviations of the binomial
// distribution.
TEST(PacketJob, AnImpairedLinkStrikesTheTrafficToo) {
  PacketJob job;
  job.simulation.duration = milliseconds(20);
  job.simulation.engine.membership.detection.period = microseconds(20);
  job.simulation.engine.membership.detection.timeout = milliseconds(1);
  job.packets.traffic.push_back({.pattern = TrafficPattern::permutation, .load = 0.5, .shift = 5});
  const FabricGraph graph = build_pgft(make_tree(job.tree), kLink100);
  const std::uint32_t link = graph.endpoint_link({3});
  const LinkEnd& first = graph.links()[link].ends[0];
  const bool upwards = graph.device(first.device).kind == DeviceKind::adapter;
  job.faults.impairments.push_back({link, upwards ? 0u : 1u, 0.25, 0.0});
  job.faults.events.push_back({{}, FaultAction::crash, FaultTarget::impairment, 0, 0});
  const Ran ran = job.run(true);
  const auto expect_struck = [](const PacketCounts& counts) {
    const double mean = static_cast<double>(counts.sent) / 16 / 4;
    const auto lost = static_cast<double>(counts.count(PacketFate::corrupted));
    EXPECT_GT(mean, 200.0);
    EXPECT_NEAR(lost, mean, 5 * std::sqrt(mean));
    EXPECT_EQ(counts.lost(), counts.count(PacketFate::corrupted));
  };
  expect_struck(ran.traffic);
  expect_struck(ran.frames);
}

// A spine is dead: what goes by it is lost until the subnet manager has led around it, and nothing
// afterwards.
TEST(PacketJob, NothingIsLostOnceTheSubnetManagerHasLedAroundADeadSpine) {
  PacketJob job;
  job.simulation.engine.membership.detection.period = milliseconds(1);
  job.simulation.engine.membership.detection.timeout =
      milliseconds(100);  // nobody is believed dead
  const FabricGraph graph = build_pgft(make_tree(job.tree), kLink100);
  // The first of two: by it go the heartbeats of those whose observers have another leaf switch.
  const auto spine = static_cast<std::uint32_t>(graph.devices().size() - 2);
  const Time dies = Time{} + milliseconds(50);
  const Duration led_around = sweep_time(16, true);
  job.faults.events.push_back({dies, FaultAction::crash, FaultTarget::device, spine, 0});
  // Frames are lost at ports, which they reach within a microsecond.
  const auto lost_after = [&](Duration since) {
    job.simulation.duration = dies + since - Time{};
    return job.run(true).frames.count(PacketFate::port_down);
  };
  const std::uint64_t before = lost_after(led_around - microseconds(10));
  EXPECT_GT(before, 100u);
  EXPECT_EQ(lost_after(led_around + milliseconds(100)), before);
}

// An incast with a backlog in every buffer on its way. Heartbeats that share its lane are late by
// more than their timeout; on a lane of their own they are not.
TEST(PacketJob, AServiceLevelOfTheirOwnKeepsHeartbeatsInTime) {
  for (std::uint8_t level = 0; level < 2; ++level) {
    PacketJob job;
    job.tree = {{4, 4}, {1, 1}, {1, 1}};
    job.simulation.duration = milliseconds(10);
    job.simulation.engine.membership.detection.period = microseconds(100);
    job.simulation.engine.membership.detection.timeout = microseconds(200);
    job.packets.wire.buffer_bytes = 1'024 * 1'024;
    job.packets.wire.lane_of_service_level = {0, 1};
    job.packets.service_level = level;
    job.packets.traffic.push_back({.pattern = TrafficPattern::incast,
                                   .load = 1.0,
                                   .bytes = 4'096,
                                   .target = {3},
                                   .senders = 12});
    const Ran ran = job.run(true);
    EXPECT_EQ(ran.memory.beliefs.empty(), level == 1);
  }
}

}  // namespace
}  // namespace holdfast::sim
