// What is said and done before all that has come has been looked at.
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;

// Who computed, and then receives a message that had asked before, has heard what waits for him.
TEST(EndpointLook, WhoHasNotLookedDeniesNoRail) {
  WorldOptions options;
  options.rails.resize(2);
  World world(options);
  std::vector<std::byte> heard;
  world.network.script = [&](const Flight& flight) {
    if (flight.has(Type::grant)) heard.push_back(flight.find(Type::grant)[25]);
    return Fate{};
  };
  const std::vector<std::byte> sent = content(1, 100'000);
  std::vector<std::byte> got(sent.size());
  ASSERT_NE(world.send(0, 1, sent), kNoRequest);
  world.run(milliseconds(1));
  world.asleep.insert(1);
  world.run(milliseconds(20));
  ASSERT_NE(world.receive(1, 0, got), kNoRequest);
  world.asleep.clear();
  ASSERT_TRUE(world.complete(1, 1));
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0] & std::byte{3}, std::byte{3});
}

// What goes when it is sent, and on which rail that will be.
TEST(EndpointLook, ARailIsPreparedForWhatGoesAtOnce) {
  for (const std::size_t rails : {1u, 2u}) {
    WorldOptions options;
    options.rails.resize(rails);
    World world(options);
    const std::vector<std::byte> sent = content(1, 8);
    world.network.now = world.now() + milliseconds(1);
    ASSERT_NE(world.send(0, 1, sent), kNoRequest);
    EXPECT_EQ(world.network.fabric(0, 0).prepared_after_posts, -1) << "it has not looked";
    world.run(milliseconds(1));
    world.at(0).turn(world.now());
    const auto posts = static_cast<std::int64_t>(world.network.fabric(0, 0).posts);
    ASSERT_NE(world.send(0, 1, sent), kNoRequest);
    EXPECT_EQ(world.network.fabric(0, 0).prepared_after_posts, rails == 1 ? posts : -1);
  }
}

// More than one turn reads, of no connection.
void flood(World& world, std::uint32_t process, std::size_t frames) {
  const std::vector<std::byte> noise(8);
  for (std::size_t i = 0; i < frames; ++i) {
    world.network.fabric(process, 0).arrive(noise, world.now());
  }
}

// Long frames are as long a flood as more short ones.
TEST(EndpointLook, ATurnEndsAfterSoManyBytes) {
  WorldOptions options;
  options.rails[0].frame_bytes_max = 128 << 10;
  World world(options);
  const std::vector<std::byte> noise(128 << 10);
  for (int i = 0; i < 600; ++i) world.network.fabric(0, 0).arrive(noise, world.now());
  EXPECT_EQ(world.at(0).turn(world.now()), world.now()) << "there is more";
  EXPECT_GE(world.at(0).traffic(0).bytes_received, 64u << 20);
  EXPECT_LT(world.at(0).traffic(0).frames_received, 600u);
}

TEST(EndpointLook, AFloodDoesNotKeepLossesFromBeingMended) {
  World world;
  bool lose = true;
  world.network.script = [&](const Flight&) { return Fate{.copies = lose ? 0 : 1}; };
  const std::vector<std::byte> sent = content(1, 8);
  std::vector<std::byte> got(8);
  ASSERT_NE(world.receive(1, 0, got), kNoRequest);
  ASSERT_NE(world.send(0, 1, sent), kNoRequest);
  world.step();
  lose = false;
  std::array<Completed, 1> completed;
  std::size_t arrived = 0;
  for (int i = 0; i < 40 && arrived == 0; ++i) {
    world.network.now = world.now() + milliseconds(1);
    flood(world, 0, 5000);
    EXPECT_EQ(world.at(0).turn(world.now()), world.now()) << "there is more";
    world.network.launch();
    world.network.now = world.now() + microseconds(50);
    world.network.deliver();
    world.at(1).turn(world.now());
    arrived = world.at(1).completed(completed);
  }
  EXPECT_EQ(arrived, 1u);
  EXPECT_TRUE(got == sent);
}

// Process 0 sends to process 1, who is asleep; its probes are counted.
void ask_a_sleeper(World& world, const std::vector<std::byte>& sent, std::size_t& probes) {
  world.network.script = [&probes](const Flight& flight) {
    if (flight.has(Type::probe) && flight.from == ProcessId{0}) ++probes;
    return Fate{};
  };
  world.asleep.insert(1);
  ASSERT_NE(world.send(0, 1, sent), kNoRequest);
}

// An answer that waits behind a flood is no lost probe.
TEST(EndpointLook, WhatIsUnreadCountsAgainstNoRail) {
  WorldOptions options;
  options.rails.resize(2);
  options.endpoint.round_trip.first = milliseconds(1);
  World world(options);
  const std::vector<std::byte> sent = content(1, 8);
  std::size_t probes = 0;
  ask_a_sleeper(world, sent, probes);
  ASSERT_TRUE(world.run(milliseconds(5), [&] { return probes > 0; }));
  const std::size_t before = probes;
  flood(world, 0, 6000);
  world.network.now = world.now() + milliseconds(5);
  EXPECT_EQ(world.at(0).turn(world.now()), world.now()) << "there is more";
  world.network.launch();
  EXPECT_EQ(probes, before);
  world.at(0).turn(world.now());
  world.network.launch();
  EXPECT_GT(probes, before) << "now it is known that there was no answer";
}

// Turns that only look are looks, too.
TEST(EndpointLook, AFloodAfterAQuietTimeIsReadFirst) {
  WorldOptions options;
  options.rails.resize(2);
  options.endpoint.round_trip.first = milliseconds(40);
  World world(options);
  const std::vector<std::byte> sent = content(1, 8);
  std::size_t probes = 0;
  ask_a_sleeper(world, sent, probes);
  world.step();
  const Time begun = world.now();
  for (int i = 0; i < 35; ++i) {
    world.network.now = world.now() + milliseconds(1);
    EXPECT_GT(world.at(0).turn(world.now()), world.now());
  }
  flood(world, 0, 6000);
  world.network.now = begun + milliseconds(41);
  EXPECT_EQ(world.at(0).turn(world.now()), world.now()) << "there is more";
  world.network.launch();
  EXPECT_EQ(probes, 0u);
  world.at(0).turn(world.now());
  world.network.launch();
  EXPECT_GT(probes, 0u) << "now it is known that there was no answer";
}

// Neither the future nor a time before all time can have been asked for.
TEST(EndpointLook, AnAnswerToNoProbeSaysNothing) {
  World world;
  world.network.script = [&](const Flight& flight) {
    return Fate{.copies = flight.has(Type::eager) ? 0 : 1};
  };
  const std::vector<std::byte> sent = content(1, 8);
  ASSERT_NE(world.send(0, 1, sent), kNoRequest);
  world.run(milliseconds(1));
  for (const std::uint64_t stamp : {std::uint64_t{1'000'000'000}, std::uint64_t{1} << 63}) {
    MessageHeader answer;
    answer.type = Type::answer;
    answer.sender = ProcessId{1};
    answer.stamp = stamp;
    std::vector<std::byte> frame(kMessageHeaderBytes);
    encode_message_header(answer, connection_seed(7, {1}, {0}, {0}, {0}), frame.data());
    world.network.fabric(0, 0).arrive(frame, world.now());
    world.run(milliseconds(1));
    EXPECT_EQ(world.at(0).counts().fragments_resent, 0u) << stamp;
  }
}

}  // namespace
}  // namespace holdfast::reliable
