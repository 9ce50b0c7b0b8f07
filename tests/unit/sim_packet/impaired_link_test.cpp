// Impaired links: how many packets pass, where the others are found out, and that they take up the
// links as long as if they were whole.
#include <cmath>

#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint32_t kBytes = 986;       // 1,020 on the wire
constexpr std::int64_t kTakes = 8 * 1'020;  // units, at 100 Gb/s
constexpr std::int64_t kLink = 15'000;
constexpr std::int64_t kSwitch = 10'000;
constexpr std::uint32_t kPackets = 10'000;

// Host 0 sends to host 1 by one switch, one packet behind the other; link h is that of host h, and
// away from ends[0] is up.
struct Stream : TreeWire {
  explicit Stream(const PacketWireOptions& options = {})
      : TreeWire(make_tree({{4}, {1}, {1}}), options) {}

  std::uint32_t upwards(std::uint32_t link) const {
    return graph.device(graph.links()[link].ends[0].device).kind == DeviceKind::adapter ? 0 : 1;
  }
  void play() {
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      drive.inject({i * kTakes}, {.from = {0}, .to = {1}, .bytes = kBytes, .token = i});
    }
    drive.finish();
  }
  // Five standard deviations of the binomial distribution on either side.
  void expect_passed(double probability) const {
    const double mean = kPackets * probability;
    const double deviation = std::sqrt(mean * (1 - probability));
    EXPECT_NEAR(static_cast<double>(wire.count(PacketFate::delivered)), mean, 5 * deviation);
    EXPECT_EQ(wire.count(PacketFate::corrupted) + wire.count(PacketFate::delivered), kPackets);
  }
};

TEST(ImpairedLink, LosesItsShareInItsDirectionOnly) {
  for (const bool collapse : {false, true}) {
    Stream stream({.collapse = collapse});
    stream.wire.set_quality({}, 0, stream.upwards(0), {.frames = 0.9});
    // Not the way of any:
    stream.wire.set_quality({}, 0, 1 - stream.upwards(0), {.frames = 0.0});
    stream.wire.set_quality({}, 1, stream.upwards(1), {.frames = 0.0});
    stream.play();
    stream.expect_passed(0.9);
  }
}

// (1 - p)^(8 · 1,020) of the packets on each of two links.
TEST(ImpairedLink, LosesThoseWithAWrongBit) {
  const double per_bit = 2e-5;
  Stream stream;
  stream.wire.set_quality({}, 0, stream.upwards(0), {.bits = 1 - per_bit});
  stream.wire.set_quality({}, 1, 1 - stream.upwards(1), {.bits = 1 - per_bit});
  stream.play();
  stream.expect_passed(std::exp(2 * 8 * 1'020 * std::log1p(-per_bit)));
}

// In cut-through nobody but the end has all of a packet before it goes on; a switch that stores
// packets sends none on that is not whole.
TEST(ImpairedLink, WhoeverHasAllOfThePacketFindsItOut) {
  for (const Switching switching : {Switching::cut_through, Switching::store_and_forward}) {
    Stream stream({.switching = switching});
    stream.wire.set_quality({}, 0, stream.upwards(0), {.frames = 0.0});
    stream.drive.inject({}, {.from = {0}, .to = {1}, .bytes = kBytes, .token = 3});
    stream.drive.finish();
    EXPECT_EQ(stream.drive.of(3).fate, PacketFate::corrupted);
    EXPECT_EQ(stream.drive.of(3).at.value,
              kTakes + kLink + kSwitch + (switching == Switching::cut_through ? kLink : 0));
  }
}

// The same link becomes whole again, and impaired once more: it does not repeat its draws.
TEST(ImpairedLink, ItsDrawsGoOn) {
  std::vector<std::vector<std::uint64_t>> lost(2);
  Stream stream;
  for (std::uint32_t round = 0; round < 2; ++round) {
    const SimTime begin{round * 1'000 * kTakes};
    stream.drive.until(begin);
    stream.wire.set_quality(begin, 0, stream.upwards(0), {.frames = 0.5});
    for (std::uint32_t i = 0; i < 200; ++i) {
      stream.drive.inject({begin.value + i * kTakes},
                          {.from = {0}, .to = {1}, .bytes = kBytes, .token = i});
    }
    const SimTime end{begin.value + 300 * kTakes};
    stream.drive.until(end);
    stream.wire.set_quality(end, 0, stream.upwards(0), {});
    stream.drive.inject(end, {.from = {0}, .to = {1}, .bytes = kBytes, .token = 1'000});
    stream.drive.until({end.value + 100 * kTakes});
    EXPECT_EQ(stream.drive.reports.back().fate, PacketFate::delivered);
    for (const PacketReport& report : stream.drive.reports) {
      if (report.fate == PacketFate::corrupted) lost[round].push_back(report.token);
    }
    stream.drive.reports.clear();
  }
  EXPECT_GT(lost[0].size(), 50u);
  EXPECT_NE(lost[0], lost[1]);
}

}  // namespace
}  // namespace holdfast::sim
