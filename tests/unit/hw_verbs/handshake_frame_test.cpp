// The bytes of the handshake: PROTOCOL 11.2 and 11.3. Offsets and the check are computed here from
// the text.
#include "hw/verbs/handshake_frame.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "stack/base/random.hpp"

namespace holdfast::hw {
namespace {

using Bytes = std::array<std::byte, kHandshakeBytes>;

HandshakeFrame sample() {
  HandshakeFrame frame;
  frame.says = Says::linked;
  for (std::size_t i = 0; i < 16; ++i) frame.sender.gid[i] = static_cast<std::byte>(0x10 + i);
  frame.sender.lid = 0x0a0b;
  frame.sender.queue_pair = 0x11'2233;
  frame.attempt = 0x0102'0304'0506'0708;
  frame.order = 0x2122'2324'2526'2728;
  frame.heard = 0x1112'1314'1516'1718;
  frame.pair = {0x44'5566, 0x77'8899, 3, 16};
  return frame;
}

// 11.3, in words: the first 64 bytes as eight numbers; the mixture of each with the mixture before.
void put_check(Bytes& bytes) {
  std::uint64_t check = 0;
  for (std::size_t word = 0; word < 8; ++word) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i > 0; --i)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes[8 * word + i - 1]);
    check = mix64(check ^ value);
  }
  for (std::size_t i = 0; i < 8; ++i) bytes[64 + i] = static_cast<std::byte>(check >> 8 * i);
}

TEST(HandshakeFrame, HasTheBytesOfTheSpecification) {
  Bytes expected{};
  std::size_t at = 0;
  const auto put = [&](std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) expected[at++] = static_cast<std::byte>(value >> 8 * i);
  };
  for (const char letter : {'H', 'F', 'H', 'R'}) put(static_cast<std::uint64_t>(letter), 1);
  put(1, 1);   // version
  put(2, 1);   // linked
  put(3, 1);   // packet size
  put(16, 1);  // reads
  for (std::uint64_t i = 0; i < 16; ++i) put(0x10 + i, 1);
  put(0x0a0b, 2);
  put(0, 2);
  put(0x11'2233, 4);
  put(0x0102'0304'0506'0708, 8);
  put(0x2122'2324'2526'2728, 8);
  put(0x1112'1314'1516'1718, 8);
  put(0x44'5566, 4);
  put(0x77'8899, 4);
  ASSERT_EQ(at, 64u);
  put_check(expected);
  EXPECT_EQ(encode(sample()), expected);
  EXPECT_EQ(decode_handshake(expected), sample());
}

TEST(HandshakeFrame, AnyBitThatFlipsIsSeen) {
  const Bytes bytes = encode(sample());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    EXPECT_FALSE(decode_handshake(flipped).has_value()) << "bit " << bit;
  }
}

TEST(HandshakeFrame, OtherLengthsAreRefused) {
  std::array<std::byte, 2 * kHandshakeBytes> bytes{};
  const Bytes good = encode(sample());
  std::memcpy(bytes.data(), good.data(), good.size());
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_EQ(decode_handshake(std::span(bytes).first(size)).has_value(), size == 72) << size;
  }
}

// Each wrong by itself, under a check that is right.
TEST(HandshakeFrame, FieldsOutOfTheirRangeAreRefused) {
  const auto refused = [](std::size_t offset, std::initializer_list<unsigned> bytes) {
    Bytes changed = encode(sample());
    std::size_t at = offset;
    for (const unsigned byte : bytes) changed[at++] = static_cast<std::byte>(byte);
    put_check(changed);
    return !decode_handshake(changed).has_value();
  };
  EXPECT_FALSE(refused(24, {1, 2})) << "the test itself: another LID is right";
  EXPECT_TRUE(refused(0, {'X'}));
  EXPECT_TRUE(refused(4, {2})) << "another version";
  EXPECT_TRUE(refused(5, {0}));
  EXPECT_TRUE(refused(5, {5}));
  EXPECT_TRUE(refused(5, {4})) << "who is gone has no queue pair";
  EXPECT_TRUE(refused(6, {0}));
  EXPECT_TRUE(refused(6, {6}));
  EXPECT_TRUE(refused(7, {0}));
  EXPECT_TRUE(refused(26, {1}));
  EXPECT_TRUE(refused(28, {1, 0, 0, 0}));
  EXPECT_TRUE(refused(28, {0xff, 0xff, 0xff, 0})) << "multicast";
  EXPECT_TRUE(refused(32, {0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(refused(48, {0, 0, 0, 0, 0, 0, 0, 0})) << "linked to whom it has not heard";
  EXPECT_TRUE(refused(56, {1, 0, 0, 0}));
  EXPECT_TRUE(refused(59, {1}));
  EXPECT_TRUE(refused(63, {1}));
}

TEST(HandshakeFrame, WhoIsGoneAndWhoAsksComeThrough) {
  HandshakeFrame gone = sample();
  gone.says = Says::gone;
  gone.pair = {};
  EXPECT_EQ(decode_handshake(encode(gone)), gone);
  HandshakeFrame asking = sample();
  asking.says = Says::asking;
  asking.heard = 0;
  EXPECT_EQ(decode_handshake(encode(asking)), asking);
}

TEST(HandshakeFrame, NoiseIsRefused) {
  Random random(7, 1, 0);
  Bytes bytes;
  for (int i = 0; i < 20'000; ++i) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    EXPECT_FALSE(decode_handshake(bytes).has_value());
  }
}

}  // namespace
}  // namespace holdfast::hw
