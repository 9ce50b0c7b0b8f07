// Descriptions: what is refused, what is taken for the same memory, and what they cost.
#include "stack/segments/segment_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "drawn_lists.hpp"
#include "stack/segments/segment_cursor.hpp"
#include "tests/unit/hw/counting_new.hpp"

namespace holdfast {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

class Lists : public testing::Test {
 protected:
  SegmentFault send(const std::vector<Segment>& segments, Level elements = {}) {
    return list_.describe(segments, MemoryUse::sending, elements);
  }
  SegmentFault receive(const std::vector<Segment>& segments, Level elements = {}) {
    const SegmentFault fault = list_.describe(segments, MemoryUse::receiving, elements);
    if (fault != SegmentFault::none) {
      EXPECT_EQ(list_.bytes(), 0u);
    }
    return fault;
  }
  std::byte* at(std::size_t place) { return memory_.data() + place; }

  std::vector<std::byte> memory_ = std::vector<std::byte>(10'000);
  SegmentList list_;
};

TEST_F(Lists, NothingIsAListToo) {
  for (const SegmentFault fault :
       {send({}), send({{at(0), 0, {}}}), send({{nullptr, 0, {}}}),
        send({{at(0), 8, {Level{0, 8}}}}), send({{at(0), 8, {}}}, {0, 8}), receive({})}) {
    EXPECT_EQ(fault, SegmentFault::none);
  }
  EXPECT_EQ(send({{at(0), 8, {}}}, {0, 8}), SegmentFault::none);
  EXPECT_EQ(list_.bytes(), 0u);
  EXPECT_TRUE(SegmentCursor(list_).contiguous().empty());
}

TEST_F(Lists, MoreThan64BitsCountIsRefused) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(send({{at(0), 2, {Level{half, 0}}}}), SegmentFault::too_long);
  EXPECT_EQ(send({{at(0), 1, {Level{half, 0}, Level{2, 0}}}}), SegmentFault::too_long);
  EXPECT_EQ(send({{at(0), 1, {Level{half, 0}}}, {at(0), 1, {Level{half, 0}}}}),
            SegmentFault::too_long);
  EXPECT_EQ(send({{at(0), 1, {Level{half, 0}}}}, {2, 0}), SegmentFault::too_long);
  EXPECT_EQ(send({{at(0), 1, {Level{half, 0}}}, {at(0), 1, {Level{half - 1, 0}}}}),
            SegmentFault::none);
  EXPECT_EQ(list_.bytes(), kMost);
}

TEST_F(Lists, WhatReachesOutOfTheAddressSpaceIsRefused) {
  const auto far = static_cast<std::int64_t>(std::uint64_t{1} << 62);
  EXPECT_EQ(send({{nullptr, 1, {}}}), SegmentFault::outside);
  EXPECT_EQ(send({{at(0), kMost, {}}}), SegmentFault::outside);
  EXPECT_EQ(send({{at(0), 1, {Level{2, -far}}}}), SegmentFault::outside);
  EXPECT_EQ(send({{at(0), 1, {Level{5, far}}}}), SegmentFault::outside);
  EXPECT_EQ(send({{at(0), 1, {Level{3, 8}, Level{5, far}}}}), SegmentFault::outside);
  EXPECT_EQ(send({{at(0), 1, {}}}, {2, -far}), SegmentFault::outside);
  EXPECT_EQ(send({{at(0), 1, {Level{2, std::numeric_limits<std::int64_t>::min()}}}}),
            SegmentFault::outside);
}

TEST_F(Lists, OverlapsThatAreCheaplyFoundAreRefusedForReceivingOnly) {
  const std::vector<std::vector<Segment>> overlapping = {
      {{at(0), 8, {Level{2, 7}}}},
      {{at(100), 8, {Level{2, -7}}}},
      {{at(0), 8, {Level{2, 0}}}},
      {{at(0), 8, {Level{4, 16}, Level{3, 4}}}},
      // 8 blocks of 8 bytes in 60: the strides alone do not show it.
      {{at(0), 8, {Level{4, 12}, Level{2, 16}}}},
      {{at(0), 8, {}}, {at(7), 8, {}}},
      {{at(7), 8, {}}, {at(0), 8, {}}},
      {{at(0), 8, {}}, {at(8), 8, {}}, {at(15), 8, {}}},
  };
  for (std::size_t i = 0; i < overlapping.size(); ++i) {
    EXPECT_EQ(receive(overlapping[i]), SegmentFault::overlapping) << i;
    EXPECT_EQ(send(overlapping[i]), SegmentFault::none) << i;
    // Also where there is room enough for all, far away.
    std::vector<Segment> roomy = overlapping[i];
    roomy.push_back({at(9'000), 8, {}});
    EXPECT_EQ(receive(roomy), SegmentFault::overlapping) << i;
  }
  EXPECT_EQ(receive({{at(0), 8, {}}}, {2, 7}), SegmentFault::overlapping);
  EXPECT_EQ(receive({{at(0), 8, {}}, {at(100), 8, {}}}, {2, 0}), SegmentFault::overlapping);
  EXPECT_EQ(receive({{at(0), 8, {}}, {at(10), 8, {}}}, {3, 9}), SegmentFault::overlapping);
}

TEST_F(Lists, WhatOnlyInterleavesIsTaken) {
  EXPECT_EQ(receive({{at(0), 8, {Level{10, 16}}}, {at(8), 8, {Level{10, 16}}}}),
            SegmentFault::none);
  EXPECT_EQ(receive({{at(0), 4, {Level{2, 8}, Level{2, 4}}}}), SegmentFault::none);
  EXPECT_EQ(receive({{at(0), 4, {}}, {at(100), 4, {}}}, {5, 8}), SegmentFault::none);
  EXPECT_EQ(receive({{at(100), 50, {}}, {at(0), 50, {}}}), SegmentFault::none);
}

TEST_F(Lists, WhatLiesCloseTogetherIsOnePiece) {
  const auto pieces = [&]() { return SegmentCursor(list_).contiguous().size(); };
  // Rows without gaps, blocks without gaps, neighbours, elements without gaps.
  EXPECT_EQ(send({{at(0), 8, {Level{10, 8}, Level{10, 80}, Level{2, 800}}}}), SegmentFault::none);
  EXPECT_EQ(pieces(), 1600u);
  EXPECT_EQ(send({{at(0), 8, {}}, {at(8), 8, {}}, {at(16), 0, {}}, {at(16), 9, {}}}),
            SegmentFault::none);
  EXPECT_EQ(pieces(), 25u);
  EXPECT_EQ(send({{at(0), 8, {}}}, {100, 8}), SegmentFault::none);
  EXPECT_EQ(pieces(), 800u);
  // Rows that follow each other are one row.
  EXPECT_EQ(send({{at(0), 8, {Level{10, 16}, Level{5, 160}}}}), SegmentFault::none);
  SegmentCursor cursor(list_);
  EXPECT_EQ(cursor.take(400).blocks, 50u);
}

// The column of a matrix is one segment, and a list that is described anew needs no memory.
TEST_F(Lists, DescribingAnewAllocatesNothing) {
  const Segment column{at(0), 8, {Level{1'000, 8}}};
  const std::array<Segment, 4> four = {Segment{at(0), 8, {}}, Segment{at(100), 8, {Level{3, 10}}},
                                       Segment{at(200), 8, {Level{3, 11}}},
                                       Segment{at(300), 8, {}}};
  SegmentList list(four.size());
  const std::size_t before = allocations();
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(list.describe(std::span(&column, 1), MemoryUse::receiving), SegmentFault::none);
    ASSERT_EQ(list.describe(four, MemoryUse::receiving), SegmentFault::none);
    SegmentCursor cursor(list, 13);
    while (cursor.left() > 0) cursor.take(std::min<std::uint64_t>(5, cursor.left()));
  }
  EXPECT_EQ(allocations(), before);
}

TEST_F(Lists, PiecesAreSegmentsToo) {
  const std::array<std::span<std::byte>, 3> pieces = {std::span(at(50), 10), std::span(at(60), 0),
                                                      std::span(at(0), 20)};
  ASSERT_EQ(list_.describe(pieces, MemoryUse::receiving), SegmentFault::none);
  EXPECT_EQ(list_.bytes(), 30u);
  EXPECT_EQ(SegmentCursor(list_, 11).contiguous().data(), at(1));
}

TEST(SegmentFaults, AreExplained) {
  for (const SegmentFault fault : {SegmentFault::none, SegmentFault::too_long,
                                   SegmentFault::outside, SegmentFault::overlapping})
    EXPECT_FALSE(explain(fault).empty());
}

}  // namespace
}  // namespace holdfast
