// The collapse changes nothing: what is drawn from a seed is played with it and without, and every
// report must be the same, in the same order, at the same time.
//
// Times are drawn from a coarse grid on which also everything in the fabric falls in half of the
// cases, so that arrivals, starts, returns of credits, cuts and new tables meet at one instant.
#include <algorithm>

#include "stack/base/random.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

// The tables of D-Mod-K by its path number `shift`.
class Shifted final : public Forwarding {
 public:
  Shifted(const Pgft& tree, std::uint32_t shift) : all_(tree, shift + 2), shift_(shift) {}
  std::uint16_t port(std::uint32_t device, NodeId to, std::uint32_t path) const override {
    return all_.port(device, to, path + shift_);
  }
  std::uint32_t paths() const override { return 2; }

 private:
  DmodkForwarding all_;
  std::uint32_t shift_;
};

struct Act {
  enum class What { inject, link, quality, tables } what = What::inject;
  SimTime at;
  Shipment shipment;
  std::uint32_t which = 0;  // link, or shift of the tables
  bool up = false;
  std::uint32_t direction = 0;
  LinkQuality quality;
};

struct Scenario {
  PgftSpec tree;
  LinkSpec link;
  PacketWireOptions options;
  bool unlike_links = false;
  std::uint64_t seed = 0;
  std::vector<Act> acts;
};

std::uint32_t pick(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(high - low + 1));
}

PacketWireOptions draw_options(Random& random, bool grid) {
  PacketWireOptions options;
  options.switching = random.below(3) == 0 ? Switching::store_and_forward : Switching::cut_through;
  options.flow_control = random.below(4) == 0 ? FlowControl::drop_tail : FlowControl::credits;
  options.switch_latency = Duration{grid ? 10 * pick(random, 0, 3) : pick(random, 0, 50)};
  options.buffer_bytes = 512u << random.below(5);
  options.head_lifetime = nanoseconds(random.below(2) == 0 ? 0 : 10 * pick(random, 1, 30));
  options.lanes.clear();
  const std::uint32_t lanes = pick(random, 1, 3);
  for (std::uint32_t i = 0; i < lanes; ++i) {
    options.lanes.push_back({.high = random.below(3) == 0, .weight = pick(random, 1, 20)});
  }
  for (std::uint32_t i = 0; i < kServiceLevels; ++i) {
    options.lane_of_service_level[i] = static_cast<std::uint8_t>(i % lanes);
  }
  return options;
}

Scenario draw(std::uint64_t seed) {
  Random random(seed, 0x636f6c6c, 0);
  Scenario scenario;
  scenario.seed = seed;
  scenario.unlike_links = random.below(2) == 0;
  const PgftSpec trees[] = {{{3}, {1}, {1}},
                            {{2, 3}, {1, 2}, {1, 1}},
                            {{2, 2}, {1, 1}, {1, 2}},
                            {{2, 2, 2}, {1, 2, 2}, {1, 1, 1}}};
  scenario.tree = trees[random.below(std::size(trees))];
  const std::uint32_t hosts = make_tree(scenario.tree).host_count();
  const bool grid = random.below(2) == 0;
  scenario.options = draw_options(random, grid);
  scenario.link.bits_per_second = grid ? 100'000'000'000 : 54'545'454'545;
  scenario.link.latency = Duration{grid ? 10 * pick(random, 0, 2) : pick(random, 0, 40)};
  const std::uint32_t links = static_cast<std::uint32_t>(
      build_pgft(make_tree(scenario.tree), scenario.link).links().size());
  // From a packet an instant to one in many: from queues everywhere to hardly anybody who meets.
  const std::uint32_t density = 1u << random.below(7);
  const std::uint32_t kinds_of_size = pick(random, 1, 3);
  std::vector<std::uint32_t> down;
  std::int64_t at = 0;
  const std::uint32_t acts = pick(random, 20, 120);
  for (std::uint32_t i = 0; i < acts; ++i) {
    at += grid ? 1'000 * pick(random, 0, density) : pick(random, 0, 1'000 * density);
    Act act;
    act.at = {at};
    const std::uint64_t what = random.below(20);
    if (what == 0) {
      act.what = Act::What::link;
      act.up = !down.empty() && random.below(2) == 0;
      act.which = act.up ? down.back() : pick(random, 0, links - 1);
      if (act.up) {
        down.pop_back();
      } else {
        down.push_back(act.which);
      }
    } else if (what == 1) {
      act.what = Act::What::tables;
      act.which = pick(random, 0, 2);
    } else if (what == 2) {
      act.what = Act::What::quality;
      act.which = pick(random, 0, links - 1);
      act.direction = pick(random, 0, 1);
      act.quality = {0.5 * pick(random, 0, 2), random.below(2) == 0 ? 1.0 : 0.999};
    } else {
      Shipment& shipment = act.shipment;
      shipment.from = {pick(random, 0, hosts - 1)};
      shipment.to = {(shipment.from.value + pick(random, 1, hosts - 1)) % hosts};
      // Whole numbers of 10 ns on the grid: 125 bytes each.
      const std::uint32_t wire = 125 * pick(random, 1, kinds_of_size * 2);
      shipment.bytes = std::min(wire, scenario.options.buffer_bytes - 34) - 34;
      shipment.service_level = static_cast<std::uint8_t>(random.below(kServiceLevels));
      shipment.path = static_cast<std::uint8_t>(random.below(2));
      shipment.token = i;
    }
    scenario.acts.push_back(act);
  }
  return scenario;
}

// The same fabric with links that differ in rate and latency.
FabricGraph with_unlike_links(const FabricGraph& alike, std::uint64_t seed) {
  Random random(seed, 0x6c696e6b, 0);
  FabricGraph graph;
  for (const Host& host : alike.hosts()) graph.add_host(host.name);
  for (const Device& device : alike.devices()) {
    const auto ports = static_cast<std::uint32_t>(device.ports.size() - 1);
    graph.add_device({device.kind, device.guid, device.name, "", device.host, {}}, ports);
  }
  for (const Link& link : alike.links()) {
    const std::int64_t factor = random.below(3) == 0 ? 2 : 1;
    const Duration latency{link.latency.ns + 10 * pick(random, 0, 3)};
    graph.connect(link.ends[0], link.ends[1], {link.bits_per_second / factor, latency});
  }
  return graph;
}

struct Played {
  std::vector<PacketReport> reports;
  std::uint64_t hops = 0;
  std::uint64_t collapsed = 0;
  std::uint64_t expanded = 0;
};

// Plays it; each third delivery is answered at its instant.
class Player {
 public:
  Player(const Scenario& scenario, bool collapse)
      : tree_(make_tree(scenario.tree)),
        graph_(scenario.unlike_links
                   ? with_unlike_links(build_pgft(tree_, scenario.link), scenario.seed)
                   : build_pgft(tree_, scenario.link)),
        tables_{Shifted(tree_, 0), Shifted(tree_, 1), Shifted(tree_, 2)},
        wire_(graph_, tables_[0], with(scenario.options, collapse), scenario.seed) {}

  Played play(const Scenario& scenario) {
    for (const Act& act : scenario.acts) {
      until(act.at);
      switch (act.what) {
        case Act::What::inject:
          shipments_.push_back(act.shipment);
          shipments_.back().token = shipments_.size() - 1;
          wire_.inject(act.at, shipments_.back());
          break;
        case Act::What::link:
          wire_.set_link_up(act.at, act.which, act.up);
          break;
        case Act::What::quality:
          wire_.set_quality(act.at, act.which, act.direction, act.quality);
          break;
        case Act::What::tables:
          wire_.set_forwarding(act.at, tables_[act.which]);
          break;
      }
    }
    until(SimTime::never());
    EXPECT_TRUE(wire_.at_rest());
    played_.hops = wire_.hops();
    played_.collapsed = wire_.collapsed();
    played_.expanded = wire_.expanded();
    return played_;
  }

 private:
  static PacketWireOptions with(PacketWireOptions options, bool collapse) {
    options.collapse = collapse;
    return options;
  }

  void until(SimTime time) {
    while (wire_.precedes(time)) {
      wire_.step();
      const std::vector<PacketReport> now(wire_.reports().begin(), wire_.reports().end());
      wire_.clear_reports();
      for (const PacketReport& report : now) {
        played_.reports.push_back(report);
        if (report.fate == PacketFate::delivered && report.token % 3 == 0) answer(report);
      }
    }
  }

  void answer(const PacketReport& report) {
    Shipment shipment = shipments_[report.token];
    std::swap(shipment.from, shipment.to);
    shipment.token = shipments_.size();
    // An answer is answered, but not forever: two tokens of three end the exchange.
    shipments_.push_back(shipment);
    wire_.inject(report.at, shipment);
  }

  Pgft tree_;
  FabricGraph graph_;
  std::array<Shifted, 3> tables_;
  PacketWire wire_;
  std::vector<Shipment> shipments_;
  Played played_;
};

TEST(Collapse, ChangesNothing) {
  std::uint64_t collapsed = 0;
  std::uint64_t expanded = 0;
  std::array<std::uint64_t, kPacketFates> fates{};
  for (std::uint64_t seed = 0; seed < tests::drawn(10'000u); ++seed) {
    const Scenario scenario = draw(seed);
    const Played with = Player(scenario, true).play(scenario);
    const Played without = Player(scenario, false).play(scenario);
    ASSERT_EQ(with.reports.size(), without.reports.size()) << "seed " << seed;
    for (std::size_t i = 0; i < with.reports.size(); ++i) {
      const PacketReport& a = with.reports[i];
      const PacketReport& b = without.reports[i];
      ASSERT_TRUE(a.token == b.token && a.at == b.at && a.serial == b.serial && a.fate == b.fate)
          << "seed " << seed << ", report " << i << ": token " << a.token << " and " << b.token
          << ", time " << a.at.value << " and " << b.at.value;
      ++fates[static_cast<std::size_t>(a.fate)];
    }
    ASSERT_EQ(with.hops, without.hops) << "seed " << seed;
    ASSERT_EQ(without.collapsed, 0u);
    collapsed += with.collapsed;
    expanded += with.expanded;
  }
  // What is drawn must meet what it is to test.
  EXPECT_GT(collapsed, tests::drawn(20'000u));
  EXPECT_GT(expanded, tests::drawn(5'000u));
  EXPECT_GT(collapsed - expanded, tests::drawn(5'000u));
  for (const PacketFate fate :
       {PacketFate::delivered, PacketFate::port_down, PacketFate::cut, PacketFate::corrupted,
        PacketFate::queue_full, PacketFate::too_old}) {
    EXPECT_GT(fates[static_cast<std::size_t>(fate)], tests::drawn(100u)) << static_cast<int>(fate);
  }
}

// On an idle fabric nothing remains but one event a packet.
TEST(Collapse, LeavesOneEventOfAPacketThatMeetsNobody) {
  TreeWire fabric(make_tree({{4, 4, 4}, {1, 4, 4}, {1, 1, 1}}));
  for (std::uint32_t i = 0; i < 100; ++i) {
    fabric.drive.inject({std::int64_t{i} * 1'000'000},
                        {.from = {i % 64}, .to = {(i + 21) % 64}, .bytes = 66});
  }
  fabric.drive.finish();
  EXPECT_EQ(fabric.wire.count(PacketFate::delivered), 100u);
  EXPECT_EQ(fabric.wire.events(), 100u);
}

}  // namespace
}  // namespace holdfast::sim
