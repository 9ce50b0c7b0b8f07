// The small parts of an endpoint against naive ones: windows of numbers, ranges, memory in blocks,
// requests, pools.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/number_window.hpp"
#include "stack/reliable/rail_window.hpp"
#include "stack/reliable/received_ranges.hpp"
#include "stack/reliable/request_table.hpp"
#include "stack/reliable/unexpected_memory.hpp"

namespace holdfast::reliable {
namespace {

TEST(NumberWindow, KnowsWhatASetKnows) {
  for (const std::uint32_t first : {0u, 0xffff'fe00u, 0x7fff'fff0u}) {
    Random random(first, 0, 0);
    NumberWindow window(first);
    std::set<std::uint32_t> seen;  // distances from the first
    std::uint32_t before = 0;
    for (int i = 0; i < 5000; ++i) {
      const auto distance =
          before +
          static_cast<std::uint32_t>(random.below(4) == 0 ? random.below(600) : random.below(3));
      const std::uint32_t number = first + distance;
      ASSERT_EQ(window.is_within(number), distance < before + NumberWindow::kWidth);
      if (!window.is_within(number)) continue;
      ASSERT_EQ(window.contains(number), seen.count(distance) != 0);
      if (seen.insert(distance).second) window.add(number);
      while (seen.count(before) != 0) ++before;
      ASSERT_EQ(window.all_before(), first + before);
      const std::uint32_t end = std::max(before, *seen.rbegin() + 1);
      ASSERT_EQ(window.beyond(), end - before);
      const auto from = static_cast<std::uint32_t>(random.below(70));
      std::uint64_t mask = 0;
      for (std::uint32_t k = 0; k < 64; ++k) {
        if (seen.count(before + from + k) != 0) mask |= std::uint64_t{1} << k;
      }
      ASSERT_EQ(window.mask_from(from), mask);
      if (before > 0) {
        ASSERT_TRUE(window.contains(first + before - 1));
      }
    }
    EXPECT_GT(before, 100u);
  }
}

// With so many shared blocks, of which `others` are taken by other messages.
void compare_with_bits(std::uint64_t seed, std::uint32_t shared, std::uint32_t others) {
  using Overlap = ReceivedRanges::Overlap;
  Random random(seed, 0, 0);
  constexpr std::size_t kBytes = 400;
  RangeBlocks blocks(1, shared);
  for (std::uint32_t i = 0; i < others; ++i) ASSERT_NE(blocks.take_shared(), kNone);
  ReceivedRanges ranges;
  ASSERT_TRUE(ranges.begin(blocks));
  std::vector<bool> here(kBytes);
  const auto at = [&](std::uint64_t byte) {
    return here.begin() + static_cast<std::ptrdiff_t>(byte);
  };
  std::uint32_t refused = 0, most = 0;
  for (int i = 0; i < 600; ++i) {
    const std::uint64_t from = random.below(kBytes);
    const std::uint64_t to =
        std::min<std::uint64_t>(from + 1 + random.below(seed % 2 ? 2 : 40), kBytes);
    const auto known = std::count(at(from), at(to), true);
    const auto missing =
        static_cast<std::uint64_t>(std::find(here.begin(), here.end(), false) - here.begin());
    const Overlap expected = known == 0                                        ? Overlap::none
                             : known == static_cast<std::ptrdiff_t>(to - from) ? Overlap::all
                                                                               : Overlap::some;
    ASSERT_EQ(ranges.overlap(blocks, from, to), expected);
    ASSERT_EQ(ranges.prefix(blocks), missing);
    const bool has_room = ranges.has_room_for(blocks, from, to);
    const bool is_behind_all = std::find(at(from), here.end(), true) == here.end();
    ASSERT_EQ(ranges.continues(blocks, from), is_behind_all && from > 0 && here[from - 1]);
    if (ranges.continues(blocks, from)) {
      ASSERT_TRUE(has_room);
      ranges.extend(blocks, to);
    } else {
      ASSERT_EQ(ranges.add(blocks, from, to), has_room);
    }
    // What is the lowest, or only makes another range longer, is never refused.
    const bool grows = known > 0 || (from > 0 && here[from - 1]) || (to < kBytes && here[to]);
    if (from <= missing || grows) {
      ASSERT_TRUE(has_room);
    }
    if (has_room) {
      std::fill(at(from), at(to), true);
    } else {
      ++refused;
    }
    std::uint32_t runs = 0;
    for (std::size_t k = 0; k < kBytes; ++k) runs += here[k] && (k == 0 || !here[k - 1]);
    most = std::max(most, runs);
    ASSERT_TRUE(has_room || runs + 1 >= RangeBlock::kRanges);
  }
  if (seed % 2 == 1) {
    EXPECT_EQ(refused > 0, others > 0) << "many single bytes need more than a few blocks";
    EXPECT_EQ(most > 60, others == 0);
  }
  ranges.end(blocks);
  ASSERT_FALSE(ranges.has_begun());
  ASSERT_EQ(blocks.firsts_left(), 1u);
  ASSERT_EQ(blocks.shared_left(), shared - others);
}

TEST(ReceivedRanges, KnowWhatABitOfEachByteKnows) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) compare_with_bits(seed, 100, 0);
}

TEST(ReceivedRanges, RefuseWhatTheyHaveNoRoomForAndStayAsTheyAre) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const std::uint32_t spare : {0u, 1u, 2u, 4u}) compare_with_bits(seed, 100, 100 - spare);
  }
}

// Frames take turns on two rails, one of which dies: what still comes finds room, of one message
// and of a few.
TEST(ReceivedRanges, HaveRoomForEveryOtherFrameOfAWindow) {
  RangeBlocks blocks(8, 1024);
  std::vector<ReceivedRanges> messages(8);
  for (ReceivedRanges& ranges : messages) {
    ASSERT_TRUE(ranges.begin(blocks));
    for (std::uint64_t i = 1; i < 736; i += 2) {
      ASSERT_TRUE(ranges.add(blocks, i * 1424, (i + 1) * 1424));
    }
  }
  for (ReceivedRanges& ranges : messages) {
    for (std::uint64_t i = 0; i < 736; i += 2) {
      ASSERT_TRUE(ranges.add(blocks, i * 1424, (i + 1) * 1424));
      ASSERT_EQ(ranges.prefix(blocks), (i + 2) * 1424);
    }
  }
  EXPECT_EQ(blocks.shared_left(), 1024u) << "a message in one piece has one block";
}

// However many holes one message has.
TEST(ReceivedRanges, LeaveBlocksToOtherMessages) {
  RangeBlocks blocks(2, 20);
  ReceivedRanges greedy, other;
  ASSERT_TRUE(greedy.begin(blocks));
  std::uint64_t at = 1;
  while (greedy.add(blocks, at, at + 1)) at += 2;
  EXPECT_GE(blocks.shared_left(), 10u);
  ASSERT_TRUE(other.begin(blocks));
  for (std::uint64_t i = 1; i < 100; i += 2) ASSERT_TRUE(other.add(blocks, i, i + 1));
}

// However many holes others have.
TEST(ReceivedRanges, OfEachMessageHaveABlock) {
  RangeBlocks blocks(2, 1);
  ASSERT_NE(blocks.take_shared(), kNone);
  ReceivedRanges first, second, third;
  ASSERT_TRUE(first.begin(blocks));
  ASSERT_TRUE(second.begin(blocks));
  EXPECT_FALSE(third.begin(blocks));
  EXPECT_TRUE(second.add(blocks, 1, 2));
  first.end(blocks);
  EXPECT_TRUE(third.begin(blocks));
}

TEST(UnexpectedMemory, BlocksNeverOverlapAndAllComesBack) {
  constexpr std::uint64_t kShare = 32'768;
  UnexpectedMemory memory(25'000, 5);
  ASSERT_EQ(memory.size(), 5 * kShare);
  Random random(3, 0, 0);
  std::map<std::byte*, std::uint64_t> taken;
  std::size_t most_elsewhere = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (random.below(5) < 3) {
      const std::uint64_t bytes = 1 + random.below(20'000) / (1 + random.below(200));
      std::byte* const block = memory.take(bytes);
      ASSERT_NE(block, nullptr);
      most_elsewhere = std::max(most_elsewhere, memory.elsewhere());
      const auto next = taken.lower_bound(block);
      if (next != taken.end()) {
        ASSERT_LE(block + bytes, next->first);
      }
      if (next != taken.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, block);
      }
      std::fill_n(block, bytes, std::byte{1});
      taken[block] = bytes;
    } else if (!taken.empty()) {
      const auto one =
          std::next(taken.begin(), static_cast<std::ptrdiff_t>(random.below(taken.size())));
      memory.give(one->first, one->second);
      taken.erase(one);
    }
  }
  EXPECT_GT(most_elsewhere, 0u);
  for (const auto& [block, bytes] : taken) memory.give(block, bytes);
  EXPECT_EQ(memory.elsewhere(), 0u);
  for (int share = 0; share < 5; ++share) {
    ASSERT_NE(memory.take(kShare), nullptr);
    EXPECT_EQ(memory.elsewhere(), 0u) << "neighbours have grown together";
  }
  ASSERT_NE(memory.take(1), nullptr);
  EXPECT_EQ(memory.elsewhere(), 1u);
}

TEST(RequestTable, NamesAreOfOneUse) {
  RequestTable table(4);
  const std::uint32_t first = table.take(RequestState::Kind::send, 11);
  const Request name = table.name(first);
  EXPECT_EQ(table.find(name), first);
  table.complete(first, Outcome::delivered, {}, 5);
  std::array<Completed, 2> done;
  ASSERT_EQ(table.completed(done), 1u);
  EXPECT_EQ(done[0].request, name);
  EXPECT_EQ(done[0].cookie, 11u);
  EXPECT_EQ(table.find(name), kNone);
  const std::uint32_t again = table.take(RequestState::Kind::receive, 12);
  EXPECT_EQ(again, first);
  EXPECT_FALSE(table.name(again) == name);
  EXPECT_EQ(table.find(name), kNone);
  EXPECT_EQ(table.find(kNoRequest), kNone);
}

TEST(RequestTable, CompletionsComeInTheirOrder) {
  RequestTable table(3);
  std::array<Completed, 2> done;
  std::uint64_t next = 0, expected = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint32_t> taken;
    for (std::uint32_t i; (i = table.take(RequestState::Kind::send, 0)) != kNone;) {
      taken.push_back(i);
    }
    std::reverse(taken.begin(), taken.end());
    for (const std::uint32_t i : taken) table.complete(i, Outcome::delivered, {}, next++);
    for (std::size_t n; (n = table.completed(done)) > 0;) {
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(done[i].bytes, expected++);
    }
  }
  EXPECT_EQ(expected, 60u);
  EXPECT_EQ(table.in_use(), 0u);
}

TEST(RailWindow, NarrowsToWhatArrivesWhereMuchIsLost) {
  RailWindow window(1 << 20, true);
  EXPECT_EQ(window.bytes(), 65536u);
  const auto round = [&](std::uint32_t delivered, std::uint32_t lost, bool held_up) {
    for (std::uint32_t bytes = 0; bytes < delivered; bytes += 1000) window.deliver(1000);
    for (std::uint32_t bytes = 0; bytes < lost; bytes += 1000) window.lose(1000);
    if (held_up) window.hold_up();
    window.end_round();
    return window.bytes();
  };
  EXPECT_EQ(round(64'000, 0, false), 65536u) << "nothing waits for it";
  EXPECT_EQ(round(64'000, 0, true), 131072u);
  EXPECT_EQ(round(100'000, 5'000, true), 262144u) << "one in 21: at random";
  for (int i = 0; i < 10; ++i) round(200'000, 0, true);
  EXPECT_EQ(window.bytes(), 1u << 20);
  EXPECT_EQ(round(600'000, 400'000, true), 600'000u);
  EXPECT_EQ(round(590'000, 110'000, true), 525'000u) << "by an eighth at least";
  EXPECT_EQ(round(10'000, 200'000, true), 262'500u) << "by a half at most";
  EXPECT_EQ(round(200'000, 0, true), 262'500u + 262'500u / 16);
  const std::uint32_t before = window.bytes();
  EXPECT_EQ(round(10'000, 10'000, true), before) << "so few may all be lost by chance";
  EXPECT_EQ(round(30'000, 30'000, true), before / 2) << "40 of 80, in two rounds";
  for (int i = 0; i < 10; ++i) round(0, 100'000, true);
  EXPECT_EQ(window.bytes(), 16384u);

  RailWindow later(1 << 20, true, window.width());
  EXPECT_EQ(later.bytes(), 16384u);
  later.hold_up();
  later.end_round();
  EXPECT_EQ(later.bytes(), 16384u + 1024u) << "it has been narrowed";

  RailWindow fixed(1 << 20, false);
  fixed.lose(1000);
  fixed.end_round();
  EXPECT_EQ(fixed.bytes(), 1u << 20);
}

struct Numbered {
  Links links;
  int number = 0;
};
using InOrder = ListBy<&Numbered::links>;

TEST(FixedPool, ListsKeepTheirOrder) {
  FixedPool<Numbered> pool(4);
  List list;
  std::uint32_t made[4];
  for (int i = 0; i < 4; ++i) {
    made[i] = pool.take();
    pool[made[i]].number = i;
  }
  EXPECT_EQ(pool.take(), kNone);
  InOrder::append(pool, list, made[1]);
  InOrder::insert(pool, list, made[0], made[1]);
  InOrder::append(pool, list, made[3]);
  InOrder::insert(pool, list, made[2], made[3]);
  const auto numbers = [&] {
    std::vector<int> all;
    for (std::uint32_t i = list.first; i != kNone; i = InOrder::after(pool, i)) {
      all.push_back(pool[i].number);
    }
    return all;
  };
  EXPECT_EQ(numbers(), (std::vector<int>{0, 1, 2, 3}));
  InOrder::remove(pool, list, made[3]);
  InOrder::remove(pool, list, made[0]);
  InOrder::remove(pool, list, made[1]);
  EXPECT_EQ(numbers(), (std::vector<int>{2}));
  EXPECT_EQ(list.first, list.last);
  pool.give(made[3]);
  EXPECT_EQ(pool[pool.take()].number, 0);
}

}  // namespace
}  // namespace holdfast::reliable
