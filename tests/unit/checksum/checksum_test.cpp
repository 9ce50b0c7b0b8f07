// Every registered checksum: its published value, at every alignment and length, in pieces, copied
// on the way and past the caches, and with seeds.
#include "stack/checksum/checksum.hpp"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "data.hpp"
#include "published.hpp"
#include "stack/checksum/sum_then_copy.hpp"

namespace holdfast {
namespace {

using Definition = std::uint64_t (*)(published::Data);

std::uint64_t xxh3(published::Data data) {
  return XXH3_64bits(data.data(), data.size());
}

const std::map<std::string_view, Definition>& definitions() {
  static const std::map<std::string_view, Definition> all = {
      {"sum32", published::sum32},
      {"xor32", published::xor32},
      {"adler32", published::adler32},
      {"fletcher64", published::fletcher64},
      {"jenkins_oaat", published::jenkins_oaat},
      {"fnv1a", published::fnv1a},
      {"knuth", published::knuth},
      {"murmur2a", published::murmur2a},
      {"superfast", published::superfast},
      {"crc32c", published::crc32c},
      {"xxh3", xxh3}};
  return all;
}

constexpr std::uint64_t kNever = ~std::uint64_t{0};

ChecksumPlan plan_streaming_from(std::uint64_t bytes) {
  ChecksumPlan plan = ChecksumPlan::of_this_processor();
  plan.streaming_from = bytes;
  return plan;
}

class EveryChecksum : public testing::TestWithParam<ChecksumEntry> {
 protected:
  Definition definition() const { return definitions().at(GetParam().name); }
  const std::unique_ptr<Checksum> checksum_ = GetParam().make(plan_streaming_from(kNever));
  const std::unique_ptr<Checksum> streaming_ = GetParam().make(plan_streaming_from(0));
};

TEST_P(EveryChecksum, HasItsPublishedValueAtEveryAlignmentAndLength) {
  const std::vector<std::uint8_t> data = random_octets(64 + 1100, 1);
  for (std::size_t bytes = 0; bytes <= 1100; ++bytes) {
    const std::size_t shift = bytes % 64;
    const published::Data octets(data.data() + shift, bytes);
    ASSERT_EQ(checksum_->of(as_data(octets)), definition()(octets)) << bytes;
  }
  for (std::size_t shift = 0; shift < 64; ++shift) {
    const published::Data octets(data.data() + shift, 777);
    ASSERT_EQ(checksum_->of(as_data(octets)), definition()(octets)) << shift;
  }
}

TEST_P(EveryChecksum, HasItsPublishedValueForManyBytes) {
  for (const std::size_t bytes : {4096u, 65536u, 300001u, 1000000u}) {
    std::vector<std::uint8_t> data = random_octets(bytes, bytes);
    EXPECT_EQ(checksum_->of(as_data(data)), definition()(data)) << bytes;
    std::fill(data.begin(), data.end(), std::uint8_t{0xff});  // the largest sums
    EXPECT_EQ(checksum_->of(as_data(data)), definition()(data)) << bytes;
  }
}

TEST_P(EveryChecksum, IsTheSameInAnyPieces) {
  const std::vector<std::uint8_t> data = random_octets(3000, 2);
  const std::uint64_t whole = checksum_->of(as_data(data), 5);
  Random random(3, 0, 0);
  for (int round = 0; round < 300; ++round) {
    ChecksumState state;
    checksum_->begin(state, 5, data.size());
    std::vector<std::byte> copied(data.size());
    for (std::size_t done = 0; done < data.size();) {
      const std::size_t longest = round % 3 == 0 ? 9 : round % 3 == 1 ? 100 : 2000;
      const std::size_t piece = std::min<std::size_t>(random.below(longest), data.size() - done);
      const auto from = as_data(data).subspan(done, piece);
      const ChecksumState before = state;  // a copy goes on by itself
      if (random.below(2) == 0) {
        checksum_->update(state, from);
        ChecksumState other = before;
        checksum_->copy(other, copied.data() + done, from);
      } else {
        checksum_->copy(state, copied.data() + done, from);
      }
      done += piece;
    }
    ASSERT_EQ(checksum_->finish(state), whole);
    ASSERT_TRUE(std::ranges::equal(copied, as_data(data)));
  }
}

// A copy may touch nothing beside its place.
TEST_P(EveryChecksum, CopiesExactlyWhatItReads) {
  const std::vector<std::uint8_t> data = random_octets(64 + 20000, 4);
  constexpr std::byte kUntouched{0xa5};
  Random random(5, 0, 0);
  for (std::size_t round = 0; round < 1400; ++round) {
    const std::size_t bytes = round < 1100 ? round : random.below(20000);
    const std::size_t from_shift = random.below(64), to_shift = random.below(64);
    const published::Data octets(data.data() + from_shift, bytes);
    for (const Checksum* checksum : {checksum_.get(), streaming_.get()}) {
      std::vector<std::byte> to(128 + bytes, kUntouched);
      const std::uint64_t value = checksum->copy_of(to.data() + to_shift, as_data(octets), 9);
      ASSERT_EQ(value, checksum_->of(as_data(octets), 9)) << bytes;
      ASSERT_TRUE(std::equal(octets.begin(), octets.end(),
                             reinterpret_cast<const std::uint8_t*>(to.data()) + to_shift));
      ASSERT_TRUE(std::all_of(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(to_shift),
                              [](std::byte byte) { return byte == kUntouched; }));
      ASSERT_TRUE(std::all_of(to.begin() + static_cast<std::ptrdiff_t>(to_shift + bytes), to.end(),
                              [](std::byte byte) { return byte == kUntouched; }));
    }
  }
}

TEST_P(EveryChecksum, IsTheSameInTwoPassesAndCopiesExactlyWhatItReads) {
  const std::vector<std::uint8_t> data = random_octets(3 * kSumThenCopyBytes + 100, 7);
  constexpr std::byte kUntouched{0xa5};
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{5000}, kSumThenCopyBytes - 1, kSumThenCopyBytes,
        kSumThenCopyBytes + 1, 3 * kSumThenCopyBytes + 13}) {
    const auto from = as_data(data).subspan(bytes % 64, bytes);
    std::vector<std::byte> to(bytes + 2, kUntouched);
    EXPECT_EQ(sum_then_copy_of(*checksum_, to.data() + 1, from, 9), checksum_->of(from, 9))
        << bytes;
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1)) << bytes;
    EXPECT_EQ(to.front(), kUntouched);
    EXPECT_EQ(to.back(), kUntouched);
  }
}

TEST_P(EveryChecksum, ValuesDependOnTheSeedAndFitTheirBits) {
  for (const std::size_t bytes : {1u, 64u, 1000u}) {
    const std::vector<std::uint8_t> data = random_octets(bytes, 6);
    std::set<std::uint64_t> values;
    for (std::uint64_t seed = 0; seed < 64; ++seed)
      values.insert(checksum_->of(as_data(data), seed));
    for (unsigned bit = 32; bit < 64; ++bit)
      values.insert(checksum_->of(as_data(data), std::uint64_t{1} << bit | 0x4000));
    // Adler's two sums fill less than 32 bits.
    EXPECT_GE(values.size(), 94u) << bytes;
    if (checksum_->bits() == 32) {
      EXPECT_EQ(*values.rbegin() >> 32, 0u);
    }
  }
}

TEST_P(EveryChecksum, NothingHasAValueToo) {
  EXPECT_EQ(checksum_->of({}), definition()({}));
  EXPECT_EQ(checksum_->copy_of(nullptr, {}), definition()({}));
  EXPECT_EQ(streaming_->copy_of(nullptr, {}), definition()({}));
}

TEST_P(EveryChecksum, ADifferentLengthThanAnnouncedIsOurBug) {
  ChecksumState state;
  checksum_->begin(state, 0, 2);
  checksum_->update(state, as_data(random_octets(1, 0)));
  EXPECT_DEATH(static_cast<void>(checksum_->finish(state)), "==");
}

INSTANTIATE_TEST_SUITE_P(Checksums, EveryChecksum,
                         testing::ValuesIn(checksums().begin(), checksums().end()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Checksums, AreFoundByName) {
  for (const ChecksumEntry& entry : checksums()) EXPECT_NE(make_checksum(entry.name), nullptr);
  EXPECT_EQ(make_checksum("crc32"), nullptr);
  EXPECT_EQ(checksums().size(), definitions().size());
}

std::uint64_t value_of(std::string_view name, std::string_view text) {
  return make_checksum(name)->of(std::as_bytes(std::span(text)));
}

// From RFC 1950's Wikipedia example, Landon Noll's test vectors, and Jenkins' page.
TEST(Checksums, HaveTheValuesThatTheirAuthorsPublished) {
  EXPECT_EQ(value_of("adler32", "Wikipedia"), 0x11e60398u);
  EXPECT_EQ(value_of("fnv1a", ""), 0xcbf29ce484222325u);
  EXPECT_EQ(value_of("fnv1a", "a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(value_of("fnv1a", "foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(value_of("jenkins_oaat", "a"), 0xca2e9442u);
  EXPECT_EQ(value_of("jenkins_oaat", "The quick brown fox jumps over the lazy dog"), 0x519e91f5u);
  EXPECT_EQ(value_of("fletcher64", "abcde"), 0xc8c6c527646362c6u);
  EXPECT_EQ(value_of("fletcher64", "abcdefgh"), 0x312e2b28cccac8c6u);
}

TEST(Checksums, AdlerIsZlibs) {
  const std::vector<std::uint8_t> data = random_octets(100000, 7);
  const auto checksum = make_checksum("adler32");
  for (const std::size_t bytes : {1u, 5551u, 5552u, 5553u, 100000u}) {
    const std::span<const std::uint8_t> octets(data.data(), bytes);
    EXPECT_EQ(checksum->of(as_data(octets)), ::adler32(1, octets.data(), static_cast<uInt>(bytes)));
  }
}

TEST(Checksums, SeedOfXxh3IsItsOwn) {
  const std::vector<std::uint8_t> data = random_octets(5000, 8);
  EXPECT_EQ(make_checksum("xxh3")->of(as_data(data), 0x123456789abcdef0),
            XXH3_64bits_withSeed(data.data(), data.size(), 0x123456789abcdef0));
}

}  // namespace
}  // namespace holdfast
