// The known faults of the published code as tests, and what else goes wrong: losses, corruption,
// rails that die in one direction or both, peers that die and come back.
#include <optional>

#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;

// Two rails that are alike.
WorldOptions two_rails() {
  WorldOptions options;
  options.rails = {RailKind{}, RailKind{}};
  return options;
}

// The published code acknowledged, with the last fragment, all others, corrupt ones too.
TEST(EndpointFaults, OnlyFragmentsWhoseChecksumIsRightAreAcknowledged) {
  for (const std::size_t bytes : {std::size_t{14'000}, std::size_t{140'000}}) {
    World world;
    int frames = 0;
    world.network.script = [&](const Flight& flight) {
      const bool carries = flight.carries_payload();
      // The third and the seventh of the message.
      const bool corrupt = carries && (++frames == 3 || frames == 7);
      return Fate{.corrupt = corrupt ? 500 : -1};
    };
    Exchange exchange(bytes);
    exchange.begin(world);
    ASSERT_TRUE(world.complete(1, 1));
    ASSERT_TRUE(world.complete(0, 1));
    EXPECT_TRUE(exchange.got == exchange.sent);
    EXPECT_EQ(world.at(1).counts().corrupt_payload, 2u);
    EXPECT_EQ(world.at(0).counts().fragments_resent, 2u);
    EXPECT_EQ(world.at(1).counts().fragments_duplicate, 0u);
  }
}

// The published code said nothing if the fragment that came last was the corrupt one.
TEST(EndpointFaults, ACorruptLastFragmentIsAskedForAtOnce) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{14'000}, std::size_t{140'000}}) {
    World world;
    Exchange first(bytes);  // measures the round trip
    first.begin(world, 9);
    ASSERT_TRUE(world.complete(1, 1));
    world.run(milliseconds(1));
    const std::size_t last = (bytes + 1399) / 1400;
    std::size_t frames = 0;
    world.network.script = [&](const Flight& flight) {
      const bool carries = flight.carries_payload();
      return Fate{.corrupt = carries && ++frames == last ? 50 : -1};
    };
    Exchange exchange(bytes);
    const Time begun = world.now();
    exchange.begin(world);
    ASSERT_TRUE(world.complete(1, 2));
    EXPECT_TRUE(exchange.got == exchange.sent);
    EXPECT_EQ(world.at(1).counts().corrupt_payload, 1u);
    // The wire's time of all, a request with its grant, the fragment, the word that it was corrupt,
    // and the fragment again: no time-out, of which the least is 200 us.
    const Duration wire = nanoseconds(static_cast<std::int64_t>(bytes + 48 * (last + 4)));
    EXPECT_LE(world.now() - begun, wire + microseconds(10) * 5 + microseconds(2)) << bytes;
  }
}

// The published code made a frame of nothing if there was no room for an acknowledgement, to send
// it later.
TEST(EndpointFaults, AnAcknowledgementThatFindsNoRoomSaysTheSameLater) {
  for (const bool is_inline : {true, false}) {
    WorldOptions options;
    options.rails[0].is_inline = is_inline;
    World world(options);
    Exchange first(14'000);  // measures the round trip
    first.begin(world, 9);
    ASSERT_TRUE(world.complete(0, 1));
    int frames = 0, acknowledgements = 0;
    world.network.script = [&](const Flight& flight) {
      if (flight.has(Type::acknowledgement)) ++acknowledgements;
      const bool is_third = flight.carries_payload() && ++frames == 3;
      return Fate{.corrupt = is_third ? 500 : -1};
    };
    ScriptedFabric& rail = world.network.fabric(1, 0);
    rail.room = 0;
    Exchange exchange(14'000);
    exchange.begin(world);
    world.run(microseconds(60));
    EXPECT_EQ(frames, 10);
    EXPECT_EQ(acknowledgements, 0);
    rail.room = static_cast<std::size_t>(-1);
    rail.happen(EventKind::writable);
    ASSERT_TRUE(world.complete(0, 2));
    EXPECT_TRUE(exchange.got == exchange.sent);
    EXPECT_GT(acknowledgements, 0);
    EXPECT_EQ(world.at(1).counts().corrupt_payload, 1u);
    EXPECT_EQ(world.at(0).counts().fragments_resent, 1u);
    EXPECT_EQ(world.at(1).counts().fragments_duplicate, 0u);
    const EndpointCounts senders = world.at(0).counts();
    EXPECT_EQ(senders.malformed + senders.unverified + senders.out_of_place, 0u);
  }
}

// Nothing that comes from the wire says where in memory anything is: frames of all kinds with any
// numbers, of the right connection, are harmless.
TEST(EndpointFaults, NumbersOfTheWireAreLookedUp) {
  World world;
  const ConnectionSeed seed = connection_seed(7, {0}, {0}, {1}, {0});
  Random random(1, 2, 3);
  std::vector<std::byte> memory(20'000);
  for (int i = 0; i < 20'000; ++i) {
    MessageHeader header;
    header.type = static_cast<Type>(1 + random.below(8));
    header.sender = ProcessId{0};
    const auto number = [&] {
      return static_cast<std::uint32_t>(random.next() >> random.below(64));
    };
    header.packet = number();
    header.message = number();
    header.virtual_fragment = number() & 0xffff;
    header.bytes = number();
    header.offset = random.next() >> random.below(64);
    header.fragment_bytes = number();
    header.index = static_cast<std::uint8_t>(random.below(64));
    header.all_before = header.message - static_cast<std::uint32_t>(random.below(1000));
    header.of_fragments = random.below(2) == 0;
    header.mask = random.next();
    header.credit = static_cast<std::uint16_t>(number());
    header.rail = static_cast<std::uint8_t>(random.below(8));
    header.heard = static_cast<std::uint8_t>(random.next());
    header.upto = random.next() >> random.below(64);
    header.stamp = random.next() >> random.below(64);
    if (header.type == Type::fragment || header.type == Type::data) {
      header.bytes = std::min<std::uint64_t>(header.bytes, 64 * 100);
      header.fragment_bytes = 100;
    }
    std::vector<std::byte> frame(kMessageHeaderBytes);
    if (has_payload(header.type)) {
      frame.resize(kMessageHeaderBytes + std::min<std::uint64_t>(header.bytes, 100));
    }
    encode_message_header(header, seed, frame.data());
    world.network.fabric(1, 0).arrive(frame, world.now());
    if (i % 16 == 0) world.at(1).turn(world.now());
    if (i % 512 == 0) {
      Pattern any;
      any.mask = 0;
      static_cast<void>(world.at(1).receive(any, memory, 0, world.now()));
    }
  }
  world.run(milliseconds(100));
  EXPECT_GT(world.at(1).counts().out_of_place, 0u);
}

TEST(EndpointFaults, OnlyWhatIsLostIsSentAgain) {
  for (const double lost : {1e-3, 1e-2}) {
    WorldOptions options;
    World world(options);
    Random random(static_cast<std::uint64_t>(1 / lost), 0, 0);
    std::uint64_t gone = 0;
    world.network.script = [&](const Flight& flight) {
      const bool carries = flight.carries_payload();
      const bool is_lost = random.unit() < lost;
      if (is_lost && carries) ++gone;
      return Fate{.copies = is_lost ? 0 : 1};
    };
    for (int i = 0; i < 20; ++i) {
      Exchange exchange(1'000'000);
      exchange.begin(world);
      ASSERT_TRUE(world.complete(1, static_cast<std::size_t>(i) + 1));
      EXPECT_TRUE(exchange.got == exchange.sent);
      ASSERT_TRUE(world.complete(0, static_cast<std::size_t>(i) + 1));
    }
    EXPECT_GT(gone, 5u);
    EXPECT_LE(world.at(0).counts().fragments_resent, gone * 12 / 10 + 1) << gone << " lost";
  }
}

// An acknowledgement names 64 messages; so many arrive in one turn that several are needed.
TEST(EndpointFaults, OfManySmallMessagesOnlyTheLostOneIsSentAgain) {
  for (const bool loses_an_acknowledgement : {false, true}) {
    World world;
    int frames = 0, acknowledgements = 0;
    world.network.script = [&](const Flight& flight) {
      const bool is_fifth = flight.has(Type::eager) && ++frames == 10;
      const bool is_second = flight.has(Type::acknowledgement) && ++acknowledgements == 2;
      return Fate{.copies = is_fifth || (is_second && loses_an_acknowledgement) ? 0 : 1,
                  // All arrive at one time.
                  .later = Time{} + microseconds(100) - flight.at};
    };
    std::vector<std::byte> got(8);
    const std::vector<std::byte> sent = content(1, 8);
    for (int i = 0; i < 200; ++i) {
      ASSERT_NE(world.receive(1, 0, got), kNoRequest);
      ASSERT_NE(world.send(0, 1, sent), kNoRequest);
    }
    world.run(microseconds(300));
    world.network.script = {};
    ASSERT_TRUE(world.complete(0, 200));
    EXPECT_EQ(world.at(0).counts().fragments_resent, 1u);
    EXPECT_EQ(world.at(1).counts().fragments_duplicate, 0u);
  }
}

// Loses each third message of some process, the first one among them, until a time.
struct ThirdsAreLate {
  ProcessId of;
  Time until;
  std::uint32_t first = 0;  // number
  Fate operator()(const Flight& flight) const {
    const auto frame = flight.find(Type::eager);
    const bool is_third = !frame.empty() && flight.from == of &&
                          (load_le<std::uint32_t>(frame.data() + 12) - first) % 3 == 0;
    return Fate{.copies = is_third && flight.at < until ? 0 : 1};
  }
};

// Sends short messages until a time, as many as go, and the one that the program waits for.
void send_many(World& world, std::uint32_t from, Time until, std::optional<int> awaited) {
  static const std::vector<std::byte> sent = content(1, 8);
  for (int i = 0; world.now() < until; world.run(microseconds(50))) {
    while (world.send(from, 1, sent, i == awaited ? 2 : 1) != kNoRequest) ++i;
  }
}

// What waits to be received, so that it does not take its places for good.
void receive_all(World& world, std::uint32_t at, std::uint32_t from) {
  std::vector<std::byte> got(8);
  Pattern any;
  any.source = ProcessId{from};
  any.mask = 0;
  for (Waiting waiting; world.at(at).probe(any, waiting);) {
    const std::size_t before = world.of[at].size();
    ASSERT_NE(world.at(at).receive(any, got, 0, world.now()), kNoRequest);
    ASSERT_TRUE(world.complete(at, before + 1, milliseconds(1)));
  }
}

WorldOptions few_places(std::uint32_t processes) {
  WorldOptions options;
  options.processes = processes;
  options.endpoint.limits.peers = processes - 1;
  options.endpoint.limits.requests = options.endpoint.limits.unexpected_messages = 40;
  return options;
}

// Two of three arrive, and wait for the third: more than there are places for. The program waits
// for one in the middle. Each life ends with holes, and in the next one as many are early.
TEST(EndpointFaults, WhatIsMissingHasAPlaceBeforeWhatIsEarly) {
  for (const std::uint32_t first : {0u, 0u - 50}) {
    WorldOptions options = few_places(2);
    options.endpoint.first_number = first;
    World world(options);
    std::vector<std::byte> got(8);
    std::optional<std::size_t> were_early;
    for (int life = 0; life < 3; ++life) {
      world.of[0].clear();
      world.of[1].clear();
      ASSERT_NE(world.receive(1, 0, got, 2), kNoRequest);
      const Time well = world.now() + milliseconds(5);
      world.network.script = ThirdsAreLate{{0}, well, first};
      send_many(world, 0, well, 20);
      const std::size_t early = world.of[0].size();
      EXPECT_EQ(early, were_early.value_or(early)) << life;
      were_early = early;
      EXPECT_TRUE(world.complete(1, 1, seconds(1))) << life;
      world.network.script = ThirdsAreLate{{0}, Time::never(), first + 1};
      world.run(milliseconds(5));
      receive_all(world, 1, 0);
      send_many(world, 0, world.now() + milliseconds(5), std::nullopt);
      world.at(1).fail({0}, world.life(0), world.now());
      receive_all(world, 1, 0);
      world.restart(0);
    }
    EXPECT_GT(were_early, 20u);
  }
}

// One peer's messages wait for a hole to be filled, another one's for a receive; the program waits
// for the third peer.
TEST(EndpointFaults, ThatSomebodyIsEarlyKeepsNobodyOut) {
  World world(few_places(4));
  const std::vector<std::byte> sent = content(1, 8);
  std::vector<std::byte> got(8);
  ASSERT_NE(world.receive(1, 3, got, 2), kNoRequest);
  world.network.script = ThirdsAreLate{{0}, world.now() + milliseconds(15)};
  send_many(world, 0, world.now() + milliseconds(5), std::nullopt);
  send_many(world, 2, world.now() + milliseconds(5), std::nullopt);
  ASSERT_NE(world.send(3, 1, sent, 2), kNoRequest);
  EXPECT_TRUE(world.complete(1, 1, milliseconds(3)));
  world.run(milliseconds(20));  // what was missing of the first has come
  ASSERT_NE(world.receive(1, 3, got, 2), kNoRequest);
  ASSERT_NE(world.send(3, 1, sent, 2), kNoRequest);
  EXPECT_TRUE(world.complete(1, 2, milliseconds(5)));
}

// One in twenty is late by up to half a round trip.
TEST(EndpointFaults, WhatIsLateIsNotSentAgain) {
  WorldOptions options;
  options.rails[0].latency = microseconds(50);
  World world(options);
  Random random(5, 0, 0);
  world.network.script = [&](const Flight&) {
    const auto late = static_cast<std::int64_t>(random.below(50'000));
    return Fate{.later = nanoseconds(random.below(20) == 0 ? late : 0)};
  };
  for (std::size_t i = 1; i <= 30; ++i) {
    Exchange exchange(1'000'000);
    exchange.begin(world);
    ASSERT_TRUE(world.complete(1, i));
    ASSERT_TRUE(world.complete(0, i));
  }
  const EndpointCounts& counts = world.at(0).counts();
  EXPECT_LE(counts.fragments_resent * 1000, counts.fragments_sent);
}

// The window holds a single frame after many losses. Round trips are all alike, so that they lead
// to expect no later answer than the last one, and each acknowledgement waits for another frame.
TEST(EndpointFaults, AFrameWhoseAcknowledgementWaitsIsNotSentAgain) {
  WorldOptions options;
  options.rails[0] = {.frame_bytes_max = 9000, .latency = microseconds(1500)};
  World world(options);
  Random random(1, 0, 0);
  const Time well = Time{} + milliseconds(400);
  world.network.script = [&](const Flight& flight) {
    return Fate{.copies = flight.at < well && random.below(2) == 0 ? 0 : 1};
  };
  Exchange exchange(4'000'000);
  exchange.begin(world);
  world.run(well + milliseconds(20));
  ASSERT_TRUE(world.of[1].empty());
  const std::uint64_t resent = world.at(0).counts().fragments_resent;
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_TRUE(exchange.got == exchange.sent);
  EXPECT_EQ(world.at(0).counts().fragments_resent, resent);
}

// A stream of messages over two rails, of which one is cut in the middle: its longest gap.
Duration longest_gap(World& world, const std::function<void()>& cut, std::size_t messages = 60) {
  Duration longest{};
  Time last = world.now();
  std::vector<std::unique_ptr<Exchange>> all;
  for (std::size_t i = 0; i < messages; ++i) {
    all.push_back(std::make_unique<Exchange>(100'000));
    all.back()->begin(world);
    if (i == messages / 2) {
      world.run(microseconds(30));
      cut();
    }
    EXPECT_TRUE(world.complete(1, i + 1));
    longest = std::max(longest, world.now() - last);
    last = world.now();
    EXPECT_TRUE(all.back()->got == all.back()->sent);
  }
  return longest;
}

TEST(EndpointFaults, ASilentRailCostsLittle) {
  for (const int direction : {0, 1, 2}) {
    World world(two_rails());
    const Duration gap = longest_gap(world, [&] {
      if (direction != 1) world.network.dead.insert({0, 0, 1});
      if (direction != 0) world.network.dead.insert({0, 1, 0});
    });
    EXPECT_LE(gap, milliseconds(5)) << direction;
    if (direction != 1) {
      EXPECT_NE(world.at(0).health({1}, 0), RailHealth::up);
    }
    EXPECT_EQ(world.at(0).health({1}, 1), RailHealth::up);
    world.network.mend(0);
    world.run(milliseconds(250));
    EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::up) << "within a quarter of a second";
  }
}

TEST(EndpointFaults, APortThatSaysItIsDownCostsNoTimeout) {
  WorldOptions options = two_rails();
  options.endpoint.round_trip.wait_min = milliseconds(20);
  World world(options);
  const Duration gap = longest_gap(world, [&] {
    world.network.cut(0);
    for (std::uint32_t p = 0; p < 2; ++p) {
      world.network.fabric(p, 0).happen(EventKind::port_down);
    }
  });
  EXPECT_LE(gap, milliseconds(1));
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::down);
}

// The death of the last rail ended the published code's job.
TEST(EndpointFaults, WhileAllRailsAreDownMessagesWait) {
  World world(two_rails());
  Exchange exchange(5'000'000);
  exchange.begin(world);
  world.run(microseconds(100));
  world.network.cut(0);
  world.network.cut(1);
  world.run(seconds(5));
  EXPECT_TRUE(world.completed(1).empty());
  world.network.mend(1);
  const Time mended = world.now();
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_TRUE(exchange.got == exchange.sent);
  EXPECT_LE(world.now() - mended, milliseconds(400));
  world.network.mend(0);
  world.run(milliseconds(400));
  EXPECT_EQ(world.at(0).health({1}, 0), RailHealth::up);
}

TEST(EndpointFaults, UnreachableForTooLongEndsRequests) {
  WorldOptions options = two_rails();
  options.endpoint.unreachable_max = seconds(2);
  World world(options);
  Exchange exchange(5'000'000);
  exchange.begin(world);
  world.run(microseconds(100));
  world.network.cut(0);
  world.network.cut(1);
  ASSERT_TRUE(world.complete(0, 1));
  EXPECT_EQ(world.completed(0)[0].outcome, Outcome::unreachable);
  EXPECT_LE(world.now(), Time{} + milliseconds(2100));
  EXPECT_EQ(world.send(0, 1, exchange.sent), kNoRequest);
  EXPECT_FALSE(world.at(0).connect({1}, world.life(1), world.now())) << "this life is over for us";
  EXPECT_TRUE(world.at(1).connect({0}, world.life(0), world.now())) << "it is connected";
}

// Who has been given up meanwhile hears of it when a rail is there again, whatever it waits for;
// and what belongs to the connection that is over is not answered for ever.
TEST(EndpointFaults, WhoHasBeenGivenUpHearsOfIt) {
  for (const bool sends : {false, true}) {
    WorldOptions options = two_rails();
    options.processes = 3;
    options.endpoint.unreachable_max = seconds(2);
    World world(options);
    std::vector<std::byte> memory(8), other_memory(8);
    const std::vector<std::byte> message = content(1, 8);
    ASSERT_NE(world.receive(1, 0, memory, 9), kNoRequest);
    ASSERT_NE(world.receive(1, 2, other_memory, 9), kNoRequest);
    world.network.cut(0);
    world.network.cut(1);
    ASSERT_NE(world.send(0, 1, message), kNoRequest);
    ASSERT_TRUE(world.complete(0, 1));
    EXPECT_EQ(world.completed(0)[0].outcome, Outcome::unreachable);
    if (sends) {
      ASSERT_NE(world.send(1, 0, message, 3), kNoRequest);
    }
    EXPECT_TRUE(world.completed(1).empty());
    world.network.mend(0);
    world.network.mend(1);
    ASSERT_TRUE(world.complete(1, sends ? 2 : 1, seconds(1))) << sends;
    for (const Completed& each : world.completed(1)) {
      EXPECT_EQ(each.outcome, Outcome::unreachable);
      EXPECT_EQ(each.envelope.source, ProcessId{0});
    }
    EXPECT_FALSE(world.at(1).is_connected({0}));
    EXPECT_TRUE(world.at(1).is_connected({2}));
    // The other one does not mind.
    ASSERT_NE(world.send(2, 1, message, 9), kNoRequest);
    ASSERT_TRUE(world.complete(1, sends ? 3 : 2));
    EXPECT_TRUE(other_memory == message);
    world.run(milliseconds(10));
    const std::uint64_t before = world.network.frames;
    world.run(seconds(10));
    EXPECT_EQ(world.network.frames, before) << "nobody has anything to say";
    // A later life of either is another matter.
    world.restart(0);
    ASSERT_NE(world.receive(0, 1, memory, 4), kNoRequest);
    ASSERT_NE(world.send(1, 0, message, 4), kNoRequest);
    ASSERT_TRUE(world.complete(0, 2));
    EXPECT_TRUE(memory == message);
  }
}

TEST(EndpointFaults, RequestsOfADeadPeerEndAndItsNextLifeBeginsAnew) {
  WorldOptions options;
  options.processes = 3;
  World world(options);
  std::vector<std::byte> memory(100'000), any_memory(8);
  const std::vector<std::byte> message = content(1, 100'000), small = content(2, 8);
  ASSERT_NE(world.receive(0, 1, memory, 1), kNoRequest);
  ASSERT_NE(world.send(0, 1, message, 2), kNoRequest);
  Pattern any;
  any.tag = 3;
  ASSERT_NE(world.at(0).receive(any, any_memory, 3, world.now()), kNoRequest);
  world.run(microseconds(50));
  world.asleep.insert(1);
  world.at(0).fail({1}, world.life(1), world.now());
  ASSERT_TRUE(world.complete(0, 2));
  for (const Completed& each : world.completed(0)) {
    EXPECT_EQ(each.outcome, Outcome::peer_failed);
    EXPECT_NE(each.cookie, 3u) << "who takes a message of anybody waits on";
  }
  EXPECT_EQ(world.send(0, 1, small), kNoRequest);

  world.asleep.clear();
  world.restart(1);
  std::vector<std::byte> got(8);
  ASSERT_NE(world.receive(1, 0, got, 2), kNoRequest);
  ASSERT_NE(world.send(0, 1, small, 2), kNoRequest);
  ASSERT_NE(world.send(1, 0, small, 3), kNoRequest);
  ASSERT_TRUE(world.complete(1, 2));
  ASSERT_TRUE(world.complete(0, 4));
  EXPECT_TRUE(got == small) << "and not what the life before was sent";
  EXPECT_TRUE(any_memory == small);
}

// Nor does the next life get what a full rail has kept of that before.
TEST(EndpointFaults, WhatWaitsForAPeerThatIsOverIsNotSent) {
  for (const bool is_inline : {true, false}) {
    WorldOptions options;
    options.rails[0].is_inline = is_inline;
    World world(options);
    ScriptedFabric& rail = world.network.fabric(0, 0);
    rail.room = 0;
    const std::vector<std::byte> message = content(1, 8);
    for (int i = 0; i < 20; ++i) ASSERT_NE(world.send(0, 1, message), kNoRequest);
    world.run(microseconds(50));
    world.restart(1);
    rail.room = static_cast<std::size_t>(-1);
    rail.happen(EventKind::writable);
    std::vector<std::byte> got(8);
    ASSERT_NE(world.receive(1, 0, got), kNoRequest);
    ASSERT_NE(world.send(0, 1, message), kNoRequest);
    ASSERT_TRUE(world.complete(1, 1));
    EXPECT_TRUE(got == message);
    EXPECT_EQ(world.at(1).counts().unverified, 0u);
  }
}

// Frames of a life that is over verify nowhere.
TEST(EndpointFaults, FramesOfAnEarlierLifeAreNotHandled) {
  for (const char* const seal : {"none", "siphash128"}) {
    WorldOptions options;
    options.endpoint.seal = seal;
    World world(options);
    std::vector<std::vector<std::byte>> old;
    world.network.script = [&](const Flight& flight) {
      if (flight.to == ProcessId{1}) old.emplace_back(flight.bytes.begin(), flight.bytes.end());
      return Fate{};
    };
    Exchange exchange(100'000);
    exchange.begin(world);
    ASSERT_TRUE(world.complete(1, 1));
    world.run(milliseconds(1));
    world.network.script = {};
    world.restart(0);
    world.run(milliseconds(1));
    const std::uint64_t before = world.at(1).hash();
    const std::uint64_t unverified = world.at(1).counts().unverified;
    for (const auto& frame : old) world.network.fabric(1, 0).arrive(frame, world.now());
    world.run(milliseconds(1));
    EXPECT_EQ(world.at(1).hash(), before);
    EXPECT_EQ(world.at(1).counts().unverified, unverified + old.size());
  }
}

// Whoever does not know the key cannot say that something has arrived.
TEST(EndpointFaults, AForgedAcknowledgementIsNotBelieved) {
  WorldOptions options;
  options.endpoint.seal = "siphash128";
  World world(options);
  world.network.cut(0);
  const std::vector<std::byte> message = content(1, 8);
  ASSERT_NE(world.send(0, 1, message), kNoRequest);
  world.run(microseconds(100));
  MessageHeader header;
  header.type = Type::acknowledgement;
  header.sender = ProcessId{1};
  header.all_before = header.message = 1;
  std::vector<std::byte> frame(kMessageHeaderBytes);
  encode_message_header(header, connection_seed(7, {1}, {0}, {0}, {0}), frame.data());
  world.network.fabric(0, 0).arrive(frame, world.now());
  world.run(milliseconds(1));
  EXPECT_TRUE(world.completed(0).empty());
  EXPECT_EQ(world.at(0).counts().unverified, 1u);
}

// Frames that share a datagram are checked by themselves.
TEST(EndpointFaults, WhatFollowsASpoiltAcknowledgementIsTaken) {
  for (const char* const seal : {"none", "siphash128"}) {
    WorldOptions options;
    options.endpoint.seal = seal;
    World world(options);
    std::vector<std::byte> first;
    world.network.script = [&](const Flight& flight) {
      const auto eager = flight.find(Type::eager);
      if (first.empty()) first.assign(eager.begin(), eager.end());
      return Fate{.copies = 0};
    };
    const std::vector<std::byte> message = content(1, 8);
    std::vector<std::byte> got(message.size());
    ASSERT_NE(world.receive(1, 0, got), kNoRequest);
    ASSERT_NE(world.send(0, 1, message), kNoRequest);
    world.run(microseconds(50));
    ASSERT_FALSE(first.empty());
    MessageHeader header;
    header.type = Type::acknowledgement;
    header.sender = ProcessId{0};
    std::vector<std::byte> datagram(kMessageHeaderBytes);
    encode_message_header(header, connection_seed(7, {0}, {0}, {1}, {0}), datagram.data());
    datagram[20] ^= std::byte{1};
    datagram.insert(datagram.end(), first.begin(), first.end());
    world.network.fabric(1, 0).arrive(datagram, world.now());
    ASSERT_TRUE(world.complete(1, 1)) << seal;
    EXPECT_TRUE(got == message);
    EXPECT_EQ(world.at(1).counts().unverified, 1u) << seal;
  }
}

// A frame that was cut says with its length what its fragments' length is not.
TEST(EndpointFaults, ACutFirstFragmentAcknowledgesNothing) {
  World world;
  std::vector<std::byte> first;
  bool lose = true;
  world.network.script = [&](const Flight& flight) {
    const auto eager = flight.find(Type::eager), fragment = flight.find(Type::fragment);
    if (!eager.empty()) first.assign(eager.begin(), eager.end());
    const bool is_third = !fragment.empty() && fragment[36] == std::byte{2};
    return Fate{.copies = is_third && lose ? 0 : 1};
  };
  Exchange exchange(5'000);
  exchange.begin(world);
  world.run(microseconds(100));
  // Sixty-four fragments of a byte would all have arrived.
  first.resize(kMessageHeaderBytes + 1);
  world.network.fabric(1, 0).arrive(first, world.now());
  world.run(microseconds(50));
  EXPECT_TRUE(world.completed(0).empty());
  lose = false;
  ASSERT_TRUE(world.complete(1, 1));
  ASSERT_TRUE(world.complete(0, 1));
  EXPECT_TRUE(exchange.got == exchange.sent);
}

// A message that has begun may wait for one fragment while others come and go: acknowledgements
// name 16 bits of the numbers of virtual fragments, so it must not fall behind.
TEST(EndpointFaults, NumbersOfVirtualFragmentsStayNearEachOther) {
  WorldOptions options;
  options.rails[0].frame_bytes_max = kMessageHeaderBytes + 1;
  options.endpoint.limits.eager_bytes_max = 2;
  World world(options);
  std::uint32_t latest = 0, furthest = 0;
  bool lose = true;
  world.network.script = [&](const Flight& flight) {
    if (const auto fragment = flight.find(Type::fragment); !fragment.empty()) {
      furthest = std::max(furthest, latest - load_le<std::uint32_t>(fragment.data() + 16));
      return Fate{.copies = lose ? 0 : 1};
    }
    if (const auto data = flight.find(Type::data); !data.empty()) {
      latest = std::max(latest, load_le<std::uint32_t>(data.data() + 16));
    }
    return Fate{};
  };
  Exchange lost(2), large(64 * 6000);
  lost.begin(world, 1);
  large.begin(world, 2);
  ASSERT_TRUE(world.complete(0, 1));
  EXPECT_GE(latest, 6000u);
  lose = false;
  ASSERT_TRUE(world.complete(1, 2));
  EXPECT_LE(furthest, 5000u);
  EXPECT_TRUE(lost.got == lost.sent && large.got == large.sent);
}

// Back-pressure: nothing is lost, and silence of what was not taken is not the rail's.
TEST(EndpointFaults, WhatTheFabricDoesNotTakeIsPostedLater) {
  World world;
  world.network.fabric(0, 0).room = 3;
  Exchange exchange(30'000);
  exchange.begin(world);
  world.run(milliseconds(5));
  EXPECT_TRUE(world.completed(1).empty());
  world.network.fabric(0, 0).room = static_cast<std::size_t>(-1);
  world.network.fabric(0, 0).happen(EventKind::writable);
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_TRUE(exchange.got == exchange.sent);
}

TEST(EndpointFaults, AnAdapterThatCompletesNothingIsLeft) {
  WorldOptions options = two_rails();
  options.rails[0].is_inline = options.rails[1].is_inline = false;
  World world(options);
  world.network.fabric(0, 0).completes = false;
  Exchange exchange(1'000'000);  // of more frames than there are slots
  exchange.begin(world);
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_TRUE(exchange.got == exchange.sent);
  bool left = false;
  while (world.now() < Time{} + milliseconds(21)) {
    world.run(microseconds(5));
    left = left || world.at(0).health({1}, 0) != RailHealth::up;
    EXPECT_EQ(world.at(0).health({1}, 1), RailHealth::up);
    EXPECT_FALSE(left && world.now() < Time{} + milliseconds(20));
  }
  EXPECT_TRUE(left) << "after 20 ms without a completion";
}

}  // namespace
}  // namespace holdfast::reliable
