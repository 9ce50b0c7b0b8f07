// What CRC-32C promises: no 1 to 3 flipped bits, no burst of up to 32 bits, no swapped words and no
// other seed has the same value. Sampled, with fixed seeds, on the kernel that runs here.
#include <gtest/gtest.h>

#include <array>

#include "data.hpp"
#include "stack/checksum/checksum.hpp"
#include "stack/checksum/crc32c.hpp"

namespace holdfast {
namespace {

constexpr int kRounds = 20000;

class Message {
 public:
  explicit Message(std::size_t bytes) : octets_(random_octets(bytes, bytes)) {}

  std::size_t bits() const { return 8 * octets_.size(); }
  void flip(std::size_t bit) {
    octets_[bit / 8] = static_cast<std::uint8_t>(octets_[bit / 8] ^ (1u << (bit % 8)));
  }
  std::uint32_t crc() const { return crc32c(as_data(octets_)); }

 private:
  std::vector<std::uint8_t> octets_;
};

class Damage : public testing::TestWithParam<std::size_t> {
 protected:
  Message message_{GetParam()};
  const std::uint32_t intact_ = message_.crc();
  Random random_{GetParam(), 1, 0};
};

TEST_P(Damage, UpToThreeFlippedBitsAreSeen) {
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t first = random_.below(message_.bits());
    const std::size_t second = random_.below(message_.bits());
    const std::size_t third = random_.below(message_.bits());
    message_.flip(first);
    ASSERT_NE(message_.crc(), intact_) << first;
    if (second == first || third == first || third == second) {
      message_.flip(first);
      continue;
    }
    message_.flip(second);
    ASSERT_NE(message_.crc(), intact_) << first << " " << second;
    message_.flip(third);
    ASSERT_NE(message_.crc(), intact_) << first << " " << second << " " << third;
    for (const std::size_t bit : {first, second, third}) message_.flip(bit);
  }
  EXPECT_EQ(message_.crc(), intact_);
}

TEST_P(Damage, BurstsOfUpTo32BitsAreSeen) {
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t length = 2 + random_.below(31);
    const std::size_t start = random_.below(message_.bits() - length + 1);
    std::vector<std::size_t> flipped = {start, start + length - 1};
    for (std::size_t bit = start + 1; bit < start + length - 1; ++bit) {
      if (random_.below(2) == 0) flipped.push_back(bit);
    }
    for (const std::size_t bit : flipped) message_.flip(bit);
    ASSERT_NE(message_.crc(), intact_) << length << " bits from " << start;
    for (const std::size_t bit : flipped) message_.flip(bit);
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, Damage, testing::Values(48u, 655u, 1400u, 9000u));

TEST(Damage, SwappedWordsAreSeenAndASumDoesNotSeeThem) {
  std::vector<std::uint8_t> data = random_octets(4096, 1);
  const auto sum = make_checksum("sum32"), crc = make_checksum("crc32c");
  const std::uint64_t sum_before = sum->of(as_data(data));
  const std::uint64_t crc_before = crc->of(as_data(data));
  std::swap_ranges(data.begin(), data.begin() + 4, data.begin() + 1024);
  EXPECT_EQ(sum->of(as_data(data)), sum_before);
  EXPECT_NE(crc->of(as_data(data)), crc_before);
}

// A fragment in the wrong place has the wrong seed: its value differs as from flipped bits.
TEST(Damage, AnotherSeedIsAlwaysSeen) {
  const std::vector<std::uint8_t> data = random_octets(1400, 2);
  const auto crc = make_checksum("crc32c");
  Random random(3, 0, 0);
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t seed = random.next();
    const std::uint64_t other = seed ^ (1 + random.below(0xffffffff)) << random.below(32);
    ASSERT_NE(crc->of(as_data(data), seed), crc->of(as_data(data), other));
  }
}

}  // namespace
}  // namespace holdfast
