// Messages that are alone on their way: whatever becomes of them is as if they had been in lists.
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;

class EndpointLone : public ::testing::Test {
 protected:
  EndpointLone() : sent_(content(1, 8)), got_(8) {}

  // From 0 to 1, who has just looked: it goes when it is sent, and nothing else is under way.
  Request send_alone(World& world, std::uint64_t tag = 1) {
    world.step();
    const std::uint64_t frames = world.network.frames;
    const Request request = world.send(0, 1, sent_, tag);
    EXPECT_EQ(world.network.frames, frames + 1);
    return request;
  }
  // A frame of process 1, whatever it says, comes to process 0.
  static void come(World& world, MessageHeader header, std::size_t payload_bytes = 0) {
    header.sender = ProcessId{1};
    std::vector<std::byte> frame(kMessageHeaderBytes + payload_bytes);
    encode_message_header(header, connection_seed(7, {1}, {0}, {0}, {0}), frame.data());
    world.network.fabric(0, 0).arrive(frame, world.now());
    world.step();
  }
  void expect_delivered_once(World& world) {
    ASSERT_TRUE(world.complete(1, 1));
    ASSERT_TRUE(world.complete(0, 1));
    world.run(milliseconds(100));
    EXPECT_EQ(world.of[0].size(), 1u);
    EXPECT_EQ(world.of[1].size(), 1u);
    EXPECT_EQ(world.of[0][0].outcome, Outcome::delivered);
    EXPECT_TRUE(got_ == sent_);
    EXPECT_EQ(world.at(1).counts().payload_bytes_delivered, 8u);
  }

  std::vector<std::byte> sent_, got_;
};

// Those that go with the next turn, as who sends them has not looked for a while, are in the lists.
TEST_F(EndpointLone, IsWhatItWouldBeInLists) {
  for (const std::size_t count : {1u, 2u}) {
    SCOPED_TRACE(count);
    World alone, listed;
    std::vector<std::byte> into(8);
    for (World* const world : {&alone, &listed}) {
      world->run(milliseconds(1));
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_NE(world->receive(1, 0, world == &alone ? got_ : into), kNoRequest);
    }
    listed.asleep.insert(0);
    listed.run(milliseconds(1));
    listed.asleep.clear();
    for (std::size_t i = 0; i < count; ++i) ASSERT_NE(listed.send(0, 1, sent_), kNoRequest);
    EXPECT_EQ(listed.at(0).traffic(0).frames_sent, 0u);
    alone.run(milliseconds(1));
    for (std::size_t i = 0; i < count; ++i) send_alone(alone);
    for (World* const world : {&alone, &listed}) static_cast<void>(world->at(0).turn(world->now()));
    EXPECT_EQ(alone.at(0).counts().fragments_sent, count);
    EXPECT_EQ(listed.at(0).counts().fragments_sent, count);
    EXPECT_EQ(alone.at(0).counts().payload_bytes_sent, 8u * count);
    EXPECT_EQ(alone.at(0).hash(), listed.at(0).hash());
    for (World* const world : {&alone, &listed}) {
      ASSERT_TRUE(world->complete(0, count));
      EXPECT_EQ(world->of[0].back().bytes, 8u);
      EXPECT_EQ(world->of[0].back().envelope, (Envelope{ProcessId{1}, 0, 1}));
    }
    EXPECT_EQ(alone.at(0).hash(), listed.at(0).hash());
    EXPECT_EQ(alone.at(1).hash(), listed.at(1).hash());
    EXPECT_EQ(alone.at(0).smoothed_round_trip({1}, 0), listed.at(0).smoothed_round_trip({1}, 0));
  }
}

TEST_F(EndpointLone, IsSentAgainWhenItIsLost) {
  World world;
  ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
  int frames = 0;
  world.network.script = [&](const Flight& flight) {
    return Fate{.copies = flight.carries_payload() && ++frames <= 2 ? 0 : 1};
  };
  send_alone(world);
  expect_delivered_once(world);
  EXPECT_EQ(world.at(0).counts().fragments_resent, 2u);
}

TEST_F(EndpointLone, ArrivesOnceThoughItsAcknowledgementIsLost) {
  World world;
  ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
  int said = 0;
  world.network.script = [&](const Flight& flight) {
    return Fate{.copies = flight.has(Type::acknowledgement) && ++said <= 1 ? 0 : 1};
  };
  send_alone(world);
  expect_delivered_once(world);
  EXPECT_EQ(world.at(1).counts().fragments_duplicate, 1u);
}

// Of two the second is lost, and sent again.
TEST_F(EndpointLone, IsAcknowledgedThoughTheOneBehindItIsNot) {
  World world;
  std::vector<std::byte> second(8);
  ASSERT_NE(world.receive(1, 0, got_, 1), kNoRequest);
  ASSERT_NE(world.receive(1, 0, second, 2), kNoRequest);
  int frames = 0;
  world.network.script = [&](const Flight& flight) {
    return Fate{.copies = flight.carries_payload() && ++frames == 2 ? 0 : 1};
  };
  send_alone(world, 1);
  send_alone(world, 2);
  ASSERT_TRUE(world.complete(0, 1));
  ASSERT_EQ(world.of[0].size(), 1u);
  EXPECT_EQ(world.of[0][0].cookie, 1u);
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
  ASSERT_TRUE(world.complete(0, 2));
  EXPECT_EQ(world.of[0][1].cookie, 2u);
  EXPECT_EQ(world.at(0).counts().fragments_resent, 1u);
  EXPECT_TRUE(got_ == sent_);
  EXPECT_TRUE(second == sent_);
}

// The round trip that its acknowledgement brings is that of the one behind it, too, whose time-out
// was a guess before.
TEST_F(EndpointLone, IsSentAgainSoonBehindOneThatHasArrived) {
  WorldOptions options;
  options.rails[0].latency = microseconds(150);
  World world(options);
  std::vector<std::byte> second(8);
  ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
  ASSERT_NE(world.receive(1, 0, second), kNoRequest);
  int frames = 0;
  world.network.script = [&](const Flight& flight) {
    return Fate{.copies = flight.carries_payload() && ++frames == 2 ? 0 : 1};
  };
  send_alone(world);
  send_alone(world);
  EXPECT_GT(options.endpoint.round_trip.first, milliseconds(5));
  EXPECT_TRUE(world.complete(0, 2, milliseconds(5)));
}

TEST_F(EndpointLone, HasNoOtherBesideItWhereThePeerHasRoomForOne) {
  WorldOptions options;
  options.rails[0].peer_frames = 1;
  World world(options);
  send_alone(world);
  ASSERT_NE(world.send(0, 1, sent_), kNoRequest);
  EXPECT_EQ(world.at(0).traffic(0).frames_sent, 1u);
  EXPECT_TRUE(world.complete(0, 2));
}

TEST_F(EndpointLone, TwoHaveOneAcknowledgement) {
  World world;
  std::vector<std::byte> second(8);
  ASSERT_NE(world.receive(1, 0, got_, 1), kNoRequest);
  ASSERT_NE(world.receive(1, 0, second, 2), kNoRequest);
  world.step();
  ASSERT_NE(world.send(0, 1, sent_, 1), kNoRequest);
  ASSERT_NE(world.send(0, 1, sent_, 2), kNoRequest);
  EXPECT_EQ(world.at(0).traffic(0).frames_sent, 2u);
  world.asleep = {1};
  world.run(microseconds(50));
  world.asleep.clear();
  ASSERT_TRUE(world.complete(0, 2));
  EXPECT_EQ(world.of[0][0].cookie, 1u);
  EXPECT_EQ(world.of[0][1].cookie, 2u);
  EXPECT_EQ(world.at(1).counts().acknowledgements_sent, 1u);
  EXPECT_GT(world.at(0).smoothed_round_trip({1}, 0), Duration{});
  world.run(seconds(1));
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
}

// Both have arrived, but how long the way is the packet says that is named.
TEST_F(EndpointLone, OfTwoTheNamedOneIsMeasured) {
  for (const std::uint32_t named : {0u, 1u}) {
    World world;
    world.network.cut(0);
    send_alone(world);
    world.run(microseconds(50));
    send_alone(world);
    world.run(microseconds(7));
    MessageHeader header;
    header.type = Type::acknowledgement;
    header.all_before = header.message = 2;
    header.packet = named;
    come(world, header);
    EXPECT_EQ(world.of[0].size(), 2u);
    EXPECT_EQ(world.at(0).smoothed_round_trip({1}, 0), microseconds(named == 0 ? 57 : 7));
  }
}

// It is among those that wait for the end of the rail's outage, as any other.
TEST_F(EndpointLone, WaitsForARailThatIsDown) {
  World world;
  ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
  world.network.cut(0);
  send_alone(world);
  world.network.fabric(0, 0).happen(EventKind::port_down);
  world.run(seconds(2));
  EXPECT_TRUE(world.of[0].empty());
  world.network.mend(0);
  world.network.fabric(0, 0).happen(EventKind::port_up);
  expect_delivered_once(world);
}

TEST_F(EndpointLone, IsBeforeWhatIsSentAfterIt) {
  World world;
  std::vector<std::byte> second(8), third(40'000);
  const auto more = content(2, 8), most = content(3, 40'000);
  ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
  ASSERT_NE(world.receive(1, 0, second), kNoRequest);
  ASSERT_NE(world.receive(1, 0, third), kNoRequest);
  int frames = 0;
  world.network.script = [&](const Flight& flight) {  // the others overtake it
    return Fate{.copies = flight.carries_payload() && ++frames == 1 ? 0 : 1};
  };
  send_alone(world);
  ASSERT_NE(world.send(0, 1, more), kNoRequest);
  ASSERT_NE(world.send(0, 1, most), kNoRequest);
  ASSERT_TRUE(world.complete(1, 3));
  ASSERT_TRUE(world.complete(0, 3));
  EXPECT_TRUE(got_ == sent_);
  EXPECT_TRUE(second == more);
  EXPECT_TRUE(third == most);
}

TEST_F(EndpointLone, EndsWithItsPeer) {
  World world;
  world.network.cut(0);
  send_alone(world);
  world.at(0).fail({1}, world.life(1), world.now());
  ASSERT_TRUE(world.complete(0, 1));
  EXPECT_EQ(world.of[0][0].outcome, Outcome::peer_failed);
  // Nothing is left of it: as many may be sent to who comes back as ever.
  world.network.mend(0);
  world.restart(1);
  world.step();
  for (std::uint32_t i = 0; i < 512; ++i) EXPECT_NE(world.send(0, 1, sent_), kNoRequest) << i;
}

// It has not asked for a grant, what was never sent has not arrived, and an acknowledgement may be
// of something else.
TEST_F(EndpointLone, IsNotMovedByWhatIsNotAboutIt) {
  MessageHeader grant, late, early;
  grant.type = Type::grant;
  grant.upto = 8;
  grant.final = true;
  late.type = early.type = Type::acknowledgement;
  early.all_before = early.message = 2;
  for (const MessageHeader& header : {grant, late, early}) {
    World world;
    world.network.cut(0);
    send_alone(world);
    come(world, header);
    EXPECT_EQ(world.at(0).counts().out_of_place, header == late ? 0u : 1u);
    EXPECT_TRUE(world.of[0].empty());
    world.network.mend(0);
    ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
    expect_delivered_once(world);
  }
}

// The acknowledgement of messages that was due for an earlier packet: it says that the message has
// come, and not when.
TEST_F(EndpointLone, HasArrivedWhateverPacketItsAcknowledgementNames) {
  World world;
  world.network.cut(0);
  send_alone(world);
  MessageHeader header;
  header.type = Type::acknowledgement;
  header.all_before = header.message = 1;
  header.packet = 0xffff'ffff;
  come(world, header);
  ASSERT_EQ(world.of[0].size(), 1u);
  EXPECT_EQ(world.of[0][0].outcome, Outcome::delivered);
  EXPECT_EQ(world.at(0).smoothed_round_trip({1}, 0), Duration{});
  world.run(seconds(1));
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
}

// What is received of it is what its receive takes, and the first that does has it.
TEST_F(EndpointLone, MeetsTheReceiveThatWaitsLongest) {
  World world;
  std::vector<std::byte> open(8), exact(8), small(5);
  Pattern any;
  any.tag = 1;
  ASSERT_NE(world.at(1).receive(any, open, 10, world.now()), kNoRequest);
  ASSERT_NE(world.receive(1, 0, exact), kNoRequest);
  ASSERT_NE(world.receive(1, 0, small), kNoRequest);
  for (std::size_t i = 1; i <= 3; ++i) {
    sent_ = content(i, 8);
    send_alone(world);
    ASSERT_TRUE(world.complete(0, i));
    ASSERT_EQ(world.of[1].size(), i);
    EXPECT_EQ(world.of[1].back().cookie, i == 1 ? 10u : 1u);
    EXPECT_EQ(world.of[1].back().outcome, i == 3 ? Outcome::truncated : Outcome::delivered);
    EXPECT_EQ(world.of[1].back().bytes, 8u);
    EXPECT_EQ(world.of[1].back().envelope.source, ProcessId{0});
  }
  EXPECT_TRUE(open == content(1, 8));
  EXPECT_TRUE(exact == content(2, 8));
  const auto third = content(3, 8);
  EXPECT_TRUE(std::equal(small.begin(), small.end(), third.begin()));
}

// Those that came before it and wait are received before it.
TEST_F(EndpointLone, DoesNotOvertakeWhatWaits) {
  World world;
  std::vector<std::byte> first(8), second(8);
  send_alone(world);
  ASSERT_TRUE(world.complete(0, 1));
  const auto later = content(2, 8);
  world.step();
  ASSERT_NE(world.send(0, 1, later), kNoRequest);
  ASSERT_TRUE(world.complete(0, 2));
  ASSERT_NE(world.receive(1, 0, first), kNoRequest);
  ASSERT_NE(world.receive(1, 0, second), kNoRequest);
  ASSERT_TRUE(world.complete(1, 2));
  EXPECT_TRUE(first == sent_);
  EXPECT_TRUE(second == later);
}

// An answer takes the acknowledgement along for its peer, and others wait no longer for theirs.
TEST_F(EndpointLone, IsAcknowledgedInTheNextTurnThoughAnotherOneIsAnswered) {
  WorldOptions options;
  options.processes = 3;
  World world(options);
  std::vector<std::byte> from_2(8);
  ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
  ASSERT_NE(world.receive(1, 2, from_2), kNoRequest);
  world.step();
  ASSERT_NE(world.send(0, 1, sent_), kNoRequest);
  ASSERT_NE(world.send(2, 1, sent_), kNoRequest);
  world.asleep = {1};
  world.run(microseconds(20));
  EXPECT_EQ(world.at(1).turn(world.now()), world.now());
  ASSERT_NE(world.send(1, 2, sent_), kNoRequest);
  EXPECT_EQ(world.at(1).counts().acknowledgements_sent, 1u);
  static_cast<void>(world.at(1).turn(world.now()));
  EXPECT_EQ(world.at(1).counts().acknowledgements_sent, 2u);
}

// What process 0 has sent is answered by process 1, and the answer, which has the acknowledgement
// in front of it, lies before process 0.
class EndpointLoneAnswered : public EndpointLone {
 protected:
  EndpointLoneAnswered() : reply_(content(2, 8)), answer_(8) {}

  static WorldOptions shared_memory() {
    WorldOptions options;
    options.rails[0].polls_memory = true;
    return options;
  }
  void begin(World& world, bool is_waited_for = true) {
    ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
    if (is_waited_for) {
      ASSERT_NE(world.receive(0, 1, answer_, 2), kNoRequest);
    }
    send_alone(world);
    world.asleep = {0, 1};
    world.run(microseconds(20));
    static_cast<void>(world.at(1).turn(world.now()));
    ASSERT_NE(world.send(1, 0, reply_, 2), kNoRequest);
    ASSERT_EQ(world.at(1).counts().acknowledgements_sent, 1u);
    ASSERT_EQ(world.at(1).traffic(0).frames_sent, 1u);
    world.run(microseconds(20));
  }
  // What has completed at process 0 since.
  static std::vector<Completed> completed(World& world) {
    std::vector<Completed> some(8);
    some.resize(world.at(0).completed(some));
    return some;
  }

  std::vector<std::byte> reply_, answer_;
};

// The program has the answer first, and what it sends then is alone, too.
TEST_F(EndpointLoneAnswered, TheAnswerIsBeforeItsAcknowledgement) {
  World world(shared_memory());
  begin(world);
  EXPECT_EQ(world.at(0).turn(world.now()), world.now()) << "there is more to do";
  auto done = completed(world);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].cookie, 2u);
  EXPECT_TRUE(answer_ == reply_);
  ASSERT_NE(world.send(0, 1, sent_, 3), kNoRequest);
  EXPECT_EQ(world.at(0).traffic(0).frames_sent, 2u);
  EXPECT_TRUE(completed(world).empty());
  const Time due = world.at(0).turn(world.now());
  done = completed(world);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].cookie, 1u);
  EXPECT_GT(due, world.now());
}

// The program may wait for what it says.
TEST_F(EndpointLoneAnswered, WithoutAReceiveForTheAnswerItIsNotDeferred) {
  World world(shared_memory());
  begin(world, false);
  static_cast<void>(world.at(0).turn(world.now()));
  const auto done = completed(world);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].cookie, 1u);
}

TEST_F(EndpointLoneAnswered, WhereAPollIsACallItIsNotDeferred) {
  World world;
  begin(world);
  static_cast<void>(world.at(0).turn(world.now()));
  EXPECT_EQ(completed(world).size(), 2u);
}

// Its round trip ends when it came.
TEST_F(EndpointLoneAnswered, HowLongItIsDeferredIsNotOnTheWay) {
  World soon(shared_memory()), late(shared_memory());
  for (World* const world : {&soon, &late}) {
    begin(*world);
    static_cast<void>(world->at(0).turn(world->now()));
    if (world == &late) world->run(milliseconds(5));
    static_cast<void>(world->at(0).turn(world->now()));
    EXPECT_EQ(completed(*world).size(), 2u);
  }
  EXPECT_GT(soon.at(0).smoothed_round_trip({1}, 0), Duration{});
  EXPECT_EQ(soon.at(0).smoothed_round_trip({1}, 0), late.at(0).smoothed_round_trip({1}, 0));
}

// Two answers in one turn: each acknowledgement is handled, in its order.
TEST_F(EndpointLoneAnswered, OneIsDeferredAtATime) {
  World soon(shared_memory()), late(shared_memory());
  std::vector<std::byte> into(8);
  for (World* const world : {&soon, &late}) {
    begin(*world);
    ASSERT_NE(world->receive(1, 0, into), kNoRequest);
    ASSERT_NE(world->receive(0, 1, into, 2), kNoRequest);
    if (world == &soon) static_cast<void>(world->at(0).turn(world->now()));
    ASSERT_NE(world->send(0, 1, sent_), kNoRequest);
    if (world == &soon) static_cast<void>(world->at(0).turn(world->now()));
    world->run(microseconds(70));
    static_cast<void>(world->at(1).turn(world->now()));
    ASSERT_NE(world->send(1, 0, reply_, 2), kNoRequest);
    world->run(microseconds(20));
    for (int i = 0; i < 2; ++i) static_cast<void>(world->at(0).turn(world->now()));
    EXPECT_EQ(completed(*world).size(), 4u);
  }
  // The first one took as long as process 0 slept.
  EXPECT_LT(soon.at(0).smoothed_round_trip({1}, 0), microseconds(60));
  EXPECT_GT(late.at(0).smoothed_round_trip({1}, 0), microseconds(60));
}

// Each of several before one message is looked at, also the one that says what cannot be.
TEST_F(EndpointLoneAnswered, SeveralInOneDatagramAreHandled) {
  World world(shared_memory());
  world.network.cut(0);
  send_alone(world);
  MessageHeader header;
  header.type = Type::acknowledgement;
  header.sender = ProcessId{1};
  header.all_before = header.message = 2;  // only one has been sent
  std::vector<std::byte> datagram(3 * kMessageHeaderBytes);
  const ConnectionSeed seed = connection_seed(7, {1}, {0}, {0}, {0});
  encode_message_header(header, seed, datagram.data());
  header.all_before = header.message = 1;
  encode_message_header(header, seed, datagram.data() + kMessageHeaderBytes);
  header = {};
  header.type = Type::eager;
  header.sender = ProcessId{1};
  encode_message_header(header, seed, datagram.data() + 2 * kMessageHeaderBytes);
  world.network.fabric(0, 0).arrive(datagram, world.now());
  world.step();
  EXPECT_EQ(world.at(0).counts().out_of_place, 1u);
  EXPECT_EQ(world.of[0].size(), 1u);
}

// Who sleeps until the time-out has passed hears of it all the same before that counts.
TEST_F(EndpointLoneAnswered, NoDeadlinePassesBeforeIt) {
  World world(shared_memory());
  begin(world);
  world.run(seconds(3));
  static_cast<void>(world.at(0).turn(world.now()));
  EXPECT_EQ(completed(world).size(), 2u);
  world.run(seconds(3));
  static_cast<void>(world.at(0).turn(world.now()));
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
}

// What waits for room in the window goes in the turn in which there is some.
TEST_F(EndpointLoneAnswered, NothingThatWaitsIsHeldUp) {
  WorldOptions options = shared_memory();
  options.adjust = [](ProcessId p, EndpointOptions& of) {
    if (p == ProcessId{0}) of.limits.window_bytes = 1200;
  };
  World world(options);
  sent_ = content(1, 1000);
  begin(world);
  ASSERT_NE(world.send(0, 1, sent_), kNoRequest);
  EXPECT_EQ(world.at(0).traffic(0).frames_sent, 1u);
  static_cast<void>(world.at(0).turn(world.now()));
  EXPECT_EQ(world.at(0).traffic(0).frames_sent, 2u);
}

// More may follow from what is said of others than lone ones.
TEST_F(EndpointLoneAnswered, WhatIsOfOthersIsNotDeferred) {
  World world(shared_memory());
  ASSERT_NE(world.receive(0, 1, answer_, 2), kNoRequest);
  world.step();
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
    ASSERT_NE(world.send(0, 1, sent_), kNoRequest);
  }
  world.step();
  world.asleep = {0, 1};
  world.run(microseconds(20));
  static_cast<void>(world.at(1).turn(world.now()));
  ASSERT_NE(world.send(1, 0, reply_, 2), kNoRequest);
  world.run(microseconds(20));
  static_cast<void>(world.at(0).turn(world.now()));
  EXPECT_EQ(completed(world).size(), 4u);
}

TEST_F(EndpointLoneAnswered, ItCountsBeforeThePeerEnds) {
  World world(shared_memory());
  begin(world);
  static_cast<void>(world.at(0).turn(world.now()));
  ASSERT_EQ(completed(world).size(), 1u);
  world.at(0).fail({1}, world.life(1), world.now());
  const auto done = completed(world);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].outcome, Outcome::delivered);
}

TEST_F(EndpointLoneAnswered, ItCountsForWhoTakesNoMoreTurns) {
  World world(shared_memory());
  begin(world);
  static_cast<void>(world.at(0).turn(world.now()));
  ASSERT_EQ(completed(world).size(), 1u);
  world.at(0).settle();
  const auto done = completed(world);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].cookie, 1u);
}

// The credit that it gives back is all there is.
TEST_F(EndpointLoneAnswered, ItCountsBeforeSomethingElseIsSent) {
  WorldOptions options = shared_memory();
  options.endpoint.limits.unexpected_bytes = 1024;  // a unit of credit
  World world(options);
  begin(world);
  static_cast<void>(world.at(0).turn(world.now()));
  ASSERT_EQ(completed(world).size(), 1u);
  int eager = 0;
  world.network.script = [&](const Flight& flight) {
    eager += flight.carries_payload() ? 1 : 0;
    return Fate{};
  };
  ASSERT_NE(world.send(0, 1, sent_, 3), kNoRequest);
  world.run(microseconds(20));
  EXPECT_EQ(eager, 1);
}

// Each takes credit and gives it back: more than there is altogether go there, one by one.
TEST_F(EndpointLone, GivesItsCreditBack) {
  WorldOptions options;
  options.endpoint.limits.unexpected_bytes = 64 * 1024;
  World world(options);
  for (std::size_t i = 1; i <= 300; ++i) {
    ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
    send_alone(world);
    ASSERT_TRUE(world.complete(0, i));
  }
  // A request would have gone in a frame more.
  EXPECT_EQ(world.at(0).traffic(0).frames_sent, 300u);
}

// Its receiver counts what its sender has used, too.
TEST_F(EndpointLone, UsesCredit) {
  World world;
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_NE(world.receive(1, 0, got_), kNoRequest);
    send_alone(world);
    ASSERT_TRUE(world.complete(0, i));
  }
  send_alone(world);
  EXPECT_TRUE(world.complete(0, 4, milliseconds(10))) << "it is kept";
}

// Each says that its message is so long that the charges of both would make 2^32 KiB, which is
// none.
TEST_F(EndpointLone, FramesThatSayWhatNoCreditCoversUseItUp) {
  World world;
  MessageHeader header;
  header.type = Type::eager;
  header.bytes = std::uint64_t{1} << 41;
  for (header.message = 500; header.message < 502; ++header.message) come(world, header, 8);
  ASSERT_NE(world.send(1, 0, sent_), kNoRequest);
  EXPECT_FALSE(world.complete(1, 1, milliseconds(10))) << "it is not kept";
  ASSERT_NE(world.receive(0, 1, got_), kNoRequest);
  EXPECT_TRUE(world.complete(1, 1));
  EXPECT_TRUE(got_ == sent_);
}

}  // namespace
}  // namespace holdfast::reliable
