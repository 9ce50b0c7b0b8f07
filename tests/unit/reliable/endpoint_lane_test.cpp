// Rails whose receivers have room for so many frames of each sender, and lose what comes beyond.
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

constexpr std::size_t kMessages = 100;
constexpr std::size_t kShort = 8;
constexpr std::size_t kLong = 40'000;  // each asks first

RailKind rail_with(std::uint32_t peer_frames) {
  RailKind kind;
  kind.peer_frames = peer_frames;
  return kind;
}

class EndpointLane : public ::testing::Test {
 protected:
  void begin(std::vector<RailKind> rails) {
    WorldOptions options;
    options.rails = std::move(rails);
    world_ = std::make_unique<World>(options);
  }
  // All at once, before the receiver has looked.
  void send_all(std::size_t bytes) {
    for (std::size_t i = 0; i < kMessages; ++i) sent_.push_back(content(i, bytes));
    received_.resize(kMessages, std::vector<std::byte>(bytes));
    for (std::size_t i = 0; i < kMessages; ++i) {
      ASSERT_NE(world_->receive(1, 0, received_[i]), kNoRequest);
    }
    world_->asleep.insert(1);
    for (const auto& message : sent_) ASSERT_NE(world_->send(0, 1, message), kNoRequest);
    world_->run(microseconds(20));
    frames_unread_ = world_->network.frames;
    world_->asleep.clear();
  }
  void expect_all_arrive_once() {
    ASSERT_TRUE(world_->complete(1, kMessages));
    ASSERT_TRUE(world_->complete(0, kMessages));
    EXPECT_EQ(received_, sent_);
    EXPECT_EQ(world_->at(0).counts().fragments_resent, 0u);
  }

  // So many frames are under way before the first of them is read.
  void expect_unread(std::uint32_t peer_frames, std::size_t bytes, std::size_t frames) {
    begin({rail_with(peer_frames)});
    send_all(bytes);
    EXPECT_EQ(frames_unread_, frames);
    expect_all_arrive_once();
  }

  std::unique_ptr<World> world_;
  std::vector<std::vector<std::byte>> sent_, received_;
  std::uint64_t frames_unread_ = 0;
};

// A quarter is left to acknowledgements and the like.
TEST_F(EndpointLane, ShortMessagesAreNoMoreThanTheirReceiverHasRoomFor) {
  expect_unread(8, kShort, 6);
}
TEST_F(EndpointLane, RequestsAreNoMore) {
  expect_unread(8, kLong, 6);
}
TEST_F(EndpointLane, OneFrameIsEnoughToGoOn) {
  expect_unread(1, kShort, 1);
}
TEST_F(EndpointLane, ARailWithoutSuchALimitHasAsManyAsItsWindow) {
  expect_unread(0, kShort, kMessages);
}

// Who waits for room has it before all that has come has been looked at.
TEST_F(EndpointLane, AQuarterIsAcknowledgedWhileMoreIsTaken) {
  begin({rail_with(64)});
  send_all(kShort);
  EXPECT_EQ(frames_unread_, 48u);
  static_cast<void>(world_->at(1).turn(world_->now()));
  EXPECT_EQ(world_->at(1).counts().acknowledgements_sent, 4u) << "of twelve each";
  expect_all_arrive_once();
}

// Nobody has held anything back for want of room for them.
TEST_F(EndpointLane, GrantsAreNotWaitedFor) {
  begin({rail_with(8)});
  std::size_t acknowledgements = 0;
  world_->network.script = [&](const Flight& flight) {
    const bool acknowledges = flight.has(MessageFrameType::acknowledgement);
    if (acknowledges && flight.from == ProcessId{0}) ++acknowledgements;
    return Fate{};
  };
  const std::vector<std::byte> message = content(1, 100'000);
  std::vector<std::byte> got(message.size());
  ASSERT_NE(world_->send(0, 1, message), kNoRequest);
  world_->run(microseconds(100));
  ASSERT_NE(world_->receive(1, 0, got), kNoRequest);
  ASSERT_TRUE(world_->complete(0, 1));
  EXPECT_EQ(acknowledgements, 0u);
}

// What is lost makes room for its next copy.
TEST_F(EndpointLane, GoesOnAfterALoss) {
  for (const std::uint32_t frames : {2u, 3u, 8u}) {
    SCOPED_TRACE(frames);
    sent_.clear();
    received_.clear();
    begin({rail_with(frames)});
    Random random(frames, 1, 0);
    world_->network.script = [&](const Flight&) {
      return Fate{.copies = random.unit() < 0.2 ? 0 : 1};
    };
    send_all(kShort);
    ASSERT_TRUE(world_->complete(1, kMessages));
    ASSERT_TRUE(world_->complete(0, kMessages));
    EXPECT_EQ(received_, sent_);
  }
}

TEST_F(EndpointLane, BesideAnotherRailNothingIsLostEither) {
  begin({rail_with(8), rail_with(0)});
  send_all(kShort);
  EXPECT_GT(frames_unread_, 6u);
  expect_all_arrive_once();
}

}  // namespace
}  // namespace holdfast::reliable
