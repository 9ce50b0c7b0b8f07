// What an endpoint does with its rails beside carrying data on them: where acknowledgements and
// grants go, how long a stuck port is waited for, and what a probe measures.
#include <array>
#include <optional>

#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;

WorldOptions of_rails(std::vector<RailKind> rails) {
  WorldOptions options;
  options.rails = std::move(rails);
  return options;
}

// Messages of `bytes` from process 0 to process 1, all begun at once.
struct Burst {
  std::vector<std::vector<std::byte>> sent, got;
  Burst(World& world, std::size_t messages, std::size_t bytes) {
    for (std::size_t n = 0; n < messages; ++n) {
      sent.push_back(content(n, bytes));
      got.emplace_back(bytes);
    }
    for (std::size_t n = 0; n < messages; ++n) {
      EXPECT_NE(world.receive(1, 0, got[n], n), kNoRequest);
      EXPECT_NE(world.send(0, 1, sent[n], n), kNoRequest);
    }
  }
};

TEST(EndpointRails, UnlikeRailsEndAMessageTogether) {
  World world(of_rails({{.bytes_per_second = 400'000'000},
                        {.frame_bytes_max = 9048, .bytes_per_second = 100'000'000}}));
  for (int warm = 0; warm < 8; ++warm) {
    const Burst before(world, 1, 1'000'000);
    ASSERT_TRUE(world.complete(1, static_cast<std::size_t>(warm) + 1));
  }
  world.run(milliseconds(1));
  const Time begun = world.now();
  const Burst burst(world, 1, 1'000'000);
  ASSERT_TRUE(world.complete(1, 9));
  EXPECT_TRUE(burst.got == burst.sent);
  // 2 ms on both together, with headers, the request, the grant and the last frame of the slow one.
  EXPECT_LE(world.now() - begun, microseconds(2'500));
}

// A window of 64 KiB is 45 frames, and the slots are fewer.
TEST(EndpointRails, ThatShareFewSlotsFillTheirWindowsInATurn) {
  for (const std::size_t rails : {2u, 3u, 8u}) {
    WorldOptions options = of_rails(std::vector<RailKind>(rails, {.post_frames = 128}));
    options.endpoint.limits.send_slots = 32;
    World world(options);
    std::vector<Time> times;
    world.network.script = [&](const Flight& flight) {
      if (flight.carries_payload()) times.push_back(flight.at);
      return Fate{};
    };
    const Burst burst(world, 1, 1'000'000);
    ASSERT_TRUE(world.complete(1, 1));
    EXPECT_GE(std::ranges::count(times, times.at(0)), static_cast<std::ptrdiff_t>(45 * rails))
        << rails;
  }
}

// Every tenth frame of process 0 on rail 1 is lost.
TEST(EndpointRails, WhatARailHasCarriedAndLostIsCountedApart) {
  World world(of_rails({{}, {}}));
  std::array<std::array<RailTraffic, 2>, 2> expected{};  // by process and rail
  std::uint64_t lost = 0;
  world.network.script = [&](const Flight& flight) {
    RailTraffic& sent = expected[flight.from.value][flight.rail];
    ++sent.frames_sent;
    sent.bytes_sent += flight.bytes.size();
    if (flight.from.value == 0 && flight.rail == 1 && sent.frames_sent % 10 == 0) {
      lost += flight.carries_payload();
      return Fate{.copies = 0};
    }
    RailTraffic& received = expected[1 - flight.from.value][flight.rail];
    ++received.frames_received;
    received.bytes_received += flight.bytes.size();
    return Fate{};
  };
  const Burst burst(world, 4, 200'000);
  ASSERT_TRUE(world.complete(1, 4));
  ASSERT_TRUE(world.complete(0, 4));
  EXPECT_TRUE(burst.got == burst.sent);
  world.run(seconds(1));  // what was under way has come
  EXPECT_GT(lost, 10u);
  for (std::uint32_t process = 0; process < 2; ++process) {
    for (std::size_t rail = 0; rail < 2; ++rail) {
      SCOPED_TRACE(testing::Message() << "process " << process << ", rail " << rail);
      const RailTraffic traffic = world.at(process).traffic(rail);
      EXPECT_TRUE(traffic.is_up);
      EXPECT_EQ(traffic.frames_sent, expected[process][rail].frames_sent);
      EXPECT_EQ(traffic.bytes_sent, expected[process][rail].bytes_sent);
      EXPECT_EQ(traffic.frames_received, expected[process][rail].frames_received);
      EXPECT_EQ(traffic.bytes_received, expected[process][rail].bytes_received);
      EXPECT_EQ(traffic.fragments_given_up, process == 0 && rail == 1 ? lost : 0);
    }
  }
  EXPECT_EQ(world.at(0).counts().fragments_resent, lost);
}

// The grant is lost as often as it goes where the first one went.
TEST(EndpointRails, AGrantThatIsLostGoesOnTheOtherRail) {
  World world(of_rails({{}, {}}));
  std::vector<std::size_t> grants;
  world.network.script = [&](const Flight& flight) {
    if (!flight.has(Type::grant)) return Fate{};
    grants.push_back(flight.rail);
    return Fate{.copies = flight.rail == grants.front() ? 0 : 1};
  };
  const Burst burst(world, 1, 100'000);
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_TRUE(burst.got == burst.sent);
  ASSERT_EQ(grants.size(), 2u);
  EXPECT_NE(grants[0], grants[1]);
}

// 5 ms each, so that some wait 35 ms for their turn, and a timeout of 10 ms, as nothing measures
// the round trip of who only receives.
constexpr RailKind kSlow{.bytes_per_second = 20'000'000};

TEST(EndpointRails, GrantsThatWaitTheirTurnAreNotRepeated) {
  World world(of_rails({kSlow}));
  std::size_t grants = 0;
  world.network.script = [&](const Flight& flight) {
    grants += flight.has(Type::grant);
    return Fate{};
  };
  const Burst burst(world, 8, 100'000);
  ASSERT_TRUE(world.complete(1, 8));
  EXPECT_TRUE(burst.got == burst.sent);
  EXPECT_EQ(grants, 8u);
}

// Its port tells the sender that it is down, and nobody tells the receiver.
TEST(EndpointRails, AcknowledgementsLeaveARailOnWhichNothingComesAnyMore) {
  for (const std::size_t dies : {0u, 1u}) {
    World world(of_rails({{}, {}}));
    std::optional<Time> cut;
    std::size_t late = 0, after = 0;
    world.network.script = [&](const Flight& flight) {
      const bool acknowledges = flight.from == ProcessId{1} && flight.has(Type::acknowledgement);
      if (!acknowledges || !cut || flight.at < *cut + microseconds(1200)) return Fate{};
      ++(flight.rail == dies ? late : after);
      return Fate{};
    };
    std::vector<Burst> bursts;
    for (int n = 0; n < 40; ++n) {
      if (n == 10) {
        world.network.cut(dies);
        world.network.fabric(0, dies).happen(EventKind::port_down);
        cut = world.now();
      }
      bursts.emplace_back(world, 1, 100'000);
      ASSERT_TRUE(world.complete(1, bursts.size()));
    }
    EXPECT_EQ(late, 0u) << dies;
    EXPECT_GT(after, 10u);
  }
}

// It takes frames until it is full, and then neither sends nor says anything.
TEST(EndpointRails, APortThatStaysFullIsLeft) {
  World world(of_rails({{}, {}}));
  world.network.fabric(0, 0).room = 3;
  const Burst burst(world, 1, 1'000'000);
  ASSERT_TRUE(world.run(Time{} + milliseconds(19)));
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::up);
  EXPECT_GE(world.at(1).counts().payload_bytes_delivered, 900'000u) << "what the other one took";
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_TRUE(burst.got == burst.sent);
  EXPECT_LE(world.now(), Time{} + milliseconds(22)) << "after 20 ms without room";
  EXPECT_NE(world.at(0).health({1}, 0), RailHealth::up);
  EXPECT_EQ(world.at(0).health({1}, 1), RailHealth::up);
}

// All data is lost, and given up, before anything of it can be acknowledged.
TEST(EndpointRails, AProbeMeasuresTheRoundTripWhereNoDataDoes) {
  World world;
  world.network.script = [](const Flight& flight) {
    return Fate{.copies = flight.carries_payload() ? 0 : 1};
  };
  const Burst burst(world, 1, 20'000);
  world.run(milliseconds(30));
  EXPECT_GE(world.at(0).smoothed_round_trip({1}, 0), microseconds(20));
  EXPECT_LE(world.at(0).smoothed_round_trip({1}, 0), microseconds(25));
}

// What a turn brings is acknowledged by the next one, and not before the program has had its say.
TEST(EndpointRails, AnAcknowledgementIsOfTheNextTurn) {
  World world;
  std::size_t acknowledgements = 0;
  world.network.script = [&](const Flight& flight) {
    acknowledgements += flight.has(Type::acknowledgement);
    return Fate{};
  };
  const Burst burst(world, 1, 8);
  world.step();
  world.network.now += microseconds(20);
  world.network.deliver();
  EXPECT_EQ(world.at(1).turn(world.now()), world.now());
  world.network.launch();
  EXPECT_EQ(acknowledgements, 0u);
  EXPECT_GT(world.at(1).turn(world.now()), world.now());
  world.network.launch();
  EXPECT_EQ(acknowledgements, 1u);
}

}  // namespace
}  // namespace holdfast::reliable
