// Grants are repeated when they are lost, soon, and not while their turn has not come.
#include <deque>
#include <optional>

#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;

class EndpointGrants : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 1'000'000;  // a millisecond of the wire

  static WorldOptions options(std::size_t rails) {
    WorldOptions options;
    options.rails.assign(rails, RailKind{});
    options.endpoint.round_trip.first = milliseconds(1);
    return options;
  }
  // Messages that are granted long before their data comes.
  void begin(World& world, std::size_t messages) {
    for (std::size_t i = 0; i < messages; ++i) {
      got_.emplace_back(kBytes);
      ASSERT_NE(world.receive(1, 0, got_.back()), kNoRequest);
      ASSERT_NE(world.send(0, 1, sent_), kNoRequest);
    }
  }

  std::vector<std::byte> sent_ = content(1, kBytes);
  std::deque<std::vector<std::byte>> got_;
};

TEST_F(EndpointGrants, WhatWaitsForItsTurnIsNotGrantedAgain) {
  World world(options(1));
  std::size_t grants = 0, probes = 0;
  world.network.script = [&](const Flight& flight) {
    if (flight.has(Type::grant)) ++grants;
    if (flight.has(Type::probe)) ++probes;
    return Fate{};
  };
  begin(world, 40);
  ASSERT_TRUE(world.complete(1, 40));
  EXPECT_EQ(grants, 40u);
  EXPECT_EQ(probes, 0u);
}

TEST_F(EndpointGrants, OneThatIsLostTwiceAfterAStreamIsRepeatedSoon) {
  World world(options(1));
  std::size_t of_last = 0;
  world.network.script = [&](const Flight& flight) {
    const bool is_of_last = flight.has(Type::grant) &&
                            load_le<std::uint32_t>(flight.find(Type::grant).data() + 12) == 59;
    return Fate{.copies = is_of_last && ++of_last <= 2 ? 0 : 1};
  };
  begin(world, 59);
  world.run(milliseconds(40));
  begin(world, 1);
  ASSERT_TRUE(world.complete(1, 59));
  const Time others = world.now();
  ASSERT_TRUE(world.complete(1, 60));
  EXPECT_TRUE(got_.back() == sent_);
  EXPECT_LE(world.now() - others, milliseconds(5)) << "two time-outs, of 1 and 2 ms, and its data";
}

// The last one before the end of an outage was sent up to a second ago, and its patience is as
// long.
TEST_F(EndpointGrants, ThoseOfAnOutageAreRepeatedWhenItIsOver) {
  for (const std::size_t rails : {std::size_t{1}, std::size_t{2}}) {
    for (const Duration lasts : {milliseconds(1500), milliseconds(2500), milliseconds(5300)}) {
      WorldOptions outage = options(rails);
      World world(outage);
      ASSERT_NE(world.send(0, 1, sent_), kNoRequest);
      world.run(milliseconds(2));
      const Time over = world.now() + lasts;
      std::size_t grants = 0;
      world.network.script = [&](const Flight& flight) {
        if (flight.has(Type::grant) && flight.at >= over) ++grants;
        return Fate{.copies = flight.at < over ? 0 : 1};
      };
      got_.emplace_back(kBytes);
      ASSERT_NE(world.receive(1, 0, got_.back()), kNoRequest);
      ASSERT_TRUE(world.complete(1, 1));
      EXPECT_LE(world.now() - over, outage.endpoint.rails.probe_interval_silent + milliseconds(5))
          << rails << " rails, " << lasts.ns / 1'000'000 << " ms";
      EXPECT_LE(grants, 2u);
    }
  }
}

// Many are due at the same time, and then again, as all are lost: those that find no slot shall not
// wait until they would be repeated.
TEST_F(EndpointGrants, ThoseThatFindNoSlotWaitForNoMoreThanThat) {
  constexpr Duration kPatience = milliseconds(100);
  for (const bool is_inline : {true, false}) {
    WorldOptions few = options(1);
    few.rails[0].is_inline = is_inline;
    few.endpoint.round_trip.first = kPatience;
    few.endpoint.limits.send_slots = 8;
    few.endpoint.limits.eager_bytes_max = 0;
    World world(few);
    std::size_t grants = 0;
    world.network.script = [&](const Flight& flight) {
      const bool loses = flight.has(Type::grant) && ++grants <= 60;
      return Fate{.copies = loses ? 0 : 1};
    };
    const std::vector<std::byte> sent = content(1, 50);
    for (int i = 0; i < 60; ++i) ASSERT_NE(world.send(0, 1, sent), kNoRequest);
    world.run(milliseconds(1));
    std::vector<std::byte> got(50);
    for (int i = 0; i < 60; ++i) ASSERT_NE(world.receive(1, 0, got), kNoRequest);
    const Time posted = world.now();
    ASSERT_TRUE(world.complete(1, 60)) << is_inline;
    EXPECT_LE(world.now() - posted, kPatience + microseconds(35)) << "and a round trip of 20";
    EXPECT_EQ(grants, 120u) << is_inline;
  }
}

// Its grant was lost, and those of all others were not: who receives in order waits for it alone.
TEST_F(EndpointGrants, OneThatIsLateIsServedBeforeLaterMessages) {
  World world(options(1));
  bool is_lost = false;
  world.network.script = [&](const Flight& flight) {
    const bool is_of_third = flight.has(Type::grant) &&
                             load_le<std::uint32_t>(flight.find(Type::grant).data() + 12) == 2;
    const bool loses = is_of_third && !is_lost;
    is_lost = is_lost || loses;
    return Fate{.copies = loses ? 0 : 1};
  };
  begin(world, 40);
  ASSERT_TRUE(world.complete(1, 10));
  EXPECT_TRUE(is_lost);
  EXPECT_TRUE(got_[2] == sent_);
  ASSERT_TRUE(world.complete(1, 40));
}

// The rail dies on the way back, and its port says so.
TEST_F(EndpointGrants, OneOfARailThatIsLeftIsRepeatedAtOnce) {
  WorldOptions two = options(2);
  two.endpoint.round_trip.first = milliseconds(20);
  World world(two);
  std::optional<std::size_t> lost_on;
  world.network.script = [&](const Flight& flight) {
    if (flight.has(Type::grant) && !lost_on) lost_on = flight.rail;
    return Fate{.copies = flight.from == ProcessId{1} && flight.rail == lost_on ? 0 : 1};
  };
  begin(world, 1);
  ASSERT_TRUE(world.run(milliseconds(1), [&] { return lost_on.has_value(); }));
  world.network.fabric(1, *lost_on).happen(EventKind::port_down);
  ASSERT_TRUE(world.complete(1, 1, milliseconds(5)));
  EXPECT_TRUE(got_.back() == sent_);
}

}  // namespace
}  // namespace holdfast::reliable
