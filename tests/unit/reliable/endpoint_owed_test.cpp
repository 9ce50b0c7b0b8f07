// What a receiver says of frames that a test has made itself, and on which rails.
#include <array>
#include <set>

#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;

// The virtual fragments that each tells of.
using Datagrams = std::vector<std::multiset<std::uint32_t>>;

class EndpointOwed : public ::testing::Test {
 protected:
  explicit EndpointOwed(const WorldOptions& options = two_rails()) : world_(options) {
    world_.asleep.insert(0);
    world_.network.script = [this](const Flight& flight) {
      datagrams_.emplace_back();
      for (const auto frame : flight.frames()) {
        sent_.push_back(type_of_message_frame(frame));
        if (sent_.back() == Type::acknowledgement) hear(flight.rail, frame);
      }
      return Fate{};
    };
  }

  // A frame with so much payload comes to process 1, on rail 0.
  void come(const MessageHeader& header, std::size_t payload) {
    world_.network.fabric(1, 0).arrive(frame_of(header, payload), world_.now());
  }
  std::vector<std::byte> frame_of(MessageHeader header, std::size_t payload) {
    header.sender = ProcessId{0};
    if (header.type != Type::acknowledgement) header.packet = packet_++;
    std::vector<std::byte> frame(kMessageHeaderBytes + payload);
    encode_message_header(header, connection_seed(7, {0}, {0}, {1}, {0}), frame.data());
    return frame;
  }
  std::uint64_t sent_by_1() {
    return world_.at(1).traffic(0).frames_sent + world_.at(1).traffic(1).frames_sent;
  }
  static MessageHeader request(std::uint32_t bytes) {
    MessageHeader header;
    header.type = Type::request;
    header.bytes = bytes;
    return header;
  }
  // Fragments of 100 bytes.
  static MessageHeader fragment(Type type, std::uint32_t number, std::uint64_t offset,
                                std::uint64_t bytes, std::uint8_t index) {
    MessageHeader header;
    header.type = type;
    header.virtual_fragment = number;
    header.offset = offset;
    header.bytes = bytes;
    header.fragment_bytes = 100;
    header.index = index;
    return header;
  }
  void run() { world_.run(microseconds(10)); }
  // A message that fills `memory` asks, and has met its receive.
  void ask(std::vector<std::byte>& memory) {
    ASSERT_NE(world_.receive(1, 0, memory, 0), kNoRequest);
    come(request(static_cast<std::uint32_t>(memory.size())), 0);
    run();
  }
  // These come of a message of 1,000 bytes, and are acknowledged together.
  void acknowledge(const std::vector<MessageHeader>& fragments) {
    memory_.resize(1000);
    ask(memory_);
    for (const MessageHeader& each : fragments) come(each, 100);
    run();
  }
  // What is told when another one has come.
  Datagrams told_with(const MessageHeader& fragment) {
    datagrams_.clear();
    come(fragment, 100);
    run();
    return datagrams_;
  }
  void hear(std::size_t rail, std::span<const std::byte> acknowledgement) {
    MessageHeader header;
    const auto status = decode_message_header(
        acknowledgement, connection_seed(7, {1}, {0}, {0}, {0}), false, header);
    EXPECT_EQ(status, MessageDecodeStatus::ok);
    said_.push_back(header);
    if (header.of_fragments) datagrams_.back().insert(header.virtual_fragment);
    rails_.insert(rail);
  }

  World world_;
  static WorldOptions two_rails() {
    WorldOptions options;
    options.rails.resize(2);
    options.endpoint.checksum = "";
    return options;
  }

  std::vector<MessageHeader> said_;
  Datagrams datagrams_;
  std::vector<Type> sent_;  // by process 1: the other one is asleep
  std::set<std::size_t> rails_;

 private:
  std::uint32_t packet_ = 0;
  std::vector<std::byte> memory_;
};

// Its sender has not heard of the acknowledgement: perhaps the rail is dead on the way back.
TEST_F(EndpointOwed, ARequestThatComesAgainIsADuplicate) {
  come(request(1000), 0);
  run();
  EXPECT_EQ(rails_.size(), 1u);
  come(request(1000), 0);
  run();
  EXPECT_EQ(world_.at(1).counts().fragments_duplicate, 1u);
  EXPECT_EQ(rails_.size(), 2u);
}

// Also if what is said in between is of other messages.
TEST_F(EndpointOwed, AVirtualFragmentBehindAHoleIsAcknowledgedOnceMore) {
  std::vector<std::byte> memory(1000);
  ask(memory);
  come(fragment(Type::data, 2, 200, 200, 1), 100);
  run();
  MessageHeader other;
  other.message = 1;
  other.virtual_fragment = 3;
  other.bytes = 1;
  come(other, 1);
  run();
  come(fragment(Type::data, 4, 400, 200, 1), 100);
  run();
  std::vector<std::uint32_t> fragments;
  for (const MessageHeader& each : said_) {
    if (each.of_fragments) fragments.push_back(each.virtual_fragment);
  }
  EXPECT_EQ(fragments, (std::vector<std::uint32_t>{0, 2, 2, 4}));
}

TEST_F(EndpointOwed, AllThatOneAcknowledgementTellsIsToldOnceMore) {
  std::vector<std::byte> memory(1000);
  ask(memory);
  come(fragment(Type::data, 2, 200, 200, 1), 100);
  come(fragment(Type::data, 3, 400, 200, 1), 100);
  run();
  for (const std::uint32_t last : {5u, 6u}) {
    come(fragment(Type::data, last, last * 100 + 100, 100, 0), 100);
    run();
  }
  std::multiset<std::uint32_t> fragments;
  for (const MessageHeader& each : said_) fragments.insert(each.virtual_fragment);
  EXPECT_EQ(fragments, (std::multiset<std::uint32_t>{0, 2, 2, 3, 3, 5, 5, 6}));
}

// All before it has arrived, but not all of it: of what follows nothing says so.
TEST_F(EndpointOwed, AVirtualFragmentWithAHoleIsAcknowledgedOnceMore) {
  acknowledge({fragment(Type::data, 1, 0, 300, 0), fragment(Type::data, 1, 0, 300, 2)});
  EXPECT_EQ(told_with(fragment(Type::data, 2, 300, 200, 1)), (Datagrams{{1, 2}}));
  EXPECT_EQ(told_with(fragment(Type::data, 3, 500, 200, 1)), (Datagrams{{2, 3}}));
}

// Nor does what comes in front of it.
TEST_F(EndpointOwed, WhatLiesBeforeAVirtualFragmentDoesNotMakeUpForIt) {
  acknowledge({fragment(Type::data, 2, 300, 200, 1)});
  EXPECT_EQ(told_with(fragment(Type::data, 1, 0, 100, 0)), (Datagrams{{1, 2}}));
}

// Or what lies within: the sender has cut anew what it lacks of it.
TEST_F(EndpointOwed, WhatIsCutAnewOfAVirtualFragmentDoesNotMakeUpForIt) {
  acknowledge({fragment(Type::data, 1, 0, 400, 0), fragment(Type::data, 1, 0, 400, 3)});
  EXPECT_EQ(told_with(fragment(Type::data, 2, 100, 100, 0)), (Datagrams{{1, 2}}));
}

// One that is whole is told by those behind it.
TEST_F(EndpointOwed, WhatHasNoHolesIsAcknowledgedOnceMoreBetweenOthersOnly) {
  std::vector<std::byte> memory(1000);
  ask(memory);
  datagrams_.clear();
  const auto whole_comes = [&](std::uint32_t number) {
    for (std::uint8_t i = 0; i < 2; ++i) {
      come(fragment(Type::data, number, number * 200 - 200, 200, i), 100);
    }
    run();
  };
  for (const std::uint32_t number : {1u, 2u, 3u}) whole_comes(number);
  MessageHeader other;
  other.message = 1;
  other.virtual_fragment = 9;
  other.bytes = 1;
  come(other, 1);
  run();
  whole_comes(4);
  EXPECT_EQ(datagrams_, (Datagrams{{1}, {2}, {3}, {3}, {4}}));
}

// What is lost with a datagram must be in another one, too: more virtual fragments than are
// acknowledged together have come in a turn.
TEST_F(EndpointOwed, NothingIsToldTwiceInOneDatagram) {
  std::vector<std::byte> memory(3000);
  ask(memory);
  datagrams_.clear();
  for (std::uint32_t number = 2; number <= 9; ++number) {
    come(fragment(Type::data, number, number * 200, 100, 0), 100);
  }
  run();
  come(fragment(Type::data, 10, 2000, 100, 0), 100);
  run();
  EXPECT_EQ(datagrams_, (Datagrams{{2, 3, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7, 8, 9}, {8, 9, 10}}));
}

// A late copy of its first frame does not know how long it is.
TEST_F(EndpointOwed, WhatKnowsLessOfAVirtualFragmentDoesNotMakeUpForIt) {
  MessageHeader eager;
  eager.bytes = 400;
  come(eager, 100);
  for (const auto i : std::to_array<std::uint8_t>({1, 3})) {
    come(fragment(Type::fragment, 0, 0, 400, i), 100);
  }
  come(fragment(Type::fragment, 0, 0, 400, 3), 100);
  run();
  said_.clear();
  come(eager, 100);
  run();
  std::uint64_t told = 0;
  for (const MessageHeader& each : said_) {
    if (each.of_fragments) told |= each.mask;
  }
  EXPECT_EQ(told, 0b1011u);
}

// Whatever is in its place then.
TEST_F(EndpointOwed, WhatWasToldOfAMessageThatIsWholeIsToldOnceMoreAsThat) {
  std::vector<std::byte> memory(400);
  ask(memory);
  for (std::uint8_t i = 0; i < 2; ++i) come(fragment(Type::data, 2, 200, 200, i), 100);
  run();
  said_.clear();
  for (std::uint8_t i = 0; i < 2; ++i) come(fragment(Type::data, 1, 0, 200, i), 100);
  MessageHeader other;
  other.message = 1;
  other.virtual_fragment = 3;
  other.bytes = 100;
  come(other, 100);
  run();
  std::multiset<std::uint32_t> fragments;
  for (const MessageHeader& each : said_) {
    fragments.insert(each.virtual_fragment);
    EXPECT_EQ(each.mask, ~std::uint64_t{0}) << each.virtual_fragment;
  }
  EXPECT_EQ(fragments, (std::multiset<std::uint32_t>{1, 2}));
  said_.clear();
  other.message = 2;
  other.virtual_fragment = 4;
  come(other, 100);
  run();
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_EQ(said_[0].virtual_fragment, 1u) << "and by now all have been told twice";
}

TEST_F(EndpointOwed, ALateCopyOfAnEagerFrameHidesNothing) {
  MessageHeader eager;
  eager.bytes = 400;
  come(eager, 100);
  come(fragment(Type::fragment, 0, 0, 400, 1), 100);
  come(fragment(Type::fragment, 0, 0, 400, 3), 100);
  come(eager, 100);
  run();
  ASSERT_FALSE(said_.empty());
  EXPECT_EQ(said_[0].mask, 0b1011u);
}

// One datagram has both: it costs the rail less than two.
TEST_F(EndpointOwed, AnAnswerSharesItsDatagramWithTheAcknowledgement) {
  MessageHeader question;
  question.bytes = 1;
  come(question, 1);
  run();
  const std::size_t before = said_.size();
  question.message = question.virtual_fragment = 1;
  come(question, 1);
  world_.at(1).turn(world_.now());
  const std::uint64_t frames = sent_by_1();
  ASSERT_NE(world_.send(1, 0, content(1, 8)), kNoRequest);
  world_.network.launch();
  EXPECT_EQ(sent_by_1() - frames, 1u);
  ASSERT_EQ(said_.size(), before + 1);
  EXPECT_EQ(said_.back().all_before, 2u);
}

// Each of the two is checked by itself.
TEST_F(EndpointOwed, WhatFollowsASpoiltAcknowledgementCounts) {
  for (const std::size_t spoilt : {20u, 60u}) {  // in the one, in the other
    const EndpointCounts before = world_.at(1).counts();
    MessageHeader acknowledgement, eager;
    acknowledgement.type = Type::acknowledgement;
    eager.message = eager.virtual_fragment = spoilt == 60u ? 1 : 0;
    eager.bytes = 1;
    std::vector<std::byte> datagram = frame_of(acknowledgement, 0);
    const std::vector<std::byte> second = frame_of(eager, 1);
    datagram.insert(datagram.end(), second.begin(), second.end());
    datagram[spoilt] ^= std::byte{1};
    world_.network.fabric(1, 0).arrive(datagram, world_.now());
    run();
    EXPECT_EQ(world_.at(1).counts().unverified - before.unverified, 1u);
    ASSERT_FALSE(said_.empty());
    EXPECT_EQ(said_.back().all_before, 1u);
  }
}

// Whoever computes after this turn keeps no sender waiting until the next one.
TEST_F(EndpointOwed, WhatTheNextTurnWouldSayIsSaidBefore) {
  MessageHeader eager;
  eager.bytes = 1;
  come(eager, 1);
  world_.at(1).turn(world_.now());
  world_.network.launch();
  EXPECT_EQ(said_.size(), 0u) << "an answer would go first";
  world_.at(1).acknowledge();
  world_.network.launch();
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_EQ(said_[0].all_before, 1u);
  run();
  EXPECT_EQ(said_.size(), 1u);
}

// For who may leave it to an answer that goes to that peer.
TEST_F(EndpointOwed, WhatTheNextTurnWouldSayIsKnownBefore) {
  EXPECT_EQ(world_.at(1).debts().peers, 0u);
  MessageHeader eager;
  eager.bytes = 100;
  come(eager, 100);
  world_.at(1).turn(world_.now());
  const Debts debts = world_.at(1).debts();
  EXPECT_EQ(debts.peers, 1u);
  EXPECT_EQ(debts.peer, ProcessId{0});
  EXPECT_EQ(debts.bytes, kMessageHeaderBytes + 100);
  EXPECT_FALSE(debts.is_overdue);
  world_.at(1).acknowledge();
  EXPECT_EQ(world_.at(1).debts().peers, 0u);
}

// Who keeps what it owes does not keep whoever waits to be granted his message.
TEST_F(EndpointOwed, WhatAReceiveGrantsGoesWithoutATurn) {
  MessageHeader question = request(1000);
  question.message = 1;
  MessageHeader eager;
  eager.bytes = 1;
  come(eager, 1);
  come(question, 0);
  world_.at(1).turn(world_.now());
  std::vector<std::byte> memory(1000);
  ASSERT_NE(world_.receive(1, 0, memory, 0), kNoRequest);
  ASSERT_NE(world_.receive(1, 0, memory, 0), kNoRequest);
  world_.at(1).flush();
  world_.network.launch();
  EXPECT_EQ(sent_, std::vector<Type>{Type::grant});
  EXPECT_EQ(world_.at(1).debts().peers, 1u);
}

// It would be acknowledged again when the rest has come.
TEST_F(EndpointOwed, APartOfAVirtualFragmentIsNotSaidBefore) {
  MessageHeader eager;
  eager.bytes = 400;
  come(eager, 100);
  world_.at(1).turn(world_.now());
  world_.at(1).acknowledge();
  world_.network.launch();
  EXPECT_EQ(said_.size(), 0u);
}

// Two fragments which are all of their virtual fragment, and so many messages, in one turn.
class EndpointOwedAll : public EndpointOwed {
 protected:
  void come_with(std::uint32_t messages) {
    ask(memory_);
    said_.clear();
    for (std::uint8_t i = 0; i < 2; ++i) come(fragment(Type::data, 1, 0, 200, i), 100);
    for (std::uint32_t i = 1; i <= messages; ++i) {
      MessageHeader eager;
      eager.message = i;
      eager.virtual_fragment = i + 1;
      come(eager, 0);
    }
    world_.at(1).turn(world_.now());
    world_.network.launch();
    ASSERT_FALSE(said_.empty());
  }

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(1000);
};

// Who is not held up sends on meanwhile.
TEST_F(EndpointOwedAll, IsSaidWhenTheTurnEnds) {
  come_with(100);
  for (const MessageHeader& each : said_) EXPECT_EQ(each.all_before, 101u);
}

// Which may be late, as anybody can prolong it.
TEST_F(EndpointOwedAll, IsSaidInALongTurnAfterAHundredFrames) {
  come_with(150);
  EXPECT_EQ(said_.front().all_before, 127u) << "two of 128 frames were fragments";
}

// Three fragments are an eighth of a window, which the last one completes.
class EndpointOwedMuch : public EndpointOwed {
 protected:
  static constexpr std::size_t kPostBytes = Caps{}.post_bytes_best, kEagerMax = 2 * kPostBytes;

  EndpointOwedMuch() : EndpointOwed(one_rail()) {}
  void question_comes() {
    ASSERT_NE(world_.receive(1, 0, question_, 0), kNoRequest);
    MessageHeader eager;
    eager.bytes = question_.size();
    come(eager, 100);
    come(fragment(Type::fragment, 0, 0, question_.size(), 1), 100);
    come(fragment(Type::fragment, 0, 0, question_.size(), 2), 100);
    world_.at(1).turn(world_.now());
    world_.network.launch();
  }

 private:
  static WorldOptions one_rail() {
    WorldOptions options;
    options.rails[0].frame_bytes_max = 16 << 10;
    options.endpoint.checksum = "";
    options.endpoint.limits.eager_bytes_max = kEagerMax;
    options.endpoint.limits.unexpected_bytes = kEagerMax;
    options.endpoint.limits.window_bytes = 8 * 3 * (kMessageHeaderBytes + 100);
    return options;
  }
  std::vector<std::byte> question_ = std::vector<std::byte>(300);
};

TEST_F(EndpointOwedMuch, AtTheEndOfAMessageItWaitsForTheAnswer) {
  question_comes();
  EXPECT_EQ(said_.size(), 0u);
  run();
  ASSERT_EQ(said_.size(), 1u) << "no answer: the next turn says it";
  EXPECT_EQ(said_[0].all_before, 1u);
}

TEST_F(EndpointOwedMuch, AtTheEndOfAGrantedMessageToo) {
  std::vector<std::byte> memory(300);
  ASSERT_NE(world_.receive(1, 0, memory, 0), kNoRequest);
  come(request(300), 0);
  run();
  const std::size_t before = said_.size();
  for (std::uint8_t i = 0; i < 3; ++i) come(fragment(Type::data, 1, 0, 300, i), 100);
  world_.at(1).turn(world_.now());
  world_.network.launch();
  EXPECT_EQ(said_.size(), before);
  run();
  ASSERT_EQ(said_.size(), before + 1);
  EXPECT_EQ(said_.back().mask, ~std::uint64_t{0});
}

TEST_F(EndpointOwedMuch, InTheMidstOfAMessageItIsSaidWhenTheTurnEndsAndTwiceAsMuchAtOnce) {
  std::vector<std::byte> memory(2000);
  ask(memory);
  said_.clear();
  std::uint8_t next = 0;
  const auto come_in_a_turn = [&](int fragments) {
    for (; fragments > 0; --fragments) come(fragment(Type::data, 1, 0, 2000, next++), 100);
    world_.at(1).turn(world_.now());
    world_.network.launch();
  };
  come_in_a_turn(2);
  EXPECT_EQ(said_.size(), 0u);
  come_in_a_turn(3);
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_EQ(said_[0].packet, 5u) << "all that have come, behind the request";
  come_in_a_turn(7);
  ASSERT_EQ(said_.size(), 2u);
  EXPECT_EQ(said_[1].packet, 11u) << "one more has come by then, in vain";
}

// Behind what fills posts it would cost one of its own, and the peer a read; what is shorter, or
// asks first, goes before it.
TEST_F(EndpointOwedMuch, AnAnswerThatFillsPostsHasItInFront) {
  question_comes();
  const std::vector<std::byte> answer = content(1, kPostBytes);
  ASSERT_NE(world_.send(1, 0, answer), kNoRequest);
  world_.network.launch();
  ASSERT_GE(sent_.size(), 2u);
  EXPECT_EQ(sent_[0], Type::acknowledgement);
  EXPECT_EQ(sent_[1], Type::eager);
}

TEST_F(EndpointOwedMuch, AnyOtherAnswerGoesFirst) {
  question_comes();
  const std::vector<std::byte> answer = content(1, kPostBytes - 1);
  ASSERT_NE(world_.send(1, 0, answer), kNoRequest);
  world_.network.launch();
  EXPECT_EQ(sent_.front(), Type::eager);
}

TEST_F(EndpointOwedMuch, OneThatAsksSharesItsDatagram) {
  question_comes();
  const std::uint64_t frames = world_.at(1).traffic(0).frames_sent;
  const std::vector<std::byte> answer = content(1, kEagerMax + 1);
  ASSERT_NE(world_.send(1, 0, answer), kNoRequest);
  world_.network.launch();
  EXPECT_EQ(sent_, (std::vector<Type>{Type::acknowledgement, Type::request}));
  EXPECT_EQ(world_.at(1).traffic(0).frames_sent - frames, 1u);
}

}  // namespace
}  // namespace holdfast::reliable
