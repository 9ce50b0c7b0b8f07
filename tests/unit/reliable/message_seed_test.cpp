// What checksums of message frames begin with: other numbers for everything that is not the same,
// above all for neighbours, as those are what is mistaken for each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "message_examples.hpp"
#include "stack/base/random.hpp"
#include "stack/checksum/checksum.hpp"

namespace holdfast::reliable {
namespace {

template <class Number>
bool all_differ(std::vector<Number>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

// Job, sender, its incarnation, receiver, its incarnation.
using Meant = std::array<std::uint32_t, 5>;

ConnectionSeed seed_of(const Meant& m) {
  return connection_seed(m[0], {m[1]}, {m[2]}, {m[3]}, {m[4]});
}

TEST(ConnectionSeed, NoTwoOfAMillionNeighboursAreAlike) {
  std::vector<std::uint32_t> headers;
  std::vector<std::uint64_t> payloads;
  for (std::uint32_t i = 0; i < 1u << 20; ++i) {
    // The lives of either are four boots of four refutations.
    const auto life = [](std::uint32_t of) { return (of / 4) << 16 | of % 4; };
    const ConnectionSeed seed =
        seed_of({i % 16, i >> 4 & 15, life(i >> 8 & 15), i >> 12 & 15, life(i >> 16 & 15)});
    headers.push_back(seed.header);
    payloads.push_back(seed.payload);
  }
  EXPECT_TRUE(all_differ(headers));
  EXPECT_TRUE(all_differ(payloads));
}

TEST(ConnectionSeed, OneOtherNumberIsAlwaysSeen) {
  Random random(1, 0, 0);
  const auto draw = [&] { return static_cast<std::uint32_t>(random.next()); };
  for (int i = 0; i < 200'000; ++i) {
    Meant meant{draw(), draw(), draw(), draw(), draw()};
    const ConnectionSeed before = seed_of(meant);
    std::uint32_t& one = meant[random.below(meant.size())];
    const std::uint32_t other = random.below(2) == 0 ? draw() : one + 1;
    if (other == one) continue;
    one = other;
    EXPECT_NE(seed_of(meant).header, before.header);
    EXPECT_NE(seed_of(meant).payload, before.payload);
  }
}

// PROTOCOL 13.5 and 13.6.
TEST(Seeds, HaveTheValuesOfTheSpecification) {
  const ConnectionSeed seed = seed_of({1, 2, 3, 4, 5});
  EXPECT_EQ(seed.header, 0xbe9aa9f8u);
  EXPECT_EQ(seed.payload, 0x2cab3cd192282b24u);
  EXPECT_EQ(payload_seed(seed, 7, 0), 0xdc828ffd07b2f081u);
}

TEST(PayloadSeed, NoTwoOfAMillionNeighboursAreAlike) {
  std::vector<std::uint64_t> seeds;
  for (std::uint32_t message = 0; message < 1000; ++message) {
    for (std::uint64_t fragment = 0; fragment < 1000; ++fragment)
      seeds.push_back(payload_seed(kConnection, message, fragment * 1352));
  }
  // And the same places of the connection's way back.
  const ConnectionSeed back = connection_seed(kJob, kReceiver, kReceiverLife, kSender, kSenderLife);
  for (std::uint64_t fragment = 0; fragment < 1000; ++fragment)
    seeds.push_back(payload_seed(back, 0, fragment * 1352));
  EXPECT_TRUE(all_differ(seeds));
}

// A well mixed number changes half of its bits, and each as often as the others, whichever bit of
// what it is made from is another. Of 2,000 trials 6 standard deviations are 134.
TEST(PayloadSeed, EachBitOfAPlaceChangesHalfOfTheBits) {
  Random random(2, 0, 0);
  for (unsigned bit = 0; bit < 96; ++bit) {
    std::array<int, 64> changes{};
    for (int i = 0; i < 2'000; ++i) {
      const ConnectionSeed connection{0, random.next()};
      const auto message = static_cast<std::uint32_t>(random.next());
      const std::uint64_t offset = random.next();
      const std::uint32_t other_message = bit < 32 ? message ^ 1u << bit : message;
      const std::uint64_t other_offset =
          bit < 32 ? offset : offset ^ std::uint64_t{1} << (bit - 32);
      const std::uint64_t changed = payload_seed(connection, message, offset) ^
                                    payload_seed(connection, other_message, other_offset);
      for (unsigned b = 0; b < 64; ++b) changes[b] += static_cast<int>(changed >> b & 1);
    }
    for (const int count : changes) EXPECT_NEAR(count, 1'000, 134) << "bit " << bit;
  }
}

TEST(PayloadChecksum, OfSixtyFourBitsHasBothHalvesInItsField) {
  EXPECT_EQ(payload_checksum_field(0x01234567), 0x01234567u);
  EXPECT_EQ(payload_checksum_field(0x8000'0001'0123'4567), 0x81234566u);
}

// As a receiver has it: what is right in one place is wrong in every other.
TEST(PayloadSeed, AFragmentInTheWrongPlaceDoesNotVerify) {
  const auto crc32c = make_checksum("crc32c");
  const std::vector<std::byte> fragment(1352, std::byte{0x5a});
  std::vector<std::uint64_t> checksums;
  for (std::uint32_t message = 0; message < 8; ++message) {
    for (std::uint64_t i = 0; i < 512; ++i)
      checksums.push_back(
          crc32c->of(fragment, payload_seed(kConnection, message, i * fragment.size())));
  }
  EXPECT_TRUE(all_differ(checksums));
}

}  // namespace
}  // namespace holdfast::reliable
