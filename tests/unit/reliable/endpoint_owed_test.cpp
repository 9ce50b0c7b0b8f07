// What a receiver says of frames that a test has made itself, and on which rails.
#include <set>

#include "tests/unit/reliable/endpoint_world.hpp"

namespace holdfast::reliable {
namespace {

using Type = MessageFrameType;

class EndpointOwed : public ::testing::Test {
 protected:
  EndpointOwed() : world_(options()) {
    world_.asleep.insert(0);
    world_.network.script = [this](const Flight& flight) {
      if (flight.type() != Type::acknowledgement) return Fate{};
      MessageHeader header;
      const auto status = decode_message_header(
          flight.bytes, connection_seed(7, {1}, {0}, {0}, {0}), false, header);
      EXPECT_EQ(status, MessageDecodeStatus::ok);
      said_.push_back(header);
      rails_.insert(flight.rail);
      return Fate{};
    };
  }

  // A frame with so much payload comes to process 1, on rail 0.
  void come(MessageHeader header, std::size_t payload) {
    header.sender = ProcessId{0};
    header.packet = packet_++;
    std::vector<std::byte> frame(kMessageHeaderBytes + payload);
    encode_message_header(header, connection_seed(7, {0}, {0}, {1}, {0}), frame.data());
    world_.network.fabric(1, 0).arrive(frame, world_.now());
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

  World world_;
  std::vector<MessageHeader> said_;
  std::set<std::size_t> rails_;

 private:
  static WorldOptions options() {
    WorldOptions options;
    options.rails.resize(2);
    options.endpoint.checksum = "";
    return options;
  }
  std::uint32_t packet_ = 0;
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
  ASSERT_NE(world_.receive(1, 0, memory, 0), kNoRequest);
  come(request(1000), 0);
  run();
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

}  // namespace
}  // namespace holdfast::reliable
