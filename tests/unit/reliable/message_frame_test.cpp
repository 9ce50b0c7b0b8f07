// Message frames: each field at its offset as the specification's table has it, what a checksum of
// this kind finds for certain, and frames that are meant for others.
#include "stack/reliable/message_frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "message_examples.hpp"
#include "stack/base/random.hpp"
#include "stack/checksum/checksum.hpp"

namespace holdfast::reliable {
namespace {

Frame encoded(const MessageHeader& header, std::size_t payload) {
  // What lies in the buffer from before must not shine through.
  Frame frame(48 + payload, std::byte{0xee});
  encode_message_header(header, kConnection, frame.data());
  return frame;
}

Status status_of(const Frame& frame, bool sealed = false,
                 const ConnectionSeed& connection = kConnection) {
  MessageHeader header;
  return decode_message_header(frame, connection, sealed, header);
}

// Whoever receives looks the connection up by the sender that the frame names.
Status status_on_arrival(const Frame& frame) {
  const ProcessId sender = sender_of_message_frame(frame);
  return status_of(frame, false,
                   connection_seed(kJob, sender, kSenderLife, kReceiver, kReceiverLife));
}

TEST(MessageFrame, EncodesAsTheTableSays) {
  for (const auto& [frame, header] : examples()) {
    Frame made = encoded(header, frame.size() - 48);
    std::copy(frame.begin() + 48, frame.end(), made.begin() + 48);
    EXPECT_EQ(made, frame) << "type " << static_cast<int>(header.type);
  }
}

// PROTOCOL 13.7: "ping" from process 2 to process 4.
TEST(MessageFrame, LooksAsTheSpecificationShowsIt) {
  const unsigned octets[] = {
      0x48, 0x4d, 3, 1, 2,    0,    0,    0,    6,    0,    0,    0,    7,   0,   0,   0,  8, 0,
      0,    0,    9, 0, 0,    0,    0,    0,    0,    0,    4,    0,    0,   0,   0,   0,  0, 0,
      10,   0,    0, 0, 0x13, 0x53, 0x31, 0xec, 0xcc, 0xb3, 0x6e, 0x86, 'p', 'i', 'n', 'g'};
  Frame shown;
  for (const unsigned octet : octets) shown.push_back(std::byte(octet));
  const ConnectionSeed connection = connection_seed(1, {2}, {3}, {4}, {5});
  const std::span payload = std::span(shown).subspan(48);
  MessageHeader header;
  header.type = Type::eager;
  header.sender = {2};
  header.packet = 6;
  header.message = 7;
  header.context = 8;
  header.tag = 9;
  header.bytes = 4;
  header.virtual_fragment = 10;
  header.payload_checksum =
      payload_checksum_field(make_checksum("crc32c")->of(payload, payload_seed(connection, 7, 0)));
  Frame made(shown.begin(), shown.end());
  std::fill_n(made.begin(), 48, std::byte{0xee});
  encode_message_header(header, connection, made.data());
  EXPECT_EQ(made, shown);
}

TEST(MessageFrame, DecodesWhatTheTableSays) {
  for (const auto& [frame, header] : examples()) {
    MessageHeader decoded = example(Type::eager).header;
    decoded.upto = decoded.stamp = decoded.offset = decoded.mask = 99;  // of a frame before
    ASSERT_EQ(decode_message_header(frame, kConnection, false, decoded), Status::ok);
    EXPECT_EQ(decoded, header) << "type " << static_cast<int>(header.type);
    EXPECT_EQ(sender_of_message_frame(frame), kSender);
    EXPECT_EQ(type_of_message_frame(frame), header.type);
  }
}

// PROTOCOL 13.9.
TEST(MessageFrame, AnotherOneFollowsAnAcknowledgementOnly) {
  for (const auto& [frame, header] : examples()) {
    Frame datagram = frame;
    EXPECT_EQ(first_message_frame(datagram).size(), frame.size());
    datagram.resize(frame.size() + 1);
    const bool ends = header.type == Type::acknowledgement;
    EXPECT_EQ(first_message_frame(datagram).size(), ends ? 48 : frame.size() + 1);
    EXPECT_EQ(first_message_frame(datagram).data(), datagram.data());
  }
  EXPECT_EQ(first_message_frame({}).size(), 0u);
  Frame foreign = example(Type::acknowledgement).frame;
  foreign[0] ^= std::byte{1};
  foreign.resize(96);
  EXPECT_EQ(first_message_frame(foreign).size(), 96u);
}

TEST(MessageFrame, FieldsThatATypeDoesNotHaveLeaveNoTrace) {
  for (const auto& [frame, header] : examples()) {
    MessageHeader crowded = header;
    if (header.type != Type::grant) crowded.upto = 1, crowded.final = true;
    if (header.type < Type::probe) crowded.stamp = 2;
    if (has_seal(header.type)) crowded.tag = 3, crowded.offset = 4, crowded.payload_checksum = 5;
    if (!has_seal(header.type)) crowded.mask = 6, crowded.rail = 7, crowded.heard = 8;
    if (header.type != Type::probe) crowded.left = 3, crowded.failed = 1, crowded.leavings = 2;
    if (header.type == Type::request) crowded.payload_checksum = 9;
    EXPECT_EQ(encoded(crowded, 0), encoded(header, 0));
  }
}

TEST(MessageFrame, AnAcknowledgementHasSixteenBitsOfAVirtualFragment) {
  MessageHeader header = example(Type::acknowledgement).header;
  header.virtual_fragment += 0xabc0000;
  EXPECT_EQ(encoded(header, 0), example(Type::acknowledgement).frame);
}

std::uint32_t draw32(Random& random) {
  return static_cast<std::uint32_t>(random.next() >> 32);
}

// A header that may be, all its numbers drawn from everything that they may be, and its payload.
struct Drawn {
  MessageHeader header;
  std::size_t payload = 0;
};

void draw_part(Random& random, Drawn& drawn) {
  MessageHeader& header = drawn.header;
  const std::uint64_t fragments = 1 + random.below(64);
  header.fragment_bytes = static_cast<std::uint32_t>(1 + random.below(9000));
  const std::uint64_t last = 1 + random.below(header.fragment_bytes);
  header.bytes = (fragments - 1) * header.fragment_bytes + last;
  header.index = static_cast<std::uint8_t>(random.below(fragments));
  header.offset = random.next() >> random.below(64);
  header.offset = std::min(header.offset, ~std::uint64_t{0} - header.bytes);
  drawn.payload = header.index + 1u == fragments ? last : header.fragment_bytes;
}

Drawn draw(Random& random) {
  Drawn drawn;
  MessageHeader& header = drawn.header;
  header.type = static_cast<Type>(1 + random.below(8));
  header.sender = {static_cast<std::uint32_t>(random.below(0xffffffff))};
  header.packet = draw32(random);
  const bool starts = header.type == Type::eager || header.type == Type::request;
  const bool probes = header.type == Type::probe || header.type == Type::answer;
  if (!probes && header.type != Type::acknowledgement) header.message = draw32(random);
  if (!has_seal(header.type)) header.virtual_fragment = draw32(random);
  if (has_payload(header.type)) header.payload_checksum = draw32(random);
  if (starts) {
    header.context = draw32(random);
    header.tag = random.next();
    header.bytes = random.below(4) == 0 ? 0 : 1 + (random.next() >> random.below(64));
    if (header.type == Type::eager && header.bytes > 0)
      drawn.payload = 1 + random.below(std::min<std::uint64_t>(header.bytes, 9000));
  } else if (!has_seal(header.type)) {
    draw_part(random, drawn);
  }
  if (has_seal(header.type)) header.heard = static_cast<std::uint8_t>(random.below(256));
  if (header.type == Type::acknowledgement) {
    header.all_before = draw32(random);
    const auto which = static_cast<std::uint32_t>(random.below(65536));
    header.of_fragments = random.below(2) == 1;
    header.before_it = header.of_fragments && random.below(2) == 1;
    (header.of_fragments ? header.virtual_fragment : header.message) =
        header.of_fragments ? which : header.all_before + which;
    header.credit = static_cast<std::uint16_t>(random.below(65536));
    header.mask = random.next();
    header.delay_us = static_cast<std::uint16_t>(random.below(65536));
  }
  if (header.type == Type::grant) {
    header.upto = random.next();
    header.final = random.below(2) == 1;
  }
  if (probes) header.stamp = random.next();
  if (header.type == Type::probe) {
    header.left = static_cast<std::uint8_t>(random.below(256));
    header.failed = static_cast<std::uint8_t>(header.left & random.below(256));
    header.leavings = static_cast<std::uint8_t>(random.below(256));
  }
  if (probes || header.type == Type::acknowledgement)
    header.rail = static_cast<std::uint8_t>(random.below(8));
  return drawn;
}

TEST(MessageFrame, WhateverMayBeSurvivesTheRoundTrip) {
  Random random(1, 0, 0);
  for (int i = 0; i < 100'000; ++i) {
    const Drawn drawn = draw(random);
    const Frame frame = encoded(drawn.header, drawn.payload);
    MessageHeader decoded;
    ASSERT_EQ(decode_message_header(frame, kConnection, false, decoded), Status::ok) << i;
    ASSERT_EQ(decoded, drawn.header) << i;
  }
}

void flip(Frame& frame, std::size_t bit) {
  frame[bit / 8] ^= std::byte(1u << (bit % 8));
}

TEST(MessageFrame, EveryFlippedBitIsFound) {
  for (const Example& example : examples()) {
    ASSERT_EQ(status_on_arrival(example.frame), Status::ok);
    for (std::size_t bit = 0; bit < 48 * 8; ++bit) {
      Frame frame = example.frame;
      flip(frame, bit);
      EXPECT_NE(status_of(frame), Status::ok) << "bit " << bit;
      EXPECT_NE(status_on_arrival(frame), Status::ok) << "bit " << bit;
    }
  }
}

// CRC-32C has a Hamming distance of 6 up to 655 bytes, and these are 68 with who is meant.
TEST(MessageFrame, UpToFiveFlippedBitsAreFound) {
  const std::vector<Example> all = examples();
  Random random(2, 0, 0);
  for (int i = 0; i < 200'000; ++i) {
    Frame frame = all[random.below(all.size())].frame;
    const Frame before = frame;
    for (std::uint64_t flips = 2 + random.below(4); flips > 0; --flips)
      flip(frame, random.below(48 * 8));
    if (frame == before) continue;
    ASSERT_NE(status_of(frame), Status::ok) << i;
  }
}

TEST(MessageFrame, BurstsOfUpTo32BitsAreFound) {
  const std::vector<Example> all = examples();
  Random random(3, 0, 0);
  for (int i = 0; i < 200'000; ++i) {
    Frame frame = all[random.below(all.size())].frame;
    const std::size_t begin = random.below(48 * 8 - 32);
    flip(frame, begin);
    for (std::size_t bit = begin + 1; bit < begin + 32; ++bit) {
      if (random.below(2) == 1) flip(frame, bit);
    }
    ASSERT_NE(status_of(frame), Status::ok) << i;
  }
}

TEST(MessageFrame, FramesOfOtherConnectionsAreRefused) {
  const struct {
    const char* what;
    ConnectionSeed connection;
  } others[] = {
      {"another job", connection_seed(kJob + 1, kSender, kSenderLife, kReceiver, kReceiverLife)},
      {"another sender", connection_seed(kJob, {8}, kSenderLife, kReceiver, kReceiverLife)},
      {"its next life",
       connection_seed(kJob, kSender, next(kSenderLife), kReceiver, kReceiverLife)},
      {"its life before", connection_seed(kJob, kSender, {0x10000}, kReceiver, kReceiverLife)},
      {"another receiver", connection_seed(kJob, kSender, kSenderLife, {6}, kReceiverLife)},
      {"its next boot", connection_seed(kJob, kSender, kSenderLife, kReceiver, {0x30000})},
      {"the way back", connection_seed(kJob, kReceiver, kReceiverLife, kSender, kSenderLife)},
  };
  for (const Example& example : examples()) {
    ASSERT_EQ(status_of(example.frame), Status::ok);
    for (const auto& [what, connection] : others)
      EXPECT_EQ(status_of(example.frame, false, connection), Status::bad_checksum) << what;
  }
}

TEST(MessageFrame, ASealStandsForTheChecksumWhereThereIsOne) {
  for (const Example& example : examples()) {
    Frame frame = example.frame;
    for (std::size_t at = 44; at < 48; ++at) frame[at] = std::byte{0x5a};
    EXPECT_EQ(status_of(frame), Status::bad_checksum);
    const bool seal = example.header.type >= Type::acknowledgement;
    EXPECT_EQ(status_of(frame, true), seal ? Status::ok : Status::bad_checksum);
  }
}

}  // namespace
}  // namespace holdfast::reliable
