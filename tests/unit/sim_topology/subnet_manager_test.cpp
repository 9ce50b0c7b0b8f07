// The subnet manager: when sweeps end, what is lost until then, and that new tables reach whoever
// can be reached. Who can be is found by a search of the written-out graph.
#include "sim/topology/subnet_manager.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sim/topology/pgft_routing.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

constexpr SimTime kSecond{kSimUnitsPerSecond};
constexpr SimTime at_ms(std::int64_t ms) {
  return {ms * kSimUnitsPerSecond / 1000};
}
FabricPart link_part(std::uint32_t index) {
  return {FabricPart::Kind::link, index};
}
FabricPart device_part(std::uint32_t index) {
  return {FabricPart::Kind::device, index};
}

const std::vector<PgftSpec>& small_trees() {
  static const std::vector<PgftSpec> trees = {
      {{5}, {1}, {1}},
      {{4, 4}, {1, 4}, {1, 1}},
      {{3, 2, 2}, {1, 2, 3}, {1, 3, 2}},
      {{2, 3, 2}, {2, 2, 3}, {2, 1, 2}},
      {{2, 2, 2, 2}, {1, 2, 1, 2}, {1, 1, 2, 1}},
  };
  return trees;
}

TEST(Wiring, OfATreeIsThatOfItsGraph) {
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    const FabricGraph graph = build_pgft(tree, kLink100);
    const GraphWiring written(graph);
    const PgftWiring computed(tree);
    ASSERT_EQ(computed.hosts(), written.hosts());
    ASSERT_EQ(computed.devices(), written.devices());
    ASSERT_EQ(computed.links(), written.links());
    for (std::uint32_t d = 0; d < written.devices(); ++d) {
      ASSERT_EQ(computed.is_switch(d), written.is_switch(d));
      ASSERT_EQ(computed.ports(d), written.ports(d));
      for (std::uint32_t p = 1; p <= written.ports(d); ++p) {
        const LinkEnd port{d, p};
        ASSERT_EQ(computed.link_at(port), written.link_at(port)) << d << "[" << p << "]";
        ASSERT_EQ(computed.far_end(port).device, written.far_end(port).device);
        ASSERT_EQ(computed.far_end(port).port, written.far_end(port).port);
      }
    }
    for (std::uint32_t h = 0; h < written.hosts(); ++h) {
      ASSERT_EQ(computed.endpoint({h}).device, written.endpoint({h}).device);
      ASSERT_EQ(computed.endpoint({h}).port, written.endpoint({h}).port);
    }
  }
}

TEST(DeadParts, LiveAgainWhenMendedAsOftenAsBroken) {
  DeadParts dead;
  EXPECT_TRUE(dead.add(link_part(7)));
  EXPECT_FALSE(dead.add(link_part(7)));
  EXPECT_TRUE(dead.add(device_part(7)));
  EXPECT_FALSE(dead.remove(link_part(7)));
  EXPECT_TRUE(dead.link(7));
  EXPECT_TRUE(dead.remove(link_part(7)));
  EXPECT_FALSE(dead.link(7));
  EXPECT_TRUE(dead.device(7));
  EXPECT_TRUE(dead.remove(device_part(7)));
  EXPECT_TRUE(dead.empty());
}

TEST(SweepTime, IsWhatWasMeasuredAndLinearInBetween) {
  EXPECT_EQ(sweep_time(324, false), milliseconds(129));
  EXPECT_EQ(sweep_time(324, true), milliseconds(315));
  EXPECT_EQ(sweep_time(1'944, false), milliseconds(1'180));
  EXPECT_EQ(sweep_time(1'944, true), microseconds(2'002'500));
  EXPECT_EQ(sweep_time(1'134, false), microseconds((129'000 + 1'180'000) / 2));
  // By the ratio of the bring-up times: 0.05 to 0.30 s, and 13.8 to 2.9 s.
  EXPECT_EQ(sweep_time(16, false), microseconds(21'500));
  EXPECT_EQ(sweep_time(8'192, false), microseconds(1'180'000ll * 138 / 29));
  Duration last{0};
  for (const std::uint32_t hosts : {1u, 16u, 100u, 324u, 1'000u, 1'944u, 8'192u, 262'144u}) {
    EXPECT_GT(sweep_time(hosts, false), last);
    EXPECT_GT(sweep_time(hosts, true), sweep_time(hosts, false));
    last = sweep_time(hosts, false);
  }
}

class In324Hosts : public testing::Test {
 protected:
  In324Hosts() { spine_ = manager_.path({0}, {323}, 0).links.at(1); }

  const Pgft tree_ = make_tree({{18, 18}, {1, 9}, {1, 2}});
  const PgftRouting routing_{tree_, 2};
  SubnetManager manager_{routing_, {}};
  std::uint32_t spine_ = 0;  // the link by which host 0 sends to host 323, from leaf to spine
};

TEST_F(In324Hosts, PacketsAreLostAtTheDeadPortUntilTheSweepEnds) {
  EXPECT_TRUE(manager_.pristine());
  EXPECT_EQ(manager_.next_change(), SimTime::never());
  manager_.part_down(link_part(spine_), kSecond);
  EXPECT_FALSE(manager_.pristine());
  EXPECT_EQ(manager_.next_change(), kSecond + at_ms(129));
  const FabricPath before = manager_.path({0}, {323}, 0);
  EXPECT_FALSE(before.arrives);
  EXPECT_EQ(before.links.size(), 1u);
  const LinkEnd leaf_end = routing_.wiring().ends(spine_)[0];
  EXPECT_EQ(before.lost_at.device, leaf_end.device);
  EXPECT_EQ(before.lost_at.port, leaf_end.port);
  EXPECT_TRUE(manager_.reaches({0}, {323}, 1)) << "the other address leaves by another port";

  manager_.apply(kSecond + at_ms(129));
  EXPECT_EQ(manager_.next_change(), SimTime::never());
  const FabricPath after = manager_.path({0}, {323}, 0);
  EXPECT_TRUE(after.arrives);
  EXPECT_EQ(after.links.size(), 4u);
  EXPECT_EQ(std::count(after.links.begin(), after.links.end(), spine_), 0);

  // Back: not used before the next sweep has ended.
  manager_.part_up(link_part(spine_), {2 * kSecond.value});
  EXPECT_EQ(manager_.path({0}, {323}, 0).links, after.links);
  manager_.apply(manager_.next_change());
  EXPECT_TRUE(manager_.pristine());
  EXPECT_EQ(manager_.path({0}, {323}, 0).links.at(1), spine_);
  EXPECT_EQ(manager_.sweeps(), 2u);
}

TEST_F(In324Hosts, ChangesOfOneInstantAreOneSweepAndLaterOnesAnother) {
  const std::uint32_t other = manager_.path({0}, {322}, 0).links.at(1);
  const std::uint32_t third = manager_.path({0}, {321}, 0).links.at(1);
  manager_.part_down(link_part(spine_), kSecond);
  manager_.part_down(link_part(other), kSecond);
  manager_.part_down(link_part(third), kSecond + at_ms(100));
  EXPECT_EQ(manager_.next_change(), kSecond + at_ms(129));
  manager_.apply(kSecond + at_ms(129));
  EXPECT_TRUE(manager_.reaches({0}, {323}, 0));
  EXPECT_TRUE(manager_.reaches({0}, {322}, 0));
  EXPECT_FALSE(manager_.reaches({0}, {321}, 0)) << "died after the sweep had begun";
  EXPECT_EQ(manager_.next_change(), kSecond + at_ms(2 * 129));
  manager_.apply(kSecond + at_ms(2 * 129));
  EXPECT_TRUE(manager_.reaches({0}, {321}, 0));
  EXPECT_EQ(manager_.next_change(), SimTime::never());
}

TEST_F(In324Hosts, ASwitchTakesLongerAndItsHostsAreLost) {
  const std::uint32_t leaf = routing_.wiring().ends(spine_)[0].device;
  manager_.part_down(device_part(leaf), kSecond);
  EXPECT_EQ(manager_.next_change(), kSecond + at_ms(315));
  manager_.apply(manager_.next_change());
  for (std::uint32_t h = 0; h < 18; ++h) {
    EXPECT_FALSE(manager_.reaches({h}, {100}, 0));
    EXPECT_FALSE(manager_.reaches({100}, {h}, 0));
  }
  EXPECT_TRUE(manager_.reaches({100}, {200}, 0));
}

TEST_F(In324Hosts, ADeadAdapterNeitherSendsNorReceives) {
  manager_.part_down(device_part(5), kSecond);
  EXPECT_FALSE(manager_.reaches({5}, {6}, 0));
  EXPECT_FALSE(manager_.reaches({6}, {5}, 0));
  EXPECT_EQ(manager_.next_change(), kSecond + at_ms(129));
}

TEST(SubnetManager, WithoutTrapsALightSweepSeesTheChange) {
  const Pgft tree = make_tree({{18, 18}, {1, 9}, {1, 2}});
  const PgftRouting routing(tree, 1);
  SubnetManager manager(routing, {false, seconds(10)});
  const std::uint32_t first = manager.path({0}, {323}, 0).links.at(1);
  const std::uint32_t second = manager.path({0}, {322}, 0).links.at(1);
  const std::uint32_t third = manager.path({0}, {321}, 0).links.at(1);
  manager.part_down(link_part(first), kSecond);
  manager.part_down(link_part(second), {9 * kSecond.value});
  EXPECT_EQ(manager.next_change(), SimTime{10 * kSecond.value} + at_ms(129));
  manager.part_down(link_part(third), SimTime{10 * kSecond.value} + at_ms(1));
  manager.apply(manager.next_change());
  EXPECT_TRUE(manager.reaches({0}, {323}, 0));
  EXPECT_TRUE(manager.reaches({0}, {322}, 0));
  EXPECT_FALSE(manager.reaches({0}, {321}, 0));
  EXPECT_EQ(manager.next_change(), SimTime{20 * kSecond.value} + at_ms(129));
}

// Hosts that can be reached from one by ways that go up and then down past nothing dead.
std::set<std::uint32_t> reachable(const FabricGraph& graph,
                                  const std::vector<std::uint32_t>& levels, const DeadParts& dead,
                                  NodeId from) {
  std::set<std::uint32_t> hosts;
  const GraphWiring wiring(graph);
  std::set<std::pair<std::uint32_t, bool>> seen;  // device, whether it was entered from above
  std::vector<std::pair<std::uint32_t, bool>> queue;
  const auto leave = [&](LinkEnd port, bool down) {
    if (dead.link(wiring.link_at(port)) || dead.device(wiring.far_end(port).device)) return;
    const LinkEnd far = wiring.far_end(port);
    if (!wiring.is_switch(far.device)) {
      const std::uint32_t host = graph.device(far.device).host.value;
      const LinkEnd endpoint = wiring.endpoint({host});
      if (endpoint.device == far.device && endpoint.port == far.port) hosts.insert(host);
    } else if (seen.insert({far.device, down}).second) {
      queue.emplace_back(far.device, down);
    }
  };
  const LinkEnd start = wiring.endpoint(from);
  if (dead.device(start.device)) return hosts;
  leave(start, false);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [at, entered_from_above] = queue[i];
    for (std::uint32_t p = 1; p <= wiring.ports(at); ++p) {
      const std::uint32_t far = wiring.far_end({at, p}).device;
      const bool down = levels[far] < levels[at];
      if (down || !entered_from_above) leave({at, p}, down);
    }
  }
  return hosts;
}

void expect_all_reached(const Pgft& tree, const std::vector<FabricPart>& parts) {
  const FabricGraph graph = build_pgft(tree, kLink100);
  const std::vector<std::uint32_t> levels = pgft_levels(tree);
  const PgftRouting routing(tree, 2);
  SubnetManager manager(routing, {});
  for (const FabricPart part : parts) manager.part_down(part, kSecond);
  manager.apply(manager.next_change());
  for (std::uint32_t a = 0; a < tree.host_count(); ++a) {
    const std::set<std::uint32_t> can = reachable(graph, levels, manager.dead(), {a});
    for (std::uint32_t b = 0; b < tree.host_count(); ++b) {
      if (a == b) continue;
      for (std::uint32_t path = 0; path < 2; ++path) {
        const FabricPath way = manager.path({a}, {b}, path);
        ASSERT_EQ(way.arrives, can.contains(b))
            << a << " to " << b << ", path " << path << ", first part " << parts.front().index;
        if (!way.arrives) continue;
        ASSERT_EQ(way.links.size(), 2 * tree.nearest_common_level({a}, {b}));
      }
    }
  }
}

std::vector<FabricPart> all_parts(const Pgft& tree) {
  const PgftWiring wiring(tree);
  std::vector<FabricPart> parts;
  for (std::uint32_t i = 0; i < wiring.links(); ++i) parts.push_back(link_part(i));
  for (std::uint32_t i = 0; i < wiring.devices(); ++i) parts.push_back(device_part(i));
  return parts;
}

TEST(SubnetManager, AfterTheSweepWhoeverCanBeReachedIsReached) {
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    for (const FabricPart part : all_parts(tree)) expect_all_reached(tree, {part});
  }
}

TEST(SubnetManager, AlsoWithAThirdOfThePartsDead) {
  Random random(11, 0x64656164, 0);
  for (const PgftSpec& spec : small_trees()) {
    const Pgft tree = make_tree(spec);
    for (int round = 0; round < 40; ++round) {
      std::vector<FabricPart> dead;
      for (const FabricPart part : all_parts(tree)) {
        if (random.below(12) < static_cast<std::uint64_t>(round % 5)) dead.push_back(part);
      }
      if (!dead.empty()) expect_all_reached(tree, dead);
    }
  }
}

// Parts die and come back between sweeps, mostly at the edge, where nothing is walked to answer.
TEST(SubnetManager, ReachesWhomItsPathsReach) {
  for (const PgftSpec& spec : small_trees()) {
    const PgftRouting routing(make_tree(spec), 1);
    const PgftWiring& wiring = routing.wiring();
    SubnetManager manager(routing, {});
    Random random(12, 0x72656163, 0);
    std::vector<FabricPart> dead;
    SimTime now = kSecond;
    const auto expect_agreement = [&](const std::string& after) {
      for (std::uint32_t from = 0; from < wiring.hosts(); ++from) {
        for (std::uint32_t to = 0; to < wiring.hosts(); ++to) {
          if (from == to) continue;
          ASSERT_EQ(manager.reaches({from}, {to}, 0), manager.path({from}, {to}, 0).arrives)
              << from << " to " << to << " after " << after;
        }
      }
    };
    for (int change = 0; change < 60; ++change, now = now + at_ms(20)) {
      while (manager.next_change() <= now) {
        manager.apply(manager.next_change());
        expect_agreement("new tables");
      }
      if (!dead.empty() && random.below(2) == 0) {
        const auto mended = dead.begin() + static_cast<std::ptrdiff_t>(random.below(dead.size()));
        manager.part_up(*mended, now);
        dead.erase(mended);
      } else {
        FabricPart part;
        do {
          part = random.below(2) == 0
                     ? link_part(static_cast<std::uint32_t>(random.below(wiring.links())))
                     : device_part(static_cast<std::uint32_t>(random.below(wiring.devices())));
        } while (!routing.is_at_edge(part) && random.below(8) != 0);
        manager.part_down(part, now);
        dead.push_back(part);
      }
      expect_agreement(std::to_string(change) + " changes");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(In324Hosts, HostsThatLoseTheirWayTurnToSeveralOthers) {
  manager_.part_down(link_part(spine_), kSecond);
  manager_.apply(manager_.next_change());
  std::set<std::uint32_t> used;
  std::uint32_t turned = 0;
  for (std::uint32_t h = 18; h < 324; ++h) {
    const auto routed = [&](const Forwarding& tables) {
      return tables.port(routing_.wiring().ends(spine_)[0].device, {h}, 0);
    };
    if (routed(routing_.tables()) == routed(manager_.forwarding())) continue;
    ++turned;
    used.insert(routed(manager_.forwarding()));
  }
  EXPECT_EQ(turned, 17u);  // one host of each other leaf
  EXPECT_EQ(used.size(), 17u);
}

}  // namespace
}  // namespace holdfast::sim
