// Which lane goes next, alone and in a fabric.
#include "sim/packet/lane_arbiter.hpp"

#include <map>
#include <string>

#include "tests/unit/sim_packet/wire.hpp"

namespace holdfast::sim {
namespace {

TEST(LaneArbiter, SharesByWeightAmongLanesThatAlwaysHaveSomething) {
  const std::vector<LaneOptions> lanes = {{false, 30}, {false, 10}, {false, 20}};
  const LaneArbiter arbiter(lanes);
  auto turns = arbiter.fresh();
  const std::uint32_t blocks[] = {2, 5, 1};  // of each lane's packets
  std::array<std::uint32_t, 3> sent{};
  for (int i = 0; i < 6'000; ++i) {
    const std::uint32_t lane =
        arbiter.choose(turns, [&](std::uint32_t number) { return blocks[number]; });
    sent[lane] += blocks[lane];
  }
  const double all = sent[0] + sent[1] + sent[2];
  EXPECT_NEAR(sent[0] / all, 30.0 / 60.0, 0.005);
  EXPECT_NEAR(sent[1] / all, 10.0 / 60.0, 0.005);
  EXPECT_NEAR(sent[2] / all, 20.0 / 60.0, 0.005);
}

TEST(LaneArbiter, HighLanesGoFirstAndFreshTurnsBeginWithTheFirstLane) {
  const std::vector<LaneOptions> lanes = {{false, 1}, {true, 1}, {false, 1}, {true, 1}};
  const LaneArbiter arbiter(lanes);
  auto turns = arbiter.fresh();
  std::vector<std::uint32_t> has = {2, 2, 2, 2};
  std::string order;
  for (;;) {
    const std::uint32_t lane = arbiter.choose(turns, [&](std::uint32_t n) { return has[n]; });
    if (lane == kNoLane) break;
    --has[lane];  // the number of packets that it has serves as their size, too
    order += std::to_string(lane);
  }
  EXPECT_EQ(order, "13130202");
}

TEST(LaneArbiter, WhoCannotSendIsPassedOverAndAFailedChoiceChangesNothing) {
  const std::vector<LaneOptions> lanes = {{false, 100}, {false, 100}};
  const LaneArbiter arbiter(lanes);
  auto turns = arbiter.fresh();
  const auto only = [](std::uint32_t lane) {
    return [lane](std::uint32_t number) { return number == lane ? 1u : 0u; };
  };
  EXPECT_EQ(arbiter.choose(turns, only(0)), 0u);
  EXPECT_EQ(arbiter.choose(turns, only(7)), kNoLane);
  EXPECT_EQ(turns[0].lane, 0);
  EXPECT_EQ(turns[0].blocks_left, 99);
  EXPECT_EQ(arbiter.choose(turns, only(1)), 1u);
  EXPECT_EQ(arbiter.choose(turns, [](std::uint32_t) { return 1u; }), 1u);
}

// A heartbeat meets a backlog of 100 large packets at its host's own port. On the same lane it
// waits for all of them, on a high one only for the one that is being sent.
TEST(Lanes, AHeartbeatOnAHighLaneWaitsForOnePacketAtMost) {
  for (std::uint8_t level = 0; level < 2; ++level) {
    PacketWireOptions options;
    options.lane_of_service_level = {0, 1};
    TreeWire fabric(make_tree({{4}, {1}, {1}}), options);
    constexpr std::uint32_t kBacklog = 100;
    for (std::uint32_t i = 0; i < kBacklog; ++i) {
      fabric.drive.inject({}, {.from = {0}, .to = {1}, .bytes = 4'096, .token = 0});
    }
    const SimTime at{1'000};
    fabric.drive.inject(at,
                        {.from = {0}, .to = {2}, .bytes = 66, .service_level = level, .token = 1});
    fabric.drive.finish();
    const std::int64_t idle = 2 * 15'000 + 10'000 + takes_100(66).value;
    const std::int64_t before = level == 0 ? kBacklog : 1;
    EXPECT_EQ(fabric.drive.of(1).at.value, before * takes_100(4'096).value + idle);
  }
}

// Two lanes with a backlog at one port share it by their weights.
TEST(Lanes, BacklogsShareAPortByWeight) {
  PacketWireOptions options;
  options.lanes = {{.high = false, .weight = 96}, {.high = false, .weight = 32}};
  options.lane_of_service_level = {0, 1};
  TreeWire fabric(make_tree({{4}, {1}, {1}}), options);
  for (std::uint32_t i = 0; i < 400; ++i) {
    for (std::uint8_t level = 0; level < 2; ++level) {
      fabric.drive.inject(
          {}, {.from = {0}, .to = {1}, .bytes = 2'014, .service_level = level, .token = level});
    }
  }
  const SimTime end{400 * takes_100(2'014).value};
  fabric.drive.until(end);
  const auto first = [](std::uint64_t token) { return token == 0; };
  const auto all = [](std::uint64_t) { return true; };
  const double share = static_cast<double>(fabric.drive.delivered_by(end, first)) /
                       static_cast<double>(fabric.drive.delivered_by(end, all));
  EXPECT_NEAR(share, 0.75, 0.01);
  fabric.drive.finish();
}

}  // namespace
}  // namespace holdfast::sim
