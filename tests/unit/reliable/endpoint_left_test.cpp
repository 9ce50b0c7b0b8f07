// What is left of a peer that is gone.
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

// Its sender has been told that they have arrived, though there was no place for them to wait in.
TEST(EndpointLeft, WhatHasArrivedMayStillBeReceivedWhenItsSenderIsGone) {
  WorldOptions options;
  options.processes = 3;
  options.endpoint.limits.unexpected_messages = 4;
  World world(options);
  std::vector<std::vector<std::byte>> sent;
  for (std::size_t i = 0; i < 12; ++i) sent.push_back(content(i, 20'000));
  for (const auto& message : sent) ASSERT_NE(world.send(0, 1, message, message.size()), kNoRequest);
  ASSERT_TRUE(world.complete(0, sent.size()));
  world.at(1).fail({0}, world.life(0), world.now());
  world.restart(0);
  // Others' messages take the places that become free.
  const std::vector<std::byte> other = content(99, 8);
  for (int i = 0; i < 3; ++i) ASSERT_NE(world.send(2, 1, other, 7), kNoRequest);
  world.run(milliseconds(1));
  Pattern pattern;
  pattern.source = ProcessId{0};
  pattern.tag = 20'000;
  for (const std::vector<std::byte>& message : sent) {
    Waiting waiting;
    ASSERT_TRUE(world.at(1).probe(pattern, waiting));
    EXPECT_EQ(waiting.bytes, message.size());
    std::vector<std::byte> memory(message.size());
    world.of[1].clear();
    ASSERT_NE(world.at(1).receive(pattern, memory, 0, world.now()), kNoRequest);
    ASSERT_TRUE(world.complete(1, 1, milliseconds(10)));
    EXPECT_EQ(world.of[1][0].outcome, Outcome::delivered);
    EXPECT_TRUE(memory == message);
  }
  Waiting waiting;
  EXPECT_FALSE(world.at(1).probe(pattern, waiting));
  world.of[1].clear();
  for (int i = 0; i < 3; ++i) {
    std::vector<std::byte> memory(8);
    ASSERT_NE(world.receive(1, 2, memory, 7), kNoRequest);
    ASSERT_TRUE(world.complete(1, static_cast<std::size_t>(i) + 1, milliseconds(10)));
    EXPECT_TRUE(memory == other);
  }
}

// There was no place for all of them when it ended. Its next life sends more of the kind.
TEST(EndpointLeft, WhoIsBackDoesNotOvertakeItself) {
  WorldOptions options;
  options.endpoint.limits.unexpected_messages = 4;
  World world(options);
  std::vector<std::vector<std::byte>> sent, got(12, std::vector<std::byte>(8));
  for (std::size_t i = 0; i < got.size(); ++i) sent.push_back(content(i, 8));
  for (std::size_t i = 0; i < 8; ++i) ASSERT_NE(world.send(0, 1, sent[i]), kNoRequest);
  ASSERT_TRUE(world.complete(0, 8));
  world.at(1).fail({0}, world.life(0), world.now());
  world.restart(0);
  for (std::size_t i = 0; i < got.size(); ++i) {
    // A place has become free before each but the first of what it sends now.
    ASSERT_NE(world.receive(1, 0, got[i]), kNoRequest);
    if (i < 4) {
      ASSERT_NE(world.send(0, 1, sent[8 + i]), kNoRequest);
    }
    ASSERT_TRUE(world.complete(1, i + 1, milliseconds(10)));
    world.run(milliseconds(1));
  }
  EXPECT_TRUE(got == sent);
}

// Whoever receives what a dead process has sent shall not miss some of it without being told.
TEST(EndpointLeft, WhatIsBehindAMessageThatHasNotArrivedIsLost) {
  WorldOptions options;
  World world(options);
  const std::vector<std::byte> first = content(1, 8), cut_off = content(2, 100'000),
                               behind = content(3, 8);
  for (const auto* const message : {&first, &cut_off, &behind})
    ASSERT_NE(world.send(0, 1, *message), kNoRequest);
  ASSERT_TRUE(world.complete(0, 2)) << "those that wait for no receive";
  world.at(1).fail({0}, world.life(0), world.now());
  Waiting waiting;
  ASSERT_TRUE(world.at(1).probe(Pattern{{0}, 0, 1}, waiting));
  std::vector<std::byte> memory(8);
  Pattern any;
  any.tag = 1;
  ASSERT_NE(world.at(1).receive(any, memory, 0, world.now()), kNoRequest);
  ASSERT_TRUE(world.complete(1, 1, milliseconds(10)));
  EXPECT_TRUE(memory == first);
  EXPECT_FALSE(world.at(1).probe(any, waiting)) << "of " << waiting.bytes << " bytes";
  // What it has taken is free, also for its next life.
  world.restart(0);
  const std::vector<std::byte> anew = content(4, 8);
  ASSERT_NE(world.send(0, 1, anew), kNoRequest);
  ASSERT_NE(world.at(1).receive(any, memory, 0, world.now()), kNoRequest);
  ASSERT_TRUE(world.complete(1, 2, milliseconds(10)));
  EXPECT_TRUE(memory == anew);
}

// Its receive has been posted, and the turn that would have shown it to that has not come.
TEST(EndpointLeft, WhatAReceiveWaitsForPassesWhatHasNoPlaceThoughItsSenderIsGone) {
  WorldOptions options;
  options.endpoint.limits.unexpected_messages = 1;
  World world(options);
  const std::vector<std::byte> log = content(1, 8), done = content(2, 8);
  for (int i = 0; i < 2; ++i) ASSERT_NE(world.send(0, 1, log), kNoRequest);
  ASSERT_TRUE(world.complete(0, 2));
  Pattern any;
  any.tag = 9;
  std::vector<std::byte> memory(8);
  ASSERT_NE(world.at(1).receive(any, memory, 0, world.now()), kNoRequest);
  world.run(milliseconds(1));
  world.asleep.insert(1);
  ASSERT_NE(world.send(0, 1, done, 9), kNoRequest);
  ASSERT_TRUE(world.run(milliseconds(1), [&] { return world.network.fabric(1, 0).has_events(); }));
  const std::uint64_t before = world.at(1).counts().payload_bytes_delivered;
  (void)world.at(1).turn(world.now());
  ASSERT_EQ(world.at(1).counts().payload_bytes_delivered, before + 8) << "it has arrived";
  world.at(1).fail({0}, world.life(0), world.now());
  world.asleep.clear();
  ASSERT_TRUE(world.complete(1, 1, milliseconds(10)));
  EXPECT_EQ(world.of[1][0].outcome, Outcome::delivered);
  EXPECT_TRUE(memory == done);
}

// What waits at process 1 of a peer that is gone, in the order in which it is received.
std::vector<std::vector<std::byte>> received_of_the_dead(World& world) {
  std::vector<std::vector<std::byte>> got;
  for (;;) {
    world.of[1].clear();
    std::vector<std::byte> memory(8);
    EXPECT_NE(world.receive(1, 0, memory), kNoRequest);
    if (!world.complete(1, 1, milliseconds(10))) return got;
    got.push_back(memory);
  }
}

// Lives come and go, and each leaves something that nobody receives. Not all of it can be kept.
TEST(EndpointLeft, WhatManyLivesLeaveDoesNotTakeTheRoomOfWhatIsReceived) {
  WorldOptions options;
  options.endpoint.limits.unexpected_messages = 1;
  options.endpoint.limits.requests = 4;  // and so many are kept beyond those, of the dead
  World world(options);
  const std::vector<std::byte> log = content(1, 8), asked = content(2, 8);
  for (int life = 0; life < 40; ++life) {
    std::vector<std::byte> memory(8);
    ASSERT_NE(world.receive(1, 0, memory, 9), kNoRequest);
    ASSERT_NE(world.send(0, 1, asked, 9), kNoRequest);
    ASSERT_TRUE(world.complete(1, 1, milliseconds(10))) << life;
    EXPECT_TRUE(memory == asked);
    ASSERT_NE(world.send(0, 1, log), kNoRequest);
    ASSERT_TRUE(world.complete(0, 2, milliseconds(10))) << life;
    world.at(1).fail({0}, world.life(0), world.now());
    world.restart(0);
    for (auto& [process, completed] : world.of) completed.clear();
  }
  EXPECT_TRUE(received_of_the_dead(world) == std::vector(1 + 4, log));
}

// Ten, of which one has a place to wait in and eight more are kept.
TEST(EndpointLeft, OfWhatThereIsNoRoomForTheLatestIsLost) {
  WorldOptions options;
  options.endpoint.limits.unexpected_messages = 1;
  options.endpoint.limits.requests = 8;
  World world(options);
  std::vector<std::vector<std::byte>> sent;
  for (std::size_t i = 0; i < 10; ++i) {
    sent.push_back(content(i, 8));
    ASSERT_NE(world.send(0, 1, sent[i]), kNoRequest);
    ASSERT_TRUE(world.complete(0, i + 1, milliseconds(10))) << i;
  }
  world.at(1).fail({0}, world.life(0), world.now());
  world.restart(0);
  sent.pop_back();
  EXPECT_TRUE(received_of_the_dead(world) == sent);
}

// What is lost with the dead takes no room of what is kept.
TEST(EndpointLeft, WhatHasArrivedTakesTheRoomOfWhatHadNot) {
  WorldOptions options;
  options.endpoint.limits.unexpected_messages = 1;
  options.endpoint.limits.requests = 2;
  World world(options);
  const std::vector<std::vector<std::byte>> sent = {content(1, 8), content(2, 8)};
  for (const auto& message : sent) ASSERT_NE(world.send(0, 1, message), kNoRequest);
  ASSERT_TRUE(world.complete(0, 2, milliseconds(10)));
  const std::vector<std::byte> asks = content(3, 100'000);
  for (int i = 0; i < 2; ++i) ASSERT_NE(world.send(0, 1, asks), kNoRequest);
  world.run(milliseconds(1));
  world.at(1).fail({0}, world.life(0), world.now());
  world.restart(0);
  EXPECT_TRUE(received_of_the_dead(world) == sent);
}

// All its bytes have come, in frames that do not say what it is matched by. No peer of ours leaves
// out the one that does.
TEST(EndpointLeft, WhatNeverSaidWhatItIsIsNobodysWhenItsSenderIsGone) {
  WorldOptions options;
  options.endpoint.checksum = "";
  World world(options);
  world.asleep.insert(0);
  Pattern any;
  any.mask = 0;
  std::vector<std::byte> memory(200);
  ASSERT_NE(world.at(1).receive(any, memory, 0, world.now()), kNoRequest);
  const auto come = [&](MessageFrameType type, std::uint32_t number, std::uint32_t bytes,
                        std::uint8_t index) {
    MessageHeader header;
    header.type = type;
    header.sender = ProcessId{0};
    header.packet = header.virtual_fragment = number;
    header.bytes = bytes;
    header.fragment_bytes = 100;
    header.index = index;
    std::vector<std::byte> frame(kMessageHeaderBytes + 100);
    encode_message_header(header, connection_seed(7, {0}, {0}, {1}, {0}), frame.data());
    world.network.fabric(1, 0).arrive(frame, world.now());
  };
  come(MessageFrameType::fragment, 0, 200, 1);
  come(MessageFrameType::data, 1, 100, 0);
  world.run(microseconds(10));
  ASSERT_EQ(world.at(1).counts().payload_bytes_delivered, 200u) << "all of it is there";
  world.at(1).fail({0}, world.life(0), world.now());
  world.run(milliseconds(1));
  EXPECT_TRUE(world.completed(1).empty());
}

}  // namespace
}  // namespace holdfast::reliable
