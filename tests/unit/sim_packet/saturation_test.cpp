// Shift permutations under D-Mod-K in a tree of full bisection: no two packets meet, every host
// sends and receives at the full rate of its link (Zahavi 2010, the theorem of the title).
#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

TEST(Saturation, EveryShiftRunsAtFullRate) {
  const Pgft tree = make_tree({{4, 4, 4}, {1, 4, 4}, {1, 1, 1}});
  constexpr std::uint32_t kPackets = 20;
  const std::uint32_t hosts = tree.host_count();
  const PathTimes times(tree, kLink100, nanoseconds(100));
  for (std::uint32_t shift = 1; shift < hosts; ++shift) {
    TreeWire fabric(tree);
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      for (std::uint32_t from = 0; from < hosts; ++from) {
        fabric.drive.inject({}, {.from = {from},
                                 .to = {(from + shift) % hosts},
                                 .bytes = 2048,
                                 .token = std::uint64_t{i} * hosts + from});
      }
    }
    fabric.drive.finish();
    ASSERT_EQ(fabric.drive.reports.size(), std::size_t{kPackets} * hosts);
    for (const PacketReport& report : fabric.drive.reports) {
      const NodeId from{static_cast<std::uint32_t>(report.token % hosts)};
      const auto before = static_cast<std::int64_t>(report.token / hosts);
      const SimTime expected = times.one_way(from, {(from.value + shift) % hosts}, 2048) +
                               SimTime{before * takes_100(2048).value};
      ASSERT_EQ(report.at.value, expected.value) << "shift " << shift << " host " << from.value;
    }
  }
}

// All to one: the one link into the destination is the bound, and it is kept busy.
TEST(Saturation, AnIncastKeepsItsOneLinkBusy) {
  const Pgft tree = make_tree({{4, 4}, {1, 4}, {1, 1}});
  constexpr std::uint32_t kPackets = 50;
  for (const FlowControl control : {FlowControl::credits, FlowControl::drop_tail}) {
    TreeWire fabric(tree, {.flow_control = control, .buffer_bytes = 1'024 * 1'024});
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      for (std::uint32_t from = 4; from < 16; ++from) {
        fabric.drive.inject({}, {.from = {from}, .to = {0}, .bytes = 2048});
      }
    }
    fabric.drive.finish();
    const std::int64_t packets = kPackets * 12;
    const PathTimes times(tree, kLink100, nanoseconds(100));
    EXPECT_EQ(fabric.drive.reports.back().at.value,
              times.one_way({4}, {0}, 2048).value + (packets - 1) * takes_100(2048).value);
  }
}

}  // namespace
}  // namespace holdfast::sim
