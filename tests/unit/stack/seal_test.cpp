// Seals: SipHash-2-4-128 against an implementation written here from the paper (Aumasson,
// Bernstein: SipHash, 2012) and its authors' published vectors, keys by life and direction, flipped
// bits.
#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <bit>
#include <set>
#include <vector>

#include "stack/seal/replay_window.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Tag = std::array<std::uint8_t, 16>;

std::uint64_t word(const std::uint8_t* from, std::size_t bytes = 8) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{from[i]} << (8 * i);
  return value;
}

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void rounds(int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1, v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0, v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1, v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2, v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  }
  std::uint64_t result() const { return v0 ^ v1 ^ v2 ^ v3; }
};

Tag siphash_2_4_128(const Tag& key, const Bytes& message) {
  const std::uint64_t k0 = word(&key[0]), k1 = word(&key[8]);
  SipState s{k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du ^ 0xee, k0 ^ 0x6c7967656e657261u,
             k1 ^ 0x7465646279746573u};
  const std::size_t whole = message.size() / 8 * 8;
  for (std::size_t i = 0; i <= whole; i += 8) {
    const std::uint64_t m =
        i < whole ? word(&message[i])
                  : word(message.data() + i, message.size() - i) | message.size() << 56;
    s.v3 ^= m;
    s.rounds(2);
    s.v0 ^= m;
  }
  s.v2 ^= 0xee;
  s.rounds(4);
  const std::uint64_t low = s.result();
  s.v1 ^= 0xdd;
  s.rounds(4);
  const std::uint64_t high = s.result();
  Tag tag;
  for (std::size_t i = 0; i < 8; ++i) {
    tag[i] = static_cast<std::uint8_t>(low >> (8 * i));
    tag[i + 8] = static_cast<std::uint8_t>(high >> (8 * i));
  }
  return tag;
}

Tag counting_key() {
  Tag key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

// The seal that the product writes over `bytes` counting bytes.
Tag product_seal(std::size_t bytes) {
  std::vector<std::byte> frame(bytes + kSealBytes);
  for (std::size_t i = 0; i < bytes; ++i) frame[i] = std::byte(i & 0xff);
  PairKey key;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) key.bytes[i] = std::byte(i);
  find_seal("siphash128")->write(key, frame);
  Tag tag;
  for (std::size_t i = 0; i < 16; ++i) tag[i] = std::to_integer<std::uint8_t>(frame[bytes + i]);
  return tag;
}

// Of the reference implementation's vectors_sip128: key 00 … 0f, message 00 … n-1.
TEST(SipHash, AgreesWithTheAuthorsVectors) {
  EXPECT_EQ(product_seal(0), (Tag{0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72,
                                  0x14, 0xc7, 0x55, 0x02, 0x93}));
  EXPECT_EQ(product_seal(1), (Tag{0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59,
                                  0x11, 0x9b, 0x22, 0xfc, 0x45}));
  EXPECT_EQ(product_seal(2), (Tag{0x81, 0x77, 0x22, 0x8d, 0xa4, 0xa4, 0x5d, 0xc7, 0xfc, 0xa3, 0x8b,
                                  0xde, 0xf6, 0x0a, 0xff, 0xe4}));
}

TEST(SipHash, AgreesWithThePaperAtEveryLength) {
  Bytes message;
  for (std::size_t bytes = 0; bytes <= kFrameBytesMax - kSealBytes; ++bytes) {
    EXPECT_EQ(product_seal(bytes), siphash_2_4_128(counting_key(), message)) << bytes;
    message.push_back(static_cast<std::uint8_t>(bytes));
  }
}

JobKey job_key(int first) {
  JobKey key;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    key.bytes[i] = std::byte((static_cast<std::size_t>(first) + i) & 0xff);
  }
  return key;
}

PairKey derive(int job, std::uint32_t from, std::uint32_t from_life, std::uint32_t to,
               std::uint32_t to_life) {
  return find_seal("siphash128")->derive(job_key(job), {from}, {from_life}, {to}, {to_life});
}

// BLAKE2b of the four numbers, little-endian, keyed with the job's key (specification, 8.1).
TEST(SipHash, PairKeyIsKeyedBlake2bOfBothProcessesAndLives) {
  const std::array<std::uint8_t, 16> pair{0x04, 0x03, 0x02, 0x01, 7, 0, 1, 0,
                                          9,    0,    0,    0,    0, 0, 2, 0};
  std::array<std::uint8_t, 32> job;
  for (std::size_t i = 0; i < job.size(); ++i) job[i] = static_cast<std::uint8_t>(100 + i);
  Tag expected;
  ASSERT_EQ(crypto_generichash(expected.data(), expected.size(), pair.data(), pair.size(),
                               job.data(), job.size()),
            0);
  const PairKey key = derive(100, 0x01020304, 0x10007, 9, 0x20000);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::to_integer<std::uint8_t>(key.bytes[i]), expected[i]);
  }
}

TEST(SipHash, KeysDifferByDirectionLifeAndJob) {
  std::set<std::array<std::byte, 16>> keys;
  for (const int job : {0, 1}) {
    for (const std::uint32_t from_life : {0u, 1u, 65536u}) {
      for (const std::uint32_t to_life : {0u, 1u, 65536u}) {
        keys.insert(derive(job, 1, from_life, 2, to_life).bytes);
        keys.insert(derive(job, 2, from_life, 1, to_life).bytes);
        keys.insert(derive(job, 1, from_life, 3, to_life).bytes);
      }
    }
  }
  EXPECT_EQ(keys.size(), 2u * 3 * 3 * 3);
}

std::vector<std::byte> notice() {
  const holdfast::Run run{{2}, {0}, 1, MemberState::failed};
  Body body;
  body.upto = 1;
  body.runs = {&run, 1};
  std::vector<std::byte> frame(kFrameBytesMax);
  Header header;
  header.type = FrameType::notice;
  header.seal = SealAlgorithm::siphash128;
  frame.resize(encode_frame(header, body, frame));
  return frame;
}

TEST(SipHash, EveryFlippedBitFails) {
  const Seal& seal = *find_seal("siphash128");
  const PairKey key = derive(0, 1, 0, 2, 0);
  std::vector<std::byte> frame = notice();
  seal.write(key, frame);
  ASSERT_TRUE(seal.matches(key, frame));
  EXPECT_FALSE(seal.matches(derive(0, 2, 0, 1, 0), frame));
  for (std::byte& byte : frame) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      byte ^= std::byte{1} << bit;
      EXPECT_FALSE(seal.matches(key, frame));
      byte ^= std::byte{1} << bit;
    }
  }
  EXPECT_TRUE(seal.matches(key, frame));
}

TEST(NoSeal, IsZeroAndNothingElseMatches) {
  const Seal& seal = *find_seal("none");
  EXPECT_FALSE(seal.keyed());
  std::vector<std::byte> frame = notice();
  EXPECT_TRUE(seal.matches({}, frame));
  for (std::size_t i = 1; i <= kSealBytes; ++i) {
    frame[frame.size() - i] = std::byte{0x80};
    EXPECT_FALSE(seal.matches({}, frame));
    frame[frame.size() - i] = std::byte{0};
  }
}

TEST(ReplayWindow, TakesEverySequenceOnceInWhateverOrder) {
  ReplayWindow window;
  for (const std::uint64_t sequence : {1u, 3u, 2u, 256u, 4u, 700u, 445u, 699u}) {
    EXPECT_TRUE(window.take(0, sequence)) << sequence;
    EXPECT_FALSE(window.take(0, sequence)) << sequence;
  }
  EXPECT_FALSE(window.take(0, 444));  // too old to tell
  EXPECT_TRUE(window.take(0, 446));
}

TEST(ReplayWindow, BeginsAgainWithALaterBootAndNeverWithAnEarlierOne) {
  ReplayWindow window;
  EXPECT_TRUE(window.take(1, 900));
  EXPECT_FALSE(window.take(0, 901));
  EXPECT_TRUE(window.take(2, 1));
  EXPECT_FALSE(window.take(2, 1));
  EXPECT_FALSE(window.take(1, 902));
}

TEST(Seals, AreFoundByName) {
  EXPECT_EQ(find_seal("none")->algorithm(), SealAlgorithm::none);
  EXPECT_EQ(find_seal("siphash128")->algorithm(), SealAlgorithm::siphash128);
  EXPECT_EQ(find_seal("siphash"), nullptr);
}

}  // namespace
}  // namespace holdfast
