// Messages from one endpoint to another where nothing fails: all lengths around the boundaries,
// matching, truncation, cancelling, limits, what is kept and what is allocated.
#include "tests/unit/hw/counting_new.hpp"
#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

constexpr std::uint32_t kPayload = 1400;  // of a frame of RailKind

TEST(Endpoint, DeliversMessagesOfAllLengthsWholeAndInOrder) {
  const std::size_t eager = EndpointLimits{}.eager_bytes_max;
  const std::size_t fragment = kPayload, virtual_fragment = 64 * kPayload;
  const std::size_t lengths[] = {0,
                                 1,
                                 8,
                                 fragment - 1,
                                 fragment,
                                 fragment + 1,
                                 2 * fragment,
                                 eager - 1,
                                 eager,
                                 eager + 1,
                                 virtual_fragment - 1,
                                 virtual_fragment,
                                 virtual_fragment + 1,
                                 3 * virtual_fragment + 17,
                                 5'000'000};
  for (const bool posted_before : {true, false}) {
    for (const bool is_inline : {true, false}) {
      WorldOptions options;
      options.rails[0].is_inline = is_inline;
      options.endpoint.first_number = 0xffff'fffa;  // all counts wrap around
      World world(options);
      std::vector<std::vector<std::byte>> sent, got;
      for (const std::size_t length : lengths) sent.push_back(content(length, length));
      for (const std::size_t length : lengths) got.emplace_back(length);
      if (posted_before) {
        for (auto& memory : got) ASSERT_NE(world.receive(1, 0, memory), kNoRequest);
      }
      for (const auto& message : sent) ASSERT_NE(world.send(0, 1, message), kNoRequest);
      world.run(milliseconds(5));
      if (!posted_before) {
        for (auto& memory : got) ASSERT_NE(world.receive(1, 0, memory), kNoRequest);
      }
      ASSERT_TRUE(world.complete(1, sent.size()));
      ASSERT_TRUE(world.complete(0, sent.size()));
      EXPECT_TRUE(got == sent);
      for (const Completed& each : world.completed(1)) {
        EXPECT_EQ(each.outcome, Outcome::delivered);
        EXPECT_EQ(each.envelope.source, ProcessId{0});
      }
      EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
      EXPECT_EQ(world.at(1).counts().fragments_duplicate, 0u);
    }
  }
}

// Fragments of more than 65,535 bytes: lengths that do not fit in 16 bits.
TEST(Endpoint, FragmentsMayBeLongerThanSixteenBitsSay) {
  WorldOptions options;
  options.rails[0].frame_bytes_max = 70'000;
  options.endpoint.limits.eager_bytes_max = 400'000;
  World world(options);
  for (const std::size_t length :
       {65'535u, 65'536u, 65'537u, 69'952u, 69'953u, 390'000u, 900'000u}) {
    const std::vector<std::byte> sent = content(length, length);
    std::vector<std::byte> got(length);
    ASSERT_NE(world.receive(1, 0, got), kNoRequest);
    ASSERT_NE(world.send(0, 1, sent), kNoRequest);
    ASSERT_TRUE(world.complete(1, 1));
    world.completed(1).clear();
    EXPECT_TRUE(got == sent) << length;
  }
}

TEST(Endpoint, AMessageLongerThanTheMemoryIsCut) {
  for (const std::size_t length : {10u, 20'000u, 200'000u}) {
    for (const std::size_t room : {0u, 1u, 9u, 1399u, 1400u, 1401u, 5'000u}) {
      if (room >= length) continue;
      for (const bool posted_before : {true, false}) {
        World world;
        const std::vector<std::byte> sent = content(length, length);
        std::vector<std::byte> got(room + 100, std::byte{0x55});
        Pattern pattern;
        pattern.tag = 1;
        const auto post = [&] {
          ASSERT_NE(world.at(1).receive(pattern, std::span(got).first(room), 0, world.now()),
                    kNoRequest);
        };
        if (posted_before) post();
        ASSERT_NE(world.send(0, 1, sent), kNoRequest);
        world.run(milliseconds(2));
        if (!posted_before) post();
        ASSERT_TRUE(world.complete(1, 1)) << length << " into " << room;
        ASSERT_TRUE(world.complete(0, 1)) << length << " into " << room;
        EXPECT_EQ(world.completed(1)[0].outcome, Outcome::truncated);
        EXPECT_EQ(world.completed(1)[0].bytes, length);
        EXPECT_EQ(world.completed(0)[0].outcome, Outcome::delivered);
        EXPECT_TRUE(
            std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(room), sent.begin()));
        EXPECT_TRUE(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(room), got.end(),
                                [](std::byte byte) { return byte == std::byte{0x55}; }));
        // A message that was cut is not sent whole.
        EXPECT_LE(world.network.payload, std::max<std::uint64_t>(room + kPayload, 20'000));
      }
    }
  }
}

TEST(Endpoint, ReceivesFromAnySourceTakeWhatComesFirst) {
  WorldOptions options;
  options.processes = 3;
  World world(options);
  std::vector<std::byte> first(4), second(4);
  Pattern any;
  any.tag = 0x10;
  any.mask = 0xf0;
  ASSERT_NE(world.at(2).receive(any, first, 1, world.now()), kNoRequest);
  ASSERT_NE(world.at(2).receive(any, second, 2, world.now()), kNoRequest);
  const std::vector<std::byte> mine = content(1, 4), others = content(2, 4),
                               unwanted = content(3, 4);
  ASSERT_NE(world.send(0, 2, unwanted, 0x27), kNoRequest);
  ASSERT_NE(world.send(1, 2, mine, 0x17), kNoRequest);
  ASSERT_TRUE(world.complete(2, 1));
  ASSERT_NE(world.send(0, 2, others, 0x1f), kNoRequest);
  ASSERT_TRUE(world.complete(2, 2));
  EXPECT_TRUE(first == mine && second == others);
  EXPECT_EQ(world.completed(2)[0].envelope.source, ProcessId{1});
  EXPECT_EQ(world.completed(2)[1].envelope.tag, 0x1fu);
  Waiting waiting;
  Pattern rest;
  rest.tag = 0x27;
  ASSERT_TRUE(world.at(2).probe(rest, waiting));
  EXPECT_EQ(waiting.envelope.source, ProcessId{0});
  EXPECT_EQ(waiting.bytes, 4u);
}

TEST(Endpoint, AReceiveCanBeCancelledUntilItIsMet) {
  World world;
  std::vector<std::byte> memory(8);
  const Request waits = world.receive(1, 0, memory, 3);
  ASSERT_NE(waits, kNoRequest);
  EXPECT_TRUE(world.at(1).cancel(waits, world.now()));
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_EQ(world.completed(1)[0].outcome, Outcome::cancelled);
  EXPECT_FALSE(world.at(1).cancel(waits, world.now())) << "its name is nobody's now";

  std::vector<std::byte> room(100'000);
  const std::vector<std::byte> message = content(1, 100'000);
  const Request met = world.receive(1, 0, room, 4);
  EXPECT_FALSE(world.at(1).cancel(waits, world.now())) << "nor that of who has its place";
  const Request sent = world.send(0, 1, message, 4);
  world.run(microseconds(60));
  EXPECT_FALSE(world.at(1).cancel(met, world.now()));
  EXPECT_FALSE(world.at(0).cancel(sent, world.now()));
  ASSERT_TRUE(world.complete(1, 2));
  EXPECT_TRUE(room == message);
}

TEST(Endpoint, MessagesToItselfNeedNoRail) {
  for (const std::size_t length : {0u, 8u, 32'768u, 300'000u}) {
    for (const bool posted_before : {true, false}) {
      World world;
      world.network.cut(0);
      const std::vector<std::byte> sent = content(length, length);
      std::vector<std::byte> got(length);
      if (posted_before) {
        ASSERT_NE(world.receive(0, 0, got), kNoRequest);
      }
      ASSERT_NE(world.send(0, 0, sent), kNoRequest);
      if (!posted_before) {
        ASSERT_NE(world.receive(0, 0, got), kNoRequest);
      }
      ASSERT_TRUE(world.complete(0, 2));
      EXPECT_TRUE(got == sent);
      EXPECT_EQ(world.network.frames, 0u);
    }
  }
}

// More than the receiver may have to keep is asked for, and waits at the sender.
TEST(Endpoint, WhatNobodyReceivesIsKeptUpToTheCredit) {
  WorldOptions options;
  options.endpoint.limits.unexpected_bytes = 64 * 1024;
  World world(options);
  constexpr std::size_t kMessages = 100, kBytes = 8 * 1024;
  std::vector<std::vector<std::byte>> sent, got;
  for (std::size_t i = 0; i < kMessages; ++i) {
    sent.push_back(content(i, kBytes));
    got.emplace_back(kBytes);
  }
  for (const auto& message : sent) ASSERT_NE(world.send(0, 1, message), kNoRequest);
  world.run(milliseconds(100));
  EXPECT_EQ(world.completed(0).size(), 8u) << "64 KiB of 8 KiB each";
  EXPECT_LT(world.network.payload, 64 * 1024 + 2 * kPayload) << "the others have only asked";
  for (auto& memory : got) ASSERT_NE(world.receive(1, 0, memory), kNoRequest);
  ASSERT_TRUE(world.complete(1, kMessages));
  ASSERT_TRUE(world.complete(0, kMessages));
  EXPECT_TRUE(got == sent);
  // The credit has come back.
  const std::uint64_t before = world.network.frames;
  std::vector<std::byte> last(kBytes);
  ASSERT_NE(world.receive(1, 0, last), kNoRequest);
  ASSERT_NE(world.send(0, 1, sent[0]), kNoRequest);
  ASSERT_TRUE(world.complete(1, kMessages + 1));
  EXPECT_LE(world.network.frames - before, 7u) << "no request, no grant";
}

// Memory is given in powers of two: what is charged is what is taken, or the last ones would be
// sent again and again.
TEST(Endpoint, WhatTheCreditAllowsHasRoom) {
  WorldOptions options;
  options.endpoint.limits.peers = 1;
  options.endpoint.limits.unexpected_bytes = 64 * 1024;
  World world(options);
  // The block for one of 5 KiB has 8 KiB.
  const std::vector<std::byte> message = content(1, 5 * 1024);
  constexpr std::size_t kMessages = 12;
  for (std::size_t i = 0; i < kMessages; ++i) ASSERT_NE(world.send(0, 1, message), kNoRequest);
  world.run(milliseconds(100));
  EXPECT_EQ(world.completed(0).size(), 8u) << "64 KiB in blocks of 8 KiB";
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
  std::vector<std::vector<std::byte>> got(kMessages, std::vector<std::byte>(message.size()));
  for (auto& memory : got) ASSERT_NE(world.receive(1, 0, memory), kNoRequest);
  ASSERT_TRUE(world.complete(1, kMessages));
  for (const auto& memory : got) EXPECT_TRUE(memory == message);
}

// Each number is a tag of a message of its own.
void send_some(World& world, std::uint32_t from, std::uint32_t to, std::uint64_t first,
               const std::vector<std::vector<std::byte>>& messages) {
  for (std::uint64_t i = 0; i < messages.size(); ++i)
    ASSERT_NE(world.send(from, to, messages[i], first + i), kNoRequest);
  world.run(milliseconds(100));
}

void expect_received(World& world, std::uint32_t at, std::uint32_t from, std::uint64_t tag,
                     const std::vector<std::byte>& message) {
  std::vector<std::byte> got(message.size());
  ASSERT_NE(world.receive(at, from, got, tag), kNoRequest);
  world.run(milliseconds(1));
  EXPECT_TRUE(got == message) << tag;
}

// Else who sends to itself would hold up a sender that the program waits for.
TEST(Endpoint, MessagesToOneselfTakeNothingOfTheOthersShares) {
  WorldOptions options;
  options.endpoint.limits.peers = 1;
  options.endpoint.limits.unexpected_bytes = 64 * 1024;
  World world(options);
  std::vector<std::vector<std::byte>> own, others;
  for (std::uint64_t i = 0; i < 5; ++i) own.push_back(content(i, 16 * 1024));
  for (std::uint64_t i = 0; i < 4; ++i) others.push_back(content(10 + i, 16 * 1024));
  send_some(world, 1, 1, 0, own);
  EXPECT_EQ(world.completed(1).size(), 4u) << "the fifth waits for its receive";
  send_some(world, 0, 1, 0, others);
  EXPECT_EQ(world.completed(0).size(), 4u);
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
  for (std::uint64_t i = 0; i < 5; ++i) expect_received(world, 1, 1, i, own[i]);
  for (std::uint64_t i = 0; i < 4; ++i) expect_received(world, 1, 0, i, others[i]);
  // What was given back can be taken again.
  world.completed(1).clear();
  send_some(world, 1, 1, 0, own);
  EXPECT_EQ(world.completed(1).size(), 4u);
}

// What is kept lies so that no piece between is long enough.
TEST(Endpoint, ALongerMessageIsKeptWhereThereAreOnlyShortPieces) {
  constexpr std::uint64_t kShort = 64, kEach = 32;
  WorldOptions options;
  options.endpoint.limits.peers = 1;
  options.endpoint.limits.unexpected_bytes = 64 * 1024;
  World world(options);
  const std::vector<std::vector<std::byte>> own(2, content(1, 32 * 1024));
  send_some(world, 1, 1, 0, own);
  std::vector<std::vector<std::byte>> messages;
  for (std::uint64_t i = 0; i < kShort; ++i) messages.push_back(content(100 + i, 1000 + i % 24));
  send_some(world, 0, 1, 0, messages);
  for (std::uint64_t i = 0; i < kShort; ++i)
    if (i % kEach != 0) expect_received(world, 1, 0, i, messages[i]);
  world.completed(0).clear();
  const std::vector<std::vector<std::byte>> longer{content(2, 32 * 1024)};
  send_some(world, 0, 1, kShort, longer);
  EXPECT_EQ(world.completed(0).size(), 1u) << "before it is received";
  EXPECT_EQ(world.at(0).counts().fragments_resent, 0u);
  for (std::uint64_t i = 0; i < kShort; i += kEach) expect_received(world, 1, 0, i, messages[i]);
  expect_received(world, 1, 0, kShort, longer[0]);
  for (std::uint64_t i = 0; i < 2; ++i) expect_received(world, 1, 1, i, own[i]);
}

// More peers than have shares of what was allocated at the beginning.
TEST(Endpoint, WhatEachPeerHasCreditForIsKept) {
  constexpr std::uint32_t kPeers = 40;
  WorldOptions options;
  options.processes = kPeers + 1;
  options.endpoint.limits.peers = kPeers;
  options.endpoint.limits.unexpected_bytes = 16 * 1024;
  World world(options);
  std::vector<std::vector<std::byte>> messages;
  for (std::uint64_t i = 0; i < 4; ++i) messages.push_back(content(i, 4 * 1024));
  for (std::uint32_t p = 1; p <= kPeers; ++p) {
    send_some(world, p, 0, 10 * p, messages);
    EXPECT_EQ(world.completed(p).size(), 4u) << p;
    EXPECT_EQ(world.at(p).counts().fragments_resent, 0u) << p;
  }
  for (std::uint32_t p = 1; p <= kPeers; ++p) {
    for (std::uint64_t i = 0; i < 4; ++i) expect_received(world, 0, p, 10 * p + i, messages[i]);
  }
}

// Nobody has received what its lives before have sent.
TEST(Endpoint, ANewLifeHasItsCredit) {
  WorldOptions options;
  options.endpoint.limits.peers = 1;
  options.endpoint.limits.unexpected_bytes = 16 * 1024;
  World world(options);
  const std::vector<std::vector<std::byte>> messages(4, content(1, 4 * 1024));
  for (std::uint64_t life = 0; life < 5; ++life) {
    send_some(world, 0, 1, 10 * life, messages);
    EXPECT_EQ(world.completed(0).size(), 4 * (life + 1)) << life;
    if (life < 4) world.restart(0);
  }
  for (std::uint64_t life = 0; life < 5; ++life) {
    for (std::uint64_t i = 0; i < 4; ++i) expect_received(world, 1, 0, 10 * life + i, messages[i]);
  }
}

// The memory of a process is not its peer's to take.
TEST(Endpoint, WhoClaimsMoreCreditThanItHasIsKeptNoMore) {
  WorldOptions options;
  options.endpoint.limits.peers = 1;
  options.endpoint.limits.unexpected_bytes = 16 * 1024;
  options.adjust = [](ProcessId process, EndpointOptions& of) {
    if (process.value == 0) of.limits.unexpected_bytes *= 8;
  };
  World world(options);
  const std::vector<std::vector<std::byte>> messages(8, content(1, 4 * 1024));
  send_some(world, 0, 1, 0, messages);
  EXPECT_EQ(world.completed(0).size(), 4u);
  for (std::uint64_t i = 0; i < 8; ++i) expect_received(world, 1, 0, i, messages[i]);
  EXPECT_TRUE(world.complete(0, 8));
}

TEST(Endpoint, MoreMessagesThanMayWaitAreNotLost) {
  WorldOptions options;
  options.endpoint.limits.unexpected_messages = 4;
  World world(options);
  std::vector<std::vector<std::byte>> got(100, std::vector<std::byte>(8));
  std::vector<std::vector<std::byte>> sent;
  for (std::size_t i = 0; i < got.size(); ++i) sent.push_back(content(i, 8));
  for (const auto& message : sent) ASSERT_NE(world.send(0, 1, message), kNoRequest);
  world.run(milliseconds(50));
  for (auto& memory : got) {
    ASSERT_NE(world.receive(1, 0, memory), kNoRequest);
    world.run(microseconds(100));
  }
  ASSERT_TRUE(world.complete(1, got.size()));
  ASSERT_TRUE(world.complete(0, got.size()));
  EXPECT_TRUE(got == sent);
}

// Those of one peer have taken all places; another one sends what nobody wants yet, and then what
// the program waits for.
TEST(Endpoint, WhatIsWaitedForPassesWhatHasNoPlace) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{100'000}}) {
    WorldOptions options;
    options.processes = 3;
    options.endpoint.limits.unexpected_messages = 4;
    World world(options);
    std::vector<std::vector<std::byte>> logs, done;
    for (std::size_t i = 0; i < 12; ++i) logs.push_back(content(i, 8));
    for (std::size_t i = 0; i < 2; ++i) done.push_back(content(100 + i, bytes));
    for (std::size_t i = 0; i < 6; ++i) ASSERT_NE(world.send(1, 0, logs[i]), kNoRequest);
    world.run(milliseconds(10));
    for (std::size_t i = 0; i < 6; ++i) ASSERT_NE(world.send(2, 0, logs[i]), kNoRequest);
    ASSERT_NE(world.send(2, 0, done[0], 9), kNoRequest);
    for (std::size_t i = 6; i < 12; ++i) ASSERT_NE(world.send(2, 0, logs[i]), kNoRequest);
    ASSERT_NE(world.send(2, 0, done[1], 9), kNoRequest);
    world.run(milliseconds(10));
    Waiting waiting;
    Pattern end;
    end.source = ProcessId{2};
    end.tag = 9;
    EXPECT_TRUE(world.at(0).probe(end, waiting)) << bytes;
    EXPECT_EQ(waiting.bytes, bytes);
    end.tag = 8;
    EXPECT_FALSE(world.at(0).probe(end, waiting));
    std::vector<std::vector<std::byte>> ends(2, std::vector<std::byte>(bytes));
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_NE(world.receive(0, 2, ends[i], 9), kNoRequest);
      Pattern taken = end;
      taken.tag = 9;
      EXPECT_EQ(world.at(0).probe(taken, waiting), i == 0) << "it is taken at once";
      ASSERT_TRUE(world.complete(0, i + 1, seconds(1))) << bytes;
    }
    EXPECT_TRUE(ends == done);
    // In the order in which they were sent, those before and those behind it.
    std::vector<std::vector<std::byte>> got(12, std::vector<std::byte>(8));
    for (auto& memory : got) ASSERT_NE(world.receive(0, 2, memory), kNoRequest);
    ASSERT_TRUE(world.complete(0, 14));
    EXPECT_TRUE(got == logs);
    ASSERT_TRUE(world.complete(2, 14));
  }
}

TEST(Endpoint, RequestsAreBounded) {
  WorldOptions options;
  options.endpoint.limits.requests = 3;
  World world(options);
  std::vector<std::byte> memory(8);
  for (int i = 0; i < 3; ++i) ASSERT_NE(world.receive(1, 0, memory), kNoRequest);
  EXPECT_EQ(world.receive(1, 0, memory), kNoRequest);
  EXPECT_EQ(world.at(1).refusal(), Refusal::requests);
  EXPECT_EQ(world.send(1, 0, memory), kNoRequest);
  EXPECT_EQ(world.at(1).refusal(), Refusal::requests);
  ASSERT_NE(world.send(0, 1, memory), kNoRequest);
  ASSERT_TRUE(world.complete(1, 1));
  EXPECT_NE(world.receive(1, 0, memory), kNoRequest);
  EXPECT_EQ(world.at(1).send({5}, 0, 0, memory, 0, world.now()), kNoRequest) << "not connected";
  EXPECT_EQ(world.at(1).refusal(), Refusal::no_connection);
}

// Whatever others have left there. The first message of process 0 is late, so that the one behind
// it waits for its turn; process 2 leaves one in each of its lives.
TEST(Endpoint, AMessageToItselfIsRefusedOnlyWhileTooManyWait) {
  WorldOptions options;
  options.processes = 3;
  options.endpoint.limits.requests = 2;
  options.endpoint.limits.unexpected_messages = 2;
  options.endpoint.limits.peers = 2;
  World world(options);
  std::vector<std::byte> memory(8);
  const auto refused = [&] {
    const bool is_refused = world.send(1, 1, memory) == kNoRequest;
    return is_refused ? std::optional(world.at(1).refusal()) : std::nullopt;
  };
  for (std::size_t i = 0; i < 2; ++i) ASSERT_NE(world.send(1, 1, memory), kNoRequest);
  ASSERT_TRUE(world.complete(1, 2));
  EXPECT_EQ(refused(), Refusal::waiting);
  bool is_late = true;
  world.network.script = [&](const Flight& flight) {
    const auto frame = flight.find(MessageFrameType::eager);
    const bool is_first = !frame.empty() && load_le<std::uint32_t>(frame.data() + 12) == 0;
    return Fate{.copies = is_late && is_first && flight.from == ProcessId{0} ? 0 : 1};
  };
  for (std::size_t i = 0; i < 2; ++i) ASSERT_NE(world.send(0, 1, memory), kNoRequest);
  ASSERT_TRUE(world.complete(0, 1, milliseconds(1)));
  for (std::size_t life = 0; life < 4; ++life) {
    EXPECT_EQ(refused(), Refusal::waiting);
    world.of[2].clear();
    ASSERT_NE(world.send(2, 1, memory), kNoRequest);
    ASSERT_TRUE(world.complete(2, 1, milliseconds(1)));
    world.at(1).fail({2}, world.life(2), world.now());
    world.restart(2);
  }
  is_late = false;
  ASSERT_TRUE(world.complete(0, 2));
  Pattern any;
  any.tag = 1;
  std::size_t received = 0;
  for (; refused() == Refusal::waiting; ++received) {
    ASSERT_NE(world.at(1).receive(any, memory, 0, world.now()), kNoRequest);
    ASSERT_TRUE(world.complete(1, 3 + received, milliseconds(1))) << received;
  }
  EXPECT_EQ(received, 3u) << "two of its own and one of process 0";
}

// A program that answers at once: its answer leaves before our acknowledgement of what it answers.
// A message of process 0 waits for process 1, which has not looked yet; what it sends is noted.
struct AtTheDoor : World {
  AtTheDoor() {
    network.script = [this](const Flight& flight) {
      if (flight.from != ProcessId{1}) return Fate{};
      of_one.emplace_back();
      for (const auto frame : flight.frames()) {
        of_one.back().push_back(type_of_message_frame(frame));
      }
      return Fate{};
    };
    EXPECT_NE(receive(1, 0, there), kNoRequest);
    EXPECT_NE(receive(0, 1, back), kNoRequest);
    EXPECT_NE(send(0, 1, message), kNoRequest);
    step();
    network.now += microseconds(20);
    network.deliver();
  }
  void answer() { ASSERT_NE(at(1).send({0}, 0, 1, there, 0, now()), kNoRequest); }

  using Datagrams = std::vector<std::vector<MessageFrameType>>;
  Datagrams of_one;
  std::vector<std::byte> there = std::vector<std::byte>(8), back = there;
  const std::vector<std::byte> message = content(1, 8);
};

TEST(Endpoint, AnAcknowledgementDoesNotComeBeforeTheAnswer) {
  AtTheDoor world;
  // One turn brings the message; the program answers before the next.
  const Time due = world.at(1).turn(world.now());
  EXPECT_EQ(due, world.now()) << "an acknowledgement is owed";
  std::array<Completed, 2> done;
  ASSERT_EQ(world.at(1).completed(done), 1u);
  EXPECT_TRUE(world.of_one.empty());
  world.answer();
  world.run(milliseconds(1));
  ASSERT_FALSE(world.of_one.empty());
  EXPECT_EQ(world.of_one[0].back(), MessageFrameType::eager);
  EXPECT_TRUE(world.back == world.message);
}

// Both leave in one datagram.
TEST(Endpoint, AnAnswerTakesTheAcknowledgementAlong) {
  AtTheDoor world;
  world.at(1).turn(world.now());
  const std::uint64_t posts = world.network.fabric(1, 0).posts;
  world.answer();
  EXPECT_EQ(world.network.fabric(1, 0).posts, posts + 1);
  world.network.launch();
  const AtTheDoor::Datagrams both{{MessageFrameType::acknowledgement, MessageFrameType::eager}};
  EXPECT_EQ(world.of_one, both);
  world.run(milliseconds(1));
  EXPECT_EQ(world.of_one, both);
}

TEST(Endpoint, AllocatesNothingOnceItIsConnected) {
  WorldOptions options;
  options.rails.push_back(RailKind{.frame_bytes_max = 9048});
  World world(options);
  std::vector<std::byte> message = content(1, 200'000), memory(200'000);
  const auto exchange = [&] {
    for (const std::size_t length : {std::size_t{8}, std::size_t{20'000}, message.size()}) {
      Pattern pattern;
      pattern.tag = length;
      ASSERT_NE(world.at(1).receive(pattern, memory, 0, world.now()), kNoRequest);
      ASSERT_NE(world.at(0).send({1}, 0, length, std::span(message).first(length), 0, world.now()),
                kNoRequest);
    }
  };
  std::array<Completed, 16> some;
  std::size_t allocated = 0;
  // Beside those of the network.
  const auto count = [&] { return allocations() - world.network.own_allocations; };
  for (int round = 0; round < 400; ++round) {
    if (round % 10 == 0) {
      const std::size_t before = count();
      exchange();
      allocated += count() - before;
    }
    for (std::uint32_t p = 0; p < 2; ++p) {
      const std::size_t before = count();
      world.at(p).turn(world.now());
      static_cast<void>(world.at(p).completed(some));
      allocated += count() - before;
    }
    world.network.launch();
    world.network.now += microseconds(50);
    world.network.deliver();
  }
  EXPECT_EQ(allocated, 0u);
}

// 256 KiB and 48 frames of shared memory stay in a core's caches; a wire wants more under way.
TEST(Endpoint, SharedMemoryHasLessUnderWayThanAWire) {
  const EndpointLimits shared = limits_for("shm"), wire;
  EXPECT_EQ(shared.window_bytes, 256u << 10);
  EXPECT_EQ(shared.send_slots, 48u);
  EXPECT_EQ(shared.receive_slots, 16u);
  for (const char* const kind : {"udp", "verbs", ""}) {
    EXPECT_EQ(limits_for(kind).window_bytes, wire.window_bytes) << kind;
    EXPECT_EQ(limits_for(kind).send_slots, wire.send_slots) << kind;
    EXPECT_EQ(limits_for(kind).receive_slots, wire.receive_slots) << kind;
    EXPECT_EQ(limits_for(kind).eager_bytes_max, wire.eager_bytes_max) << kind;
  }
}

TEST(Endpoint, OverTcpMessagesOfOneMebibyteDoNotAskAndFewSlotsAreEnough) {
  const EndpointLimits tcp = limits_for("tcp"), wire;
  EXPECT_EQ(tcp.eager_bytes_max, 1u << 20);
  EXPECT_EQ(tcp.receive_slots, 32u);
  EXPECT_GE(tcp.window_bytes, 2 * tcp.eager_bytes_max);
  EXPECT_EQ(tcp.unexpected_bytes, tcp.window_bytes) << "all of a window may be unexpected";
  EXPECT_EQ(tcp.send_slots, wire.send_slots);
}

// What was drawn in the same way ends in the same state, wherever memory lies.
TEST(Endpoint, EqualHistoriesHaveEqualHashes) {
  std::uint64_t hashes[2][2];
  std::vector<std::unique_ptr<std::byte[]>> elsewhere;
  for (int run = 0; run < 2; ++run) {
    World world;
    elsewhere.push_back(std::make_unique<std::byte[]>(1234));
    const std::vector<std::byte> message = content(1, 100'000);
    std::vector<std::byte> memory(100'000);
    ASSERT_NE(world.receive(1, 0, memory), kNoRequest);
    ASSERT_NE(world.send(0, 1, message), kNoRequest);
    const std::uint64_t before = world.at(0).hash();
    world.run(microseconds(100));
    for (std::uint32_t p = 0; p < 2; ++p) hashes[run][p] = world.at(p).hash();
    EXPECT_NE(world.at(0).hash(), before);
  }
  EXPECT_EQ(hashes[0][0], hashes[1][0]);
  EXPECT_EQ(hashes[0][1], hashes[1][1]);
}

}  // namespace
}  // namespace holdfast::reliable
