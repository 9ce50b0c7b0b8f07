// The fabrics that are known by name, against what the papers say of them.
#include "sim/topology/presets.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sim/topology/summary.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

Pgft preset(std::string_view name) {
  const auto spec = preset_tree(name);
  EXPECT_TRUE(spec.has_value()) << name;
  return make_tree(spec.value_or(PgftSpec{{1}, {1}, {1}}));
}

TEST(Presets, EachNameIsATreeOrTheComposedOne) {
  for (const std::string_view name : preset_names()) {
    EXPECT_NE(preset_tree(name).has_value(), name == kIbnftOversubscribed) << name;
  }
  EXPECT_FALSE(preset_tree("325").has_value());
}

TEST(Presets, NumbersAreTheHosts) {
  for (const std::string_view name : {"324", "1944", "8192", "65536", "262144"}) {
    EXPECT_EQ(std::to_string(preset(name).host_count()), name);
  }
}

TEST(Presets, SwitchesHaveAsManyPortsDownAsUp) {
  // Full trees: every level has as many links as there are hosts.
  for (const std::string_view name : {"isr9144", "324", "1944", "8192", "65536", "262144"}) {
    const Pgft tree = preset(name);
    for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
      EXPECT_EQ(tree.links(level), tree.host_count()) << name << ", level " << level;
    }
  }
  EXPECT_EQ(preset("324").switch_count(), 27u);
  EXPECT_EQ(preset("1944").switch_count(), 270u);
  EXPECT_EQ(preset("8192").switch_count(), 640u);
}

TEST(Presets, Isr9144HasTwelveDisjointPathsBetweenLeaves) {
  const FabricGraph graph = build_pgft(preset("isr9144"), kLink100);
  EXPECT_EQ(graph.host_count(), 144u);
  EXPECT_EQ(graph.count(DeviceKind::switch_chip), 24u);
  const Routes routes(graph, 12);
  std::set<std::uint32_t> spines;
  for (std::uint32_t path = 0; path < 12; ++path) {
    std::vector<std::uint32_t> entered;
    const auto add = [&](std::uint32_t, std::uint32_t from) { entered.push_back(from); };
    ASSERT_TRUE(routes.walk({0}, {143}, add, path));
    ASSERT_EQ(entered.size(), 4u);
    spines.insert(entered[2]);
  }
  EXPECT_EQ(spines.size(), 12u);
}

TEST(Presets, KAryNTreesHaveKLinksToEachSide) {
  const Pgft tree = make_tree(k_ary_n_tree(4, 3));
  EXPECT_EQ(tree.host_count(), 64u);
  EXPECT_EQ(tree.switch_count(), 48u);
  for (std::uint32_t level = 1; level <= 3; ++level) EXPECT_EQ(tree.nodes(level), 16u);
  EXPECT_EQ(make_tree(k_ary_n_tree(64, 3)).host_count(), preset("262144").host_count());
  EXPECT_EQ(make_tree(k_ary_n_tree(5, 1)).switch_count(), 1u);
}

TEST(Presets, TheOversubscribedFabricIsTwoToOneAndNoTree) {
  const FabricGraph graph = ibnft_oversubscribed(kLink100);
  EXPECT_EQ(graph.host_count(), kIbnftOversubscribedHosts);
  EXPECT_EQ(graph.count(DeviceKind::switch_chip), 16u * 24u);
  std::set<std::string> names;
  for (const Device& device : graph.devices()) {
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    if (device.kind != DeviceKind::switch_chip) continue;
    std::uint32_t hosts = 0;
    std::uint32_t own = 0;    // links within the chassis
    std::uint32_t other = 0;  // to other chassis
    const auto chassis_of = [](const std::string& name) { return name.substr(0, name.find('/')); };
    for (const Port& port : device.ports) {
      if (port.link == kNone) continue;
      const Link& link = graph.links()[port.link];
      const Device& a = graph.device(link.ends[0].device);
      const Device& b = graph.device(link.ends[1].device);
      const Device& far = &a == &device ? b : a;
      if (far.kind == DeviceKind::adapter) {
        ++hosts;
      } else {
        ++(chassis_of(far.name) == chassis_of(device.name) ? own : other);
      }
    }
    const bool core = device.name.starts_with("core-");
    const bool spine = device.name.find("/spine-") != std::string::npos;
    EXPECT_EQ(own, 12u) << device.name;
    EXPECT_EQ(hosts, !core && !spine ? 8u : 0u) << device.name;
    EXPECT_EQ(other, spine ? 0u : core ? 12u : 4u) << device.name;
  }
}

TEST(Presets, WithinAChassisOfTheOversubscribedFabricAreFourLinksAndBetweenThemSix) {
  const FabricGraph graph = ibnft_oversubscribed(kLink100);
  const Routes routes(graph);
  const auto shortest = shortest_hops(graph);
  for (std::uint32_t a = 0; a < graph.host_count(); a += 7) {
    for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
      if (a == b) continue;
      const std::uint32_t hops = routes.hops({a}, {b});
      // Leaf chips of one number meet in a core's leaf chip only if they are of one chassis.
      ASSERT_EQ(hops, a / 8 == b / 8 ? 2u : a / 96 == b / 96 ? 4u : 6u) << a << " to " << b;
      ASSERT_EQ(hops, shortest[a][b]);
    }
  }
}

}  // namespace
}  // namespace holdfast::sim
