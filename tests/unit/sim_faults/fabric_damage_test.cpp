// What a damaged fabric takes: dead parts, shares of frames, bits, directions.
#include "sim/faults/fabric_damage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/topology/pgft_routing.hpp"

namespace holdfast::sim {
namespace {

// 16 hosts, four leaves, two spines; four hosts under each leaf.
Pgft tree() {
  Pgft made;
  const Status status = Pgft::create({{4, 4}, {1, 2}, {1, 1}}, made);
  EXPECT_TRUE(status.is_ok());
  return made;
}

struct Fabric {
  PgftRouting routing{tree(), 1};
  FabricDamage damage{routing, {}, 16, 7};
  FaultSchedule schedule;

  void play(FaultAction action, FaultTarget target, std::uint32_t index, SimTime now = {}) {
    damage.play({Time{}, action, target, index, 0}, schedule, now);
  }
  bool loses(std::uint32_t from, std::uint32_t to) {
    return damage.loses({from}, {to}, 64, SimTime{});
  }
  std::uint32_t host_link(std::uint32_t host) const {
    return routing.wiring().link_at(routing.wiring().endpoint({host}));
  }
};

TEST(FabricDamage, AWholeFabricLosesNothing) {
  Fabric fabric;
  EXPECT_TRUE(fabric.damage.harmless());
  for (std::uint32_t from = 0; from < 16; ++from) {
    for (std::uint32_t to = 0; to < 16; ++to) {
      if (from != to) {
        EXPECT_FALSE(fabric.loses(from, to));
      }
    }
  }
  EXPECT_EQ(fabric.damage.lost(), 0u);
}

TEST(FabricDamage, ADeadHostLinkCutsTheHostUntilItIsMended) {
  Fabric fabric;
  fabric.play(FaultAction::crash, FaultTarget::link, fabric.host_link(5));
  EXPECT_TRUE(fabric.loses(5, 6));
  EXPECT_TRUE(fabric.loses(6, 5));
  EXPECT_TRUE(fabric.loses(12, 5));
  EXPECT_FALSE(fabric.loses(6, 7));
  EXPECT_FALSE(fabric.damage.harmless());
  // New tables do not help a host with one link.
  fabric.damage.apply(fabric.damage.next_change());
  EXPECT_TRUE(fabric.loses(12, 5));
  EXPECT_FALSE(fabric.damage.harmless());
  fabric.play(FaultAction::repair, FaultTarget::link, fabric.host_link(5),
              to_sim_time(seconds(100)));
  EXPECT_FALSE(fabric.loses(6, 7));
  EXPECT_TRUE(fabric.loses(12, 5)) << "the tables do not name it yet";
  fabric.damage.apply(fabric.damage.next_change());
  EXPECT_FALSE(fabric.loses(12, 5));
  EXPECT_TRUE(fabric.damage.harmless());
  EXPECT_EQ(fabric.damage.lost(), 5u);
}

TEST(FabricDamage, ADeadSpineIsLedAroundAfterTheSweep) {
  Fabric fabric;
  const std::uint32_t spine = fabric.routing.wiring().devices() - 1;
  fabric.play(FaultAction::crash, FaultTarget::device, spine);
  const auto lost_pairs = [&] {
    int count = 0;
    for (std::uint32_t from = 0; from < 16; ++from) {
      for (std::uint32_t to = 0; to < 16; ++to) count += from != to && fabric.loses(from, to);
    }
    return count;
  };
  // One spine of two carries every other destination; from each host to 6 of the 12 elsewhere.
  EXPECT_EQ(lost_pairs(), 16 * 6);
  EXPECT_FALSE(fabric.damage.harmless());
  fabric.damage.apply(fabric.damage.next_change());
  EXPECT_EQ(lost_pairs(), 0);
  EXPECT_TRUE(fabric.damage.harmless());
}

TEST(FabricDamage, RemembersWhomItKeptApart) {
  Fabric fabric;
  fabric.play(FaultAction::crash, FaultTarget::link, fabric.host_link(5));
  EXPECT_FALSE(fabric.damage.last_loss_between({5}, {6}));
  EXPECT_TRUE(fabric.damage.loses({6}, {5}, 64, SimTime{77}));
  EXPECT_EQ(fabric.damage.last_loss_between({5}, {6}), SimTime{77});
  EXPECT_EQ(fabric.damage.last_loss_between({6}, {5}), SimTime{77});
  EXPECT_FALSE(fabric.damage.last_loss_between({6}, {7}));
}

// Loss within binomial bounds: five standard deviations of what the textbook says.
void expect_share(int lost, int frames, double share) {
  const double deviation = std::sqrt(frames * share * (1.0 - share));
  EXPECT_NEAR(lost, frames * share, 5.0 * deviation);
}

TEST(FabricDamage, AShareOfTheFramesIsLostWithinBinomialBounds) {
  Fabric fabric;
  fabric.schedule.impairments = {{fabric.host_link(5), {}, 0.03, 0.0}};
  fabric.play(FaultAction::crash, FaultTarget::impairment, 0);
  EXPECT_FALSE(fabric.damage.harmless());
  constexpr int kFrames = 200'000;
  int from = 0, to = 0, elsewhere = 0;
  for (int i = 0; i < kFrames; ++i) {
    from += fabric.loses(5, 12);
    to += fabric.loses(1, 5);
    elsewhere += fabric.loses(1, 2);
  }
  expect_share(from, kFrames, 0.03);
  expect_share(to, kFrames, 0.03);
  EXPECT_EQ(elsewhere, 0);
  fabric.play(FaultAction::repair, FaultTarget::impairment, 0);
  EXPECT_TRUE(fabric.damage.harmless());
  EXPECT_FALSE(fabric.loses(5, 12));
}

TEST(FabricDamage, AnImpairmentOfOneDirectionLetsTheOtherPass) {
  Fabric fabric;
  const std::uint32_t link = fabric.host_link(5);
  const std::uint32_t adapter = fabric.routing.wiring().endpoint({5}).device;
  const std::uint32_t away = fabric.routing.wiring().ends(link)[0].device == adapter ? 0 : 1;
  fabric.schedule.impairments = {{link, away, 1.0, 0.0}};
  fabric.play(FaultAction::crash, FaultTarget::impairment, 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(fabric.loses(5, 12));
    EXPECT_FALSE(fabric.loses(12, 5));
  }
}

// A frame of n bytes of payload has n + 34 on the wire.
TEST(FabricDamage, BitErrorsTakeLongFramesMoreOften) {
  Fabric fabric;
  fabric.schedule.impairments = {{fabric.host_link(5), {}, 0.0, 1e-5}};
  fabric.play(FaultAction::crash, FaultTarget::impairment, 0);
  constexpr int kFrames = 200'000;
  for (const std::uint32_t bytes : {64u, 512u}) {
    int lost = 0;
    for (int i = 0; i < kFrames; ++i) lost += fabric.damage.loses({5}, {12}, bytes, SimTime{});
    expect_share(lost, kFrames, -std::expm1(8.0 * (bytes + 34) * std::log1p(-1e-5)));
  }
}

}  // namespace
}  // namespace holdfast::sim
