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

}  // namespace
}  // namespace holdfast::reliable
