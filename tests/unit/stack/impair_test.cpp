// The wrapper that impairs a fabric, on a fabric that shows what was posted: rates against the
// binomial distribution, order and time of what is late, bounds, allocations.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "stack/impair/impaired_fabric.hpp"
#include "tests/unit/hw/counting_new.hpp"
#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast {
namespace {

constexpr Peer kTo{5};
constexpr std::uint32_t kFrames = 100'000;
constexpr std::uint32_t kBytes = 40;
constexpr std::uint32_t kRun = 50;  // frames that are posted at one time, at most

class Impaired {
 public:
  explicit Impaired(const FrameFaults& faults, std::uint64_t seed = 1,
                    std::uint32_t late_max = 1024)
      : fabric(inner, {.faults = faults, .seed = seed, .late_max = late_max, .clock = [this] {
                         return now;
                       }}) {}

  // One frame, which says its number and is zero otherwise.
  bool post(std::uint32_t number, Peer to = kTo) { return post_run(number, 1, to) == 1; }
  // So many of them at one time; how many of them were taken.
  std::size_t post_run(std::uint32_t first, std::uint32_t count, Peer to = kTo) {
    std::array<std::array<std::byte, kBytes>, kRun> frames{};
    std::array<Operation, kRun> operations{};
    for (std::uint32_t i = 0; i < count; ++i) {
      store_le(frames[i].data(), first + i);
      operations[i].inline_data = true;
      operations[i].peer = nobody_each > 0 && (first + i) % nobody_each == 0 ? kNoPeer : to;
      operations[i].data = frames[i].data();
      operations[i].size = kBytes;
    }
    return fabric.post(std::span(operations).first(count));
  }
  void poll() {
    std::array<Event, 8> events;
    EXPECT_EQ(fabric.poll(events), 0u);
  }
  // What has gone out since the last time.
  std::vector<std::uint32_t> take() {
    std::vector<std::uint32_t> numbers;
    for (const FakeFabric::Frame& frame : inner.posted)
      numbers.push_back(load_le<std::uint32_t>(frame.bytes.data()));
    inner.posted.clear();
    return numbers;
  }

  std::uint32_t nobody_each =
      0;  // > 0: frames that it divides are sent to nobody, and have no fate
  FakeFabric inner;
  Time now = Time{} + seconds(1);
  ImpairedFabric fabric;
};

// Five standard deviations: one run in two million is outside.
void expect_share(std::uint64_t count, double share, std::uint64_t of) {
  const double n = static_cast<double>(of);
  EXPECT_NEAR(static_cast<double>(count), n * share, 5.0 * std::sqrt(n * share * (1.0 - share)))
      << "of " << of;
}

TEST(Impair, LosesAndDoublesItsSharesOfFramesAndSaysSo) {
  Impaired impaired({.loss = 0.05, .duplicate = 0.01});
  std::uint64_t gone = 0, twice = 0;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(impaired.post(i));
    const std::vector<std::uint32_t> out = impaired.take();
    for (const std::uint32_t number : out) ASSERT_EQ(number, i);
    gone += out.empty();
    twice += out.size() == 2;
    ASSERT_LE(out.size(), 2u);
  }
  expect_share(gone, 0.05, kFrames);
  expect_share(twice, 0.01, kFrames - gone);
  const FrameFaultCounts expected{.lost = gone, .duplicated = twice};
  EXPECT_EQ(impaired.fabric.counts(), expected);
}

// Each of the bits about as often as any other.
TEST(Impair, CorruptsOneBitOfItsShareOfFrames) {
  Impaired impaired({.corrupt = 0.2});
  std::array<std::uint64_t, 8 * kBytes> wrong{};
  std::uint64_t corrupted = 0;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(impaired.post(0));
    ASSERT_EQ(impaired.inner.posted.size(), 1u);
    int bits = 0;
    for (std::uint32_t n = 0; n < kBytes; ++n) {
      const auto byte = std::to_integer<std::uint8_t>(impaired.inner.posted[0].bytes[n]);
      bits += std::popcount(byte);
      if (byte != 0) ++wrong[8 * n + static_cast<unsigned>(std::countr_zero(byte))];
    }
    ASSERT_LE(bits, 1);
    corrupted += bits == 1;
    impaired.inner.posted.clear();
  }
  expect_share(corrupted, 0.2, kFrames);
  EXPECT_EQ(impaired.fabric.counts().corrupted, corrupted);
  for (const std::uint64_t count : wrong) expect_share(count, 1.0 / (8 * kBytes), corrupted);
}

// Each length below the whole one about as often as any other, and what is left is as it was.
TEST(Impair, TruncatesItsShareOfFrames) {
  Impaired impaired({.truncate = 0.2});
  std::array<std::uint64_t, kBytes> left{};
  std::uint64_t truncated = 0;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(impaired.post(0x01020304));
    ASSERT_EQ(impaired.inner.posted.size(), 1u);
    const FakeFabric::Frame& frame = impaired.inner.posted[0];
    ASSERT_TRUE(frame.size >= 1 && frame.size <= kBytes);
    for (std::uint32_t n = 0; n < std::min(frame.size, 4u); ++n)
      ASSERT_EQ(std::to_integer<std::uint32_t>(frame.bytes[n]), 4 - n);
    if (frame.size < kBytes) {
      ++truncated;
      ++left[frame.size];
    }
    impaired.inner.posted.clear();
  }
  expect_share(truncated, 0.2, kFrames);
  EXPECT_EQ(impaired.fabric.counts(), (FrameFaultCounts{.truncated = truncated}));
  for (std::uint32_t n = 1; n < kBytes; ++n) expect_share(left[n], 1.0 / (kBytes - 1), truncated);
}

TEST(Impair, TheBytesOfWhoPostsAreNotTouched) {
  Impaired impaired({.corrupt = 1.0, .truncate = 1.0});
  std::array<std::byte, kBytes> frame{};
  Operation operation;
  operation.inline_data = true;
  operation.peer = kTo;
  operation.data = frame.data();
  operation.size = kBytes;
  ASSERT_EQ(impaired.fabric.post({&operation, 1}), 1u);
  EXPECT_EQ(frame, (std::array<std::byte, kBytes>{}));
  operation.size = 1;  // no end that could be missing
  ASSERT_EQ(impaired.fabric.post({&operation, 1}), 1u);
  EXPECT_EQ(impaired.fabric.counts().corrupted, 2u);
  operation.size = 0;  // nor a bit that could be wrong
  ASSERT_EQ(impaired.fabric.post({&operation, 1}), 1u);
  EXPECT_EQ(impaired.fabric.counts().corrupted, 2u);
  EXPECT_EQ(impaired.fabric.counts().truncated, 1u);
}

TEST(Impair, WhatIsDelayedComesWhenItIsDueInOrder) {
  Impaired impaired({.delay = milliseconds(10)});
  const Time begin = impaired.now;
  for (std::uint32_t i = 0; i < 5; ++i) {
    impaired.now = begin + milliseconds(i);
    ASSERT_TRUE(impaired.post(i));
  }
  EXPECT_EQ(impaired.fabric.next_due(), begin + milliseconds(10));
  EXPECT_EQ(impaired.fabric.counts().delayed, 5u);
  impaired.now = begin + milliseconds(10) - nanoseconds(1);
  impaired.poll();
  EXPECT_TRUE(impaired.take().empty());
  impaired.now = begin + milliseconds(12);
  impaired.poll();
  EXPECT_EQ(impaired.take(), (std::vector<std::uint32_t>{0, 1, 2}));
  impaired.now = begin + milliseconds(14);
  ASSERT_TRUE(impaired.post(9));  // also goes behind what is due
  EXPECT_EQ(impaired.take(), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(impaired.fabric.next_due(), begin + milliseconds(24));
}

TEST(Impair, WhatIsLateAtTheSameTimeKeepsItsOrder) {
  Impaired impaired({.delay = milliseconds(10)});
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(impaired.post(i));
    expected.push_back(i);
  }
  impaired.now = impaired.now + milliseconds(10);
  impaired.poll();
  EXPECT_EQ(impaired.take(), expected);
}

// Uniform between the delay and the delay with all of the jitter: mean and both ends.
TEST(Impair, JitterIsUniform) {
  Impaired impaired({.delay = milliseconds(10), .jitter = milliseconds(4)});
  double sum = 0;
  Duration least = seconds(1), most{};
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(impaired.post(i));
    const Duration late = impaired.fabric.next_due() - impaired.now;
    least = std::min(least, late);
    most = std::max(most, late);
    sum += static_cast<double>(late.ns) / 1e6;
    impaired.now = impaired.fabric.next_due();
    impaired.poll();
    impaired.take();
  }
  EXPECT_GE(least, milliseconds(10));
  EXPECT_LT(least, milliseconds(10) + microseconds(1));
  EXPECT_LE(most, milliseconds(14));
  EXPECT_GT(most, milliseconds(14) - microseconds(1));
  EXPECT_NEAR(sum / kFrames, 12.0, 5.0 * 4.0 / std::sqrt(12.0 * kFrames));
}

TEST(Impair, WhatIsReorderedOvertakesWhatIsDelayed) {
  Impaired impaired({.reorder = 0.25, .delay = milliseconds(10)});
  std::uint64_t ahead = 0;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(impaired.post(i));
    const std::vector<std::uint32_t> out = impaired.take();
    for (const std::uint32_t number : out) ASSERT_EQ(number, i);
    ahead += out.size();
    if (i % 100 < 99) continue;
    impaired.now = impaired.now + milliseconds(10);
    impaired.poll();
    impaired.take();
  }
  expect_share(ahead, 0.25, kFrames);
  EXPECT_EQ(impaired.fabric.counts().reordered, ahead);
  EXPECT_EQ(impaired.fabric.counts().delayed, kFrames - ahead);
}

TEST(Impair, WithoutADelayNothingIsReordered) {
  Impaired impaired({.reorder = 1.0});
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(impaired.post(i));
  EXPECT_EQ(impaired.take().size(), 100u);
  EXPECT_EQ(impaired.fabric.counts(), FrameFaultCounts{});
}

// Two runs that differ in the rate of one kind agree on all the others, frame by frame.
TEST(Impair, EachKindHasAStreamOfItsOwn) {
  const FrameFaults some{.loss = 0.1, .duplicate = 0.1, .corrupt = 0.1, .truncate = 0.1};
  FrameFaults more = some;
  more.loss = 0.6;
  FrameFates one(7, 3), same(7, 3), other(7, 3), stranger(7, 4);
  int lost_only_with_more = 0, unlike = 0;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const FrameFate a = one.next(some, 40), b = same.next(some, 40), c = other.next(more, 40);
    EXPECT_EQ(a.lost, b.lost);
    EXPECT_EQ(a.wrong_bit, b.wrong_bit);
    EXPECT_TRUE(!a.lost || c.lost) << "a greater rate loses the same frames and more";
    lost_only_with_more += c.lost && !a.lost;
    EXPECT_EQ(a.duplicated, c.duplicated);
    EXPECT_EQ(a.corrupted, c.corrupted);
    EXPECT_EQ(a.wrong_bit, c.wrong_bit);
    EXPECT_EQ(a.bytes_left, c.bytes_left);
    unlike += a.lost != stranger.next(some, 40).lost;
  }
  EXPECT_GT(lost_only_with_more, 4000);
  EXPECT_GT(unlike, 1000) << "another life has other fates";
}

TEST(Impair, NoMoreWaitsThanThereIsRoomFor) {
  Impaired impaired({.delay = milliseconds(10)}, 1, 16);
  for (std::uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(impaired.post(i));
  EXPECT_EQ(impaired.fabric.counts().overflowed, 4u);
  impaired.now = impaired.now + milliseconds(10);
  impaired.poll();
  EXPECT_EQ(impaired.take().size(), 16u);
  for (std::uint32_t i = 0; i < 16; ++i) ASSERT_TRUE(impaired.post(i));
  EXPECT_EQ(impaired.fabric.counts().overflowed, 4u);
}

TEST(Impair, WhatIsLateForAPeerThatIsDetachedIsLost) {
  Impaired impaired({.delay = milliseconds(10)});
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(impaired.post(i, {i % 3}));
  impaired.fabric.detach({1});
  EXPECT_EQ(impaired.fabric.counts().overflowed, 33u);
  impaired.now = impaired.now + milliseconds(10);
  impaired.poll();
  const std::vector<std::uint32_t> out = impaired.take();
  ASSERT_EQ(out.size(), 67u);
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  for (const std::uint32_t number : out) EXPECT_NE(number % 3, 1u);
}

TEST(Impair, ANetworkWithoutRoomLosesWhatIsLate) {
  Impaired impaired({.delay = milliseconds(10)});
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(impaired.post(i));
  impaired.inner.room = 1;
  impaired.now = impaired.now + milliseconds(10);
  impaired.poll();
  EXPECT_EQ(impaired.take().size(), 1u);
  EXPECT_EQ(impaired.fabric.counts().overflowed, 2u);
}

// A network that takes many frames at one time gets them so: the spared ones between two others.
TEST(Impair, WhatNothingHappensToGoesOnTogether) {
  Impaired impaired({.loss = 0.02});
  for (std::uint32_t i = 0; i < kFrames; i += kRun) ASSERT_EQ(impaired.post_run(i, kRun), kRun);
  const std::uint64_t lost = impaired.fabric.counts().lost;
  expect_share(lost, 0.02, kFrames);
  EXPECT_LE(impaired.inner.posts, kFrames / kRun + lost);
}

// Also of who is refused in the middle of a run, and posts the rest again.
TEST(Impair, ARunFaresAsItsFramesDoOneByOne) {
  const FrameFaults faults{.loss = 0.05,
                           .duplicate = 0.05,
                           .corrupt = 0.05,
                           .truncate = 0.05,
                           .reorder = 0.9,
                           .jitter = milliseconds(10)};
  Impaired together(faults), alone(faults);
  together.nobody_each = alone.nobody_each = 7;
  const auto are_alike = [](const FakeFabric::Frame& a, const FakeFabric::Frame& b) {
    return a.to == b.to && a.size == b.size && a.bytes == b.bytes;
  };
  std::uint64_t refused = 0;
  for (std::uint32_t next = 0; next + kRun < 20'000;) {
    together.inner.room = alone.inner.room = next % kRun + 1;
    const auto taken = static_cast<std::uint32_t>(together.post_run(next, kRun));
    for (std::uint32_t i = 0; i < taken; ++i) ASSERT_TRUE(alone.post(next + i));
    if (taken < kRun) {
      ASSERT_FALSE(alone.post(next + taken));
      ++refused;
    }
    for (Impaired* const each : {&together, &alone}) {
      each->inner.room = 1'000'000;
      each->now = each->now + milliseconds(1);
      each->poll();
    }
    ASSERT_TRUE(std::ranges::equal(together.inner.posted, alone.inner.posted, are_alike)) << next;
    ASSERT_EQ(together.fabric.counts(), alone.fabric.counts()) << next;
    together.inner.posted.clear();
    alone.inner.posted.clear();
    next += taken;
  }
  EXPECT_GT(refused, 100u);
  EXPECT_LT(together.inner.posts, alone.inner.posts);
}

// The inner fabric says that it has room again, to somebody whom it has refused nothing.
TEST(Impair, RoomThatNobodyMissedIsNotTold) {
  Impaired impaired({.duplicate = 1.0});
  impaired.inner.room = 1;
  ASSERT_TRUE(impaired.post(0));  // the copy is refused
  EXPECT_EQ(impaired.fabric.counts().overflowed, 1u);
  impaired.inner.happen({EventKind::writable, Completion::ok, kNoPeer, 0, 0, Time{}});
  impaired.poll();
  ASSERT_FALSE(impaired.post(1));
  impaired.inner.happen({EventKind::writable, Completion::ok, kNoPeer, 0, 0, Time{}});
  std::array<Event, 8> events;
  EXPECT_EQ(impaired.fabric.poll(events), 1u);
  EXPECT_EQ(events[0].kind, EventKind::writable);
}

// Which an inner fabric may read others over as soon as it is polled again.
TEST(Impair, WhatIsLentIsToldOfBeforeAnotherPollOfTheInnerFabric) {
  for (const bool is_lent : {false, true}) {
    Impaired impaired({});
    const std::byte frame{};
    Event received{EventKind::received, Completion::ok, kNoPeer, 1, 0, Time{}};
    if (is_lent) received.lent = &frame;
    impaired.inner.happen({EventKind::writable, Completion::ok, kNoPeer, 0, 0, Time{}});
    for (int i = 0; i < 3; ++i) impaired.inner.happen(received);
    std::array<Event, 3> events;  // of the first poll, the first is told to nobody
    ASSERT_EQ(impaired.fabric.poll(events), is_lent ? 2u : 3u);
    EXPECT_EQ(events[1].more, is_lent);
    EXPECT_EQ(impaired.fabric.poll(events), is_lent ? 1u : 0u);
    EXPECT_FALSE(events[0].more);
  }
}

// The network cannot send: who has posted hears of that frame, and of no other.
TEST(Impair, WhatBecomesOfFramesOfItsOwnIsNotTold) {
  const FrameFaults twice{.duplicate = 1.0}, wrong{.corrupt = 1.0}, late{.delay = milliseconds(1)};
  for (const FrameFaults& faults : {twice, wrong, late}) {
    Impaired impaired(faults);
    impaired.inner.fails = true;
    ASSERT_TRUE(impaired.post(0));
    impaired.now = impaired.now + milliseconds(1);
    std::array<Event, 8> events;
    const std::size_t told = impaired.fabric.poll(events);
    EXPECT_EQ(told, faults.duplicate > 0.0 ? 1u : 0u);
    if (told > 0) {
      EXPECT_EQ(events[0].completion, Completion::local_error);
    }
    EXPECT_FALSE(impaired.take().empty());
  }
}

TEST(Impair, HealedNothingHappensToFramesAndWhatIsLateComes) {
  Impaired impaired({.loss = 0.5, .delay = milliseconds(10)});
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(impaired.post(i));
  const FrameFaultCounts before = impaired.fabric.counts();
  impaired.fabric.heal();
  for (std::uint32_t i = 100; i < 200; ++i) ASSERT_TRUE(impaired.post(i));
  EXPECT_EQ(impaired.take().size(), 100u);
  impaired.now = impaired.now + milliseconds(10);
  impaired.poll();
  EXPECT_EQ(impaired.take().size(), 100 - before.lost);
  EXPECT_EQ(impaired.fabric.counts(), before);
}

TEST(Impair, OffersNoServiceWhosePromiseItBreaks) {
  Impaired impaired({.corrupt = 0.1});
  EXPECT_EQ(impaired.fabric.attach({}, Service::connected), kNoPeer);
  EXPECT_NE(impaired.fabric.attach({}, Service::watch), kNoPeer);
  EXPECT_FALSE(impaired.fabric.caps().frames_protected);
  EXPECT_FALSE(Impaired({.truncate = 0.1}).fabric.caps().frames_protected);
}

TEST(Impair, AllocatesNothingAfterItsConstruction) {
  Impaired impaired({.loss = 0.1,
                     .duplicate = 0.1,
                     .corrupt = 0.1,
                     .truncate = 0.1,
                     .reorder = 0.1,
                     .delay = milliseconds(1),
                     .jitter = milliseconds(2)});
  impaired.inner.detached.reserve(100);
  const std::size_t before = allocations();
  for (std::uint32_t i = 0; i < 3000; ++i) {
    ASSERT_TRUE(impaired.post(i));
    impaired.now = impaired.now + microseconds(10);
    impaired.poll();
    if (i % 100 == 0) impaired.fabric.detach({77});
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(impaired.fabric.counts().delayed, 0u);
}

}  // namespace
}  // namespace holdfast
