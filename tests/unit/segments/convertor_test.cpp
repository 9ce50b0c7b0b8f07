// The convertor against an oracle that lists every byte of the stream: drawn lists, moved in drawn
// pieces from drawn places, with and without checksums.
#include "stack/segments/convertor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "drawn_lists.hpp"
#include "stack/checksum/sum_then_copy.hpp"
#include "tests/drawn.hpp"

namespace holdfast {
namespace {

constexpr std::size_t kArenaBytes = 12'000;
constexpr int kLists = tests::drawn(10'000);
constexpr std::byte kUntouched{0xa5};

std::vector<std::byte> random_bytes(std::size_t bytes, std::uint64_t seed) {
  Random random(seed, 2, 0);
  std::vector<std::byte> drawn(bytes);
  for (std::byte& byte : drawn) byte = static_cast<std::byte>(random.next() >> 56);
  return drawn;
}

std::vector<std::byte> stream_of(const std::vector<std::byte*>& bytes) {
  std::vector<std::byte> stream;
  for (const std::byte* byte : bytes) stream.push_back(*byte);
  return stream;
}

// Of `left`: often short, sometimes all, sometimes nothing.
std::uint64_t draw_piece(Random& random, std::uint64_t left) {
  const std::uint64_t longest =
      std::array<std::uint64_t, 4>{4, 50, 1500, left + 1}[random.below(4)];
  return std::min(left, random.below(longest + 1));
}

class Convertor : public testing::Test {
 protected:
  std::vector<std::byte> arena_ = random_bytes(kArenaBytes, 1);
  DrawnLists lists_{arena_, 7};
  Random& random_ = lists_.random();
  SegmentList list_;
};

TEST_F(Convertor, PacksTheStreamFromAnyPlaceInAnyPieces) {
  std::uint64_t bytes_seen = 0;
  for (int i = 0; i < kLists; ++i) {
    const Description drawn = lists_.draw();
    const std::vector<std::byte> stream = stream_of(bytes_of(drawn));
    ASSERT_EQ(list_.describe(drawn.segments, MemoryUse::sending, drawn.elements),
              SegmentFault::none);
    ASSERT_EQ(list_.bytes(), stream.size());
    SegmentCursor cursor(list_);
    for (int moves = 0; moves < 12; ++moves) {
      if (random_.below(4) == 0) cursor.seek(random_.below(stream.size() + 1));
      const std::uint64_t at = cursor.at();
      const std::uint64_t bytes = draw_piece(random_, cursor.left());
      std::vector<std::byte> packed(bytes + 1, kUntouched);
      pack(cursor, packed.data(), bytes);
      ASSERT_EQ(cursor.at(), at + bytes);
      ASSERT_TRUE(std::equal(packed.begin(), packed.end() - 1, stream.data() + at)) << "list " << i;
      ASSERT_EQ(packed.back(), kUntouched);
      bytes_seen += bytes;
    }
  }
  EXPECT_GT(bytes_seen, tests::drawn(10'000'000u));
}

TEST_F(Convertor, UnpacksToWhereEachByteBelongsAndNowhereElse) {
  int received = 0;
  for (int i = 0; i < kLists; ++i) {
    const Description drawn = lists_.draw();
    const std::vector<std::byte*> bytes = bytes_of(drawn);
    const SegmentFault fault = list_.describe(drawn.segments, MemoryUse::receiving, drawn.elements);
    if (has_twins(bytes, arena_)) continue;  // refused or not: only some overlaps are looked for
    ASSERT_EQ(fault, SegmentFault::none) << "list " << i << " was refused, and has no overlap";
    ++received;
    std::vector<std::byte> expected = arena_;
    const std::vector<std::byte> stream = random_bytes(bytes.size(), static_cast<unsigned>(i));
    for (std::size_t b = 0; b < bytes.size(); ++b)
      expected[static_cast<std::size_t>(bytes[b] - arena_.data())] = stream[b];
    // In drawn pieces, each from a cursor of its own as fragments come, the last one first.
    std::vector<std::uint64_t> cuts = {0};
    while (cuts.back() < bytes.size())
      cuts.push_back(cuts.back() +
                     std::max<std::uint64_t>(1, draw_piece(random_, bytes.size() - cuts.back())));
    for (std::size_t c = cuts.size() - 1; c > 0; --c) {
      SegmentCursor cursor(list_, cuts[c - 1]);
      const std::uint64_t half = (cuts[c] - cuts[c - 1]) / 2;
      unpack(cursor, stream.data() + cuts[c - 1], half);
      unpack(cursor, stream.data() + cuts[c - 1] + half, cuts[c] - cuts[c - 1] - half);
      ASSERT_EQ(cursor.at(), cuts[c]);
    }
    ASSERT_EQ(arena_, expected) << "list " << i;
  }
  EXPECT_GT(received, kLists / 2);
}

TEST_F(Convertor, SaysWhatMayBeSentFromWhereItLies) {
  for (int i = 0; i < kLists / 10; ++i) {
    const Description drawn = lists_.draw();
    const std::vector<std::byte*> bytes = bytes_of(drawn);
    ASSERT_EQ(list_.describe(drawn.segments, MemoryUse::sending, drawn.elements),
              SegmentFault::none);
    SegmentCursor cursor(list_, random_.below(bytes.size() + 1));
    const std::span<std::byte> here = cursor.contiguous();
    ASSERT_LE(here.size(), cursor.left());
    ASSERT_EQ(here.empty(), cursor.left() == 0);
    for (std::size_t b = 0; b < here.size(); ++b) ASSERT_EQ(&here[b], bytes[cursor.at() + b]);
  }
}

TEST_F(Convertor, ACursorIsAValue) {
  Description drawn = lists_.draw();
  while (bytes_of(drawn).size() < 100) drawn = lists_.draw();
  ASSERT_EQ(list_.describe(drawn.segments, MemoryUse::sending, drawn.elements), SegmentFault::none);
  SegmentCursor one(list_, 33);
  SegmentCursor other = one;
  std::array<std::byte, 50> first{}, second{};
  pack(one, first.data(), first.size());
  pack(other, second.data(), second.size());
  EXPECT_EQ(first, second);
}

class EveryChecksum : public testing::TestWithParam<ChecksumEntry> {
 protected:
  const std::unique_ptr<Checksum> checksum_ = make_checksum(GetParam().name);
  std::vector<std::byte> arena_ = random_bytes(kArenaBytes, 3);
  DrawnLists lists_{arena_, 11};
  Random& random_ = lists_.random();
  SegmentList list_;
};

// Calls operation(cursor, at, bytes, checksum) for drawn pieces in their order; returns the value.
template <class Operation>
std::uint64_t in_pieces(const Checksum& checksum, const SegmentList& list, Random& random,
                        Operation operation) {
  ChecksumState state;
  checksum.begin(state, 5, list.bytes());
  SegmentCursor cursor(list);
  while (cursor.left() > 0) {
    const std::uint64_t bytes = draw_piece(random, cursor.left());
    operation(cursor, cursor.at(), bytes, RunningChecksum{checksum, state});
  }
  return checksum.finish(state);
}

TEST_P(EveryChecksum, OfAListIsThatOfItsStream) {
  for (int i = 0; i < tests::drawn(400); ++i) {
    const Description drawn = lists_.draw();
    const std::vector<std::byte*> bytes = bytes_of(drawn);
    const std::vector<std::byte> stream = stream_of(bytes);
    const std::uint64_t whole = checksum_->of(stream, 5);
    ASSERT_EQ(list_.describe(drawn.segments, MemoryUse::sending, drawn.elements),
              SegmentFault::none);
    using Pack = void (*)(SegmentCursor&, std::byte*, std::uint64_t, RunningChecksum);
    for (const Pack pack_some : {static_cast<Pack>(pack), static_cast<Pack>(pack_in_two_passes)}) {
      std::vector<std::byte> packed(stream.size());
      const auto packing = [&](SegmentCursor& cursor, std::uint64_t at, std::uint64_t some,
                               RunningChecksum running) {
        pack_some(cursor, packed.data() + at, some, running);
      };
      ASSERT_EQ(in_pieces(*checksum_, list_, random_, packing), whole) << "list " << i;
      ASSERT_EQ(packed, stream);
    }
    const auto looking = [](SegmentCursor& cursor, std::uint64_t, std::uint64_t some,
                            RunningChecksum running) { checksum_only(cursor, some, running); };
    ASSERT_EQ(in_pieces(*checksum_, list_, random_, looking), whole) << "list " << i;

    if (has_twins(bytes, arena_)) continue;
    ASSERT_EQ(list_.describe(drawn.segments, MemoryUse::receiving, drawn.elements),
              SegmentFault::none);
    for (std::byte* byte : bytes) *byte = kUntouched;
    const auto unpacking = [&](SegmentCursor& cursor, std::uint64_t at, std::uint64_t some,
                               RunningChecksum running) {
      unpack(cursor, stream.data() + at, some, running);
    };
    ASSERT_EQ(in_pieces(*checksum_, list_, random_, unpacking), whole) << "list " << i;
    ASSERT_EQ(stream_of(bytes), stream) << "list " << i;
  }
}

// Blocks of less than a piece, of one, and of several; and some at a distance from each other.
TEST_P(EveryChecksum, OfLongBlocksIsTheSameInTwoPasses) {
  std::vector<std::byte> memory = random_bytes(200'000, 12);
  std::vector<Segment> segments;
  std::size_t at = 0;
  for (const std::size_t bytes : {std::size_t{100}, kSumThenCopyBytes, 3 * kSumThenCopyBytes + 7,
                                  std::size_t{20'000}, kSumThenCopyBytes - 1}) {
    segments.push_back({memory.data() + at, bytes, {}});
    at += bytes + 1000;
  }
  segments.push_back({memory.data(), 5000, {Level{4, 7001}}});
  ASSERT_EQ(list_.describe(segments, MemoryUse::sending), SegmentFault::none);
  std::vector<std::byte> stream(list_.bytes()), in_two(list_.bytes() + 1, kUntouched);
  SegmentCursor all(list_);
  pack(all, stream.data(), stream.size());
  ChecksumState state;
  checksum_->begin(state, 5, stream.size());
  SegmentCursor cursor(list_);
  pack_in_two_passes(cursor, in_two.data(), stream.size(), {*checksum_, state});
  EXPECT_EQ(checksum_->finish(state), checksum_->of(stream, 5));
  EXPECT_TRUE(std::equal(stream.begin(), stream.end(), in_two.begin()));
  EXPECT_EQ(in_two.back(), kUntouched);
}

INSTANTIATE_TEST_SUITE_P(Checksums, EveryChecksum,
                         testing::ValuesIn(checksums().begin(), checksums().end()),
                         [](const auto& each) { return std::string(each.param.name); });

// A short memory that is sent over and over makes a stream of more than 2^40 bytes, whose byte n is
// known: places beyond 32 bits are found, too.
TEST(LongStreams, AreWalkedWith64Bits) {
  std::vector<std::byte> memory(4096);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i % 251);
  const std::uint64_t rows = std::uint64_t{1} << 21;
  const Segment every_other{memory.data(), 8, {Level{256, 16}, Level{rows, 0}, Level{1024, 0}}};
  SegmentList list;
  ASSERT_EQ(list.describe(std::span(&every_other, 1), MemoryUse::sending, {3, 0}),
            SegmentFault::none);
  ASSERT_EQ(list.bytes(), 3 * 1024 * rows * 2048);
  for (const std::uint64_t at : {std::uint64_t{5}, (std::uint64_t{1} << 40) + 12345,
                                 2 * 1024 * rows * 2048 - 7, list.bytes() - 100}) {
    SegmentCursor cursor(list, at);
    std::array<std::byte, 100> packed{};
    pack(cursor, packed.data(), packed.size());
    for (std::uint64_t i = 0; i < packed.size(); ++i) {
      const std::uint64_t in_row = (at + i) % 2048;
      ASSERT_EQ(packed[i], memory[in_row / 8 * 16 + in_row % 8]) << at << " + " << i;
    }
  }
}

TEST(ConvertorDeath, MoreThanIsLeftIsOurBug) {
  std::array<std::byte, 8> memory{}, elsewhere{};
  SegmentList list;
  const std::span<std::byte> piece(memory);
  ASSERT_EQ(list.describe(std::span(&piece, 1), MemoryUse::sending), SegmentFault::none);
  SegmentCursor cursor(list, 4);
  EXPECT_DEATH(pack(cursor, elsewhere.data(), 5), "left");
  EXPECT_DEATH(unpack(cursor, elsewhere.data(), 1), "receiving");
  EXPECT_DEATH(cursor.seek(9), "bytes");
}

}  // namespace
}  // namespace holdfast
