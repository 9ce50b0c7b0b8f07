// The event queue against std::priority_queue ordered by (time, sequence), operation by operation,
// over patterns of time that have broken calendar queues; and what only this queue promises: drain,
// and memory given back.
#include "sim/engine/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "stack/base/random.hpp"
#include "tests/drawn.hpp"

namespace holdfast::sim {
namespace {

constexpr std::int64_t kLastTime = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSecond = 100'000'000'000;  // in units of 10 ps

// What the queue must do, in the plainest way.
class Oracle {
 public:
  void push(std::int64_t time, std::uint32_t target, std::uint32_t payload) {
    queue_.push({time, next_sequence_++, target, payload});
  }
  QueuedEvent pop() {
    const QueuedEvent event = queue_.top();
    queue_.pop();
    return event;
  }
  std::int64_t next_time() const { return queue_.top().time; }
  std::size_t size() const { return queue_.size(); }

 private:
  struct Later {
    bool operator()(const QueuedEvent& a, const QueuedEvent& b) const {
      return a.time > b.time || (a.time == b.time && a.sequence > b.sequence);
    }
  };
  std::priority_queue<QueuedEvent, std::vector<QueuedEvent>, Later> queue_;
  std::uint64_t next_sequence_ = 0;
};

// A way to draw how much later than now an event is.
struct Pattern {
  const char* name;
  std::int64_t (*increment)(Random& random, std::int64_t now);
};

std::int64_t uniform(Random& random, std::int64_t bound) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
}

const Pattern kPatterns[] = {
    {"zero", [](Random&, std::int64_t) -> std::int64_t { return 0; }},
    {"few_ticks", [](Random& r, std::int64_t) { return uniform(r, 4); }},
    {"uniform", [](Random& r, std::int64_t) { return uniform(r, kSecond); }},
    {"constant", [](Random&, std::int64_t) { return kSecond / 10; }},
    {"heartbeat", [](Random& r, std::int64_t) { return r.below(4) == 0 ? 200'000 : kSecond / 10; }},
    // Timers of processes that began at different times, and now and then something in between:
    // boxes that are in order but for a few.
    {"phases",
     [](Random& r, std::int64_t now) {
       constexpr std::int64_t kPeriod = kSecond / 10;
       return now < kPeriod || r.below(100) == 0 ? uniform(r, kPeriod) : kPeriod;
     }},
    {"bimodal",
     [](Random& r, std::int64_t) {
       return r.below(2) == 0 ? uniform(r, 50) : uniform(r, kSecond);
     }},
    {"minutes_between_ticks",
     [](Random& r, std::int64_t) {
       return std::int64_t{1} << (r.below(8) == 0 ? 46 : r.below(30));
     }},
    {"one_gap_of_months",
     [](Random& r, std::int64_t now) {
       constexpr std::int64_t kGap = std::int64_t{1} << 61;
       return now < kGap && r.below(500) == 0 ? kGap : std::int64_t{1} << r.below(30);
     }},
    {"any_scale",
     [](Random& r, std::int64_t) { return uniform(r, std::int64_t{1} << r.below(48)); }},
    // Everything waits for the next full second: one instant with all events, then nothing.
    {"bursts", [](Random&, std::int64_t now) { return kSecond - now % kSecond; }},
    {"bursts_with_echo",
     [](Random& r, std::int64_t now) {
       return r.below(2) == 0 ? kSecond - now % kSecond : 1 + uniform(r, 3);
     }},
    // Ever nearer before one instant, so that each newcomer belongs before most of what waits.
    {"nearer_and_nearer",
     [](Random& r, std::int64_t now) { return (kSecond - now % kSecond) >> r.below(40); }},
};

// Both queues, given the same pushes.
class Differential : public ::testing::Test {
 protected:
  // Who has looked at what is next may push something that comes before it.
  void push(std::int64_t time) {
    if (random_.below(8) == 0 && oracle_.size() > 0) {
      ASSERT_EQ(queue_->next_time(), oracle_.next_time());
    }
    const auto target = static_cast<std::uint32_t>(random_.next());
    const auto payload = static_cast<std::uint32_t>(random_.next());
    queue_->push(time, target, payload);
    oracle_.push(time, target, payload);
  }
  void push_later(const Pattern& pattern) { push(now_ + pattern.increment(random_, now_)); }

  void pop_both() {
    if (random_.below(2) == 0) {
      ASSERT_EQ(queue_->next_time(), oracle_.next_time());
    }
    const QueuedEvent got = queue_->pop();
    const QueuedEvent expected = oracle_.pop();
    ASSERT_EQ(got.time, expected.time);
    ASSERT_EQ(got.sequence, expected.sequence);
    ASSERT_EQ(got.target, expected.target);
    ASSERT_EQ(got.payload, expected.payload);
    ASSERT_EQ(queue_->size(), oracle_.size());
    now_ = got.time;
  }

  Random random_{7, 1, 0};
  std::optional<EventQueue> queue_{std::in_place};
  Oracle oracle_;
  std::int64_t now_ = 0;
};

class EventQueueAgainstOracle : public Differential, public ::testing::WithParamInterface<Pattern> {
 protected:
  void push_later() { Differential::push_later(GetParam()); }
};

// As many pushes as pops, at sizes from one event to more than two rungs hold.
TEST_P(EventQueueAgainstOracle, Hold) {
  for (const std::size_t pending : {1u, 2u, 10u, 49u, 300u, 5'000u, 60'000u}) {
    while (oracle_.size() < pending) push_later();
    for (std::size_t i = 0; i < tests::drawn(3 * pending + 200); ++i) {
      ASSERT_NO_FATAL_FAILURE(pop_both());
      push_later();
    }
  }
  while (oracle_.size() > 0) ASSERT_NO_FATAL_FAILURE(pop_both());
  EXPECT_TRUE(queue_->empty());
}

// Swells and shrinks at random, to empty and back, each event causing none to three others.
TEST_P(EventQueueAgainstOracle, SwellAndShrink) {
  std::size_t limit = 1;
  for (int step = 0; step < tests::drawn(200'000); ++step) {
    if (random_.below(5'000) == 0) limit = std::size_t{1} << random_.below(15);
    if (oracle_.size() == 0 || (oracle_.size() < limit && random_.below(3) != 0)) {
      push_later();
    } else {
      ASSERT_NO_FATAL_FAILURE(pop_both());
    }
    ASSERT_EQ(queue_->empty(), oracle_.size() == 0);
  }
}

// Drains at random moments: the order is that of pop. What was drained is pushed again, all of it
// moved by one span, as a simulator does that skips quiet time.
TEST_P(EventQueueAgainstOracle, DrainAndPushAgain) {
  for (int round = 0; round < tests::drawn(60); ++round) {
    const std::size_t pending = std::size_t{1} << random_.below(14);
    while (oracle_.size() < pending) push_later();
    for (std::size_t i = random_.below(2 * pending); i > 0; --i) {
      ASSERT_NO_FATAL_FAILURE(pop_both());
      push_later();
    }
    const std::vector<QueuedEvent> drained = queue_->drain();
    ASSERT_TRUE(queue_->empty());
    ASSERT_EQ(drained.size(), oracle_.size());
    for (const QueuedEvent& event : drained) ASSERT_EQ(event.sequence, oracle_.pop().sequence);
    const std::int64_t moved = static_cast<std::int64_t>(random_.below(2)) * 5 * kSecond;
    for (const QueuedEvent& event : drained) {
      queue_->push(event.time + moved, event.target, event.payload);
      oracle_.push(event.time + moved, event.target, event.payload);
    }
    while (oracle_.size() > pending / 2) ASSERT_NO_FATAL_FAILURE(pop_both());
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, EventQueueAgainstOracle, ::testing::ValuesIn(kPatterns),
                         [](const auto& pattern) { return std::string(pattern.param.name); });

// All patterns by turns, so that the boxes made for one serve the next. Many short histories, since
// it takes particular sequences to bring rungs, run and far into particular places.
class EventQueuePatternsInTurn : public Differential {
 protected:
  void begin(std::uint64_t stream, std::uint64_t history) {
    random_ = Random(7, stream, history);
    queue_.emplace();
    oracle_ = Oracle();
    now_ = 0;
  }
};

TEST_F(EventQueuePatternsInTurn, ManyHistories) {
  for (std::uint64_t history = 0; history < tests::drawn(1'000u); ++history) {
    SCOPED_TRACE(history);
    begin(3, history);
    std::size_t limit = 1;
    const Pattern* pattern = kPatterns;
    for (int step = 0; step < 2'000; ++step) {
      if (random_.below(200) == 0) limit = std::size_t{1} << random_.below(10);
      if (random_.below(100) == 0) pattern = &kPatterns[random_.below(std::size(kPatterns))];
      if (oracle_.size() == 0 || (oracle_.size() < limit && random_.below(4) != 0)) {
        push_later(*pattern);
      } else {
        ASSERT_NO_FATAL_FAILURE(pop_both());
      }
    }
    while (oracle_.size() > 0) ASSERT_NO_FATAL_FAILURE(pop_both());
  }
}

// Groups of which each is looked at before another one comes before it, at any scale: great ones of
// one time, to which some are added later, and small ones one after the other or of any order.
TEST_F(EventQueuePatternsInTurn, GroupsBeforeWhatHasBeenLookedAt) {
  for (std::uint64_t history = 0; history < tests::drawn(1'000u); ++history) {
    SCOPED_TRACE(history);
    begin(4, history);
    for (int i = 0; i < 1'500; ++i) push(kSecond);
    for (int group = 0; group < 40; ++group) {
      ASSERT_EQ(queue_->next_time(), oracle_.next_time());
      const std::int64_t next = oracle_.next_time();
      const std::int64_t first = std::max(now_, next - (std::int64_t{1} << random_.below(38)));
      const std::uint64_t count = 1 + random_.below(60);
      const std::uint64_t kind = random_.below(3);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto ahead = static_cast<std::int64_t>(i);
        push(kind == 0   ? first
             : kind == 1 ? first + ahead
                         : first + uniform(random_, next - first + 1));
        if (random_.below(20) == 0) push(std::max(kSecond, now_));
      }
      for (std::uint64_t i = random_.below(3) == 0 ? random_.below(2 * count) : 0; i > 0; --i) {
        ASSERT_NO_FATAL_FAILURE(pop_both());
      }
    }
    while (oracle_.size() > 0) ASSERT_NO_FATAL_FAILURE(pop_both());
  }
}

// A drain leaves the present where it is: the earliest of what was drained may be pushed again.
TEST(EventQueue, DrainKeepsThePresent) {
  EventQueue queue;
  for (const std::int64_t time : {100, 150, 200}) queue.push(time, 0, 0);
  queue.pop();
  const std::vector<QueuedEvent> drained = queue.drain();
  ASSERT_EQ(drained.size(), 2u);
  for (const QueuedEvent& event : drained) queue.push(event.time - 50, event.target, event.payload);
  EXPECT_EQ(queue.pop().time, 100);
  EXPECT_EQ(queue.pop().time, 150);
  EXPECT_TRUE(queue.drain().empty());
}

TEST(EventQueue, TimesUpToTheLastOneThereIs) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 200; ++i) {
    queue.push(kLastTime - i % 2, i, 0);
    queue.push(i, i, 0);
  }
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(queue.pop().time, i);
  for (std::uint32_t i = 1; i < 200; i += 2) EXPECT_EQ(queue.pop().target, i);
  queue.push(kLastTime, 200, 0);
  for (std::uint32_t i = 0; i <= 200; i += 2) EXPECT_EQ(queue.pop().target, i);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueueDeathTest, RefusesThePast) {
  EventQueue queue;
  EXPECT_DEATH(queue.push(-1, 0, 0), "time >= last_popped_");
  queue.push(10, 0, 0);
  queue.pop();
  queue.push(10, 0, 0);
  EXPECT_DEATH(queue.push(9, 0, 0), "time >= last_popped_");
}

TEST(EventQueueDeathTest, RefusesToPopNothing) {
  EventQueue queue;
  EXPECT_DEATH(queue.pop(), "size_ > 0");
}

// Little more than the events themselves while they are there, and next to nothing afterwards.
TEST(EventQueue, MemoryFollowsSize) {
  constexpr std::size_t kEvents = 500'000;
  constexpr std::size_t kOverhead = 1 << 20;
  EventQueue queue;
  Random random(7, 2, 0);
  for (int time = 0; time < 2; ++time) {
    const std::int64_t from = time * kSecond;
    for (std::size_t i = 0; i < kEvents; ++i) queue.push(from + uniform(random, kSecond), 0, 0);
    std::size_t most = queue.memory_bytes();
    EXPECT_GE(most, kEvents * sizeof(QueuedEvent));
    while (!queue.empty()) {
      queue.pop();
      if (queue.size() % 1'000 == 0) most = std::max(most, queue.memory_bytes());
    }
    EXPECT_LE(most, kEvents * sizeof(QueuedEvent) * 5 / 4 + kOverhead);
    EXPECT_LE(queue.memory_bytes(), kOverhead / 2);
  }
}

// What the visit promises is the right set in nearly the right order; with events that all come
// back after the same time, as heartbeats do, the order is exact.
TEST(EventQueue, TellsWhatComesNext) {
  constexpr std::uint32_t kEvents = 2'000;
  constexpr std::int64_t kPeriod = 100'000'000;
  EventQueue queue;
  Random random(3, 0, 0);
  for (std::uint32_t i = 0; i < kEvents; ++i) queue.push(uniform(random, kPeriod), i, 0);
  constexpr std::size_t kAhead = 3;
  std::array<std::vector<std::uint32_t>, kAhead> foretold;  // by turn, modulo kAhead
  std::size_t told = 0;
  for (std::uint32_t i = 0; i < 10 * kEvents; ++i) {
    const QueuedEvent event = queue.pop();
    queue.push(event.time + kPeriod, event.target, 0);
    if (i < kEvents) continue;
    for (std::size_t ago = 1; ago <= kAhead; ++ago) {
      const std::vector<std::uint32_t>& then = foretold[(i - ago) % kAhead];
      if (then.size() < ago) continue;
      EXPECT_EQ(event.target, then[ago - 1]) << "foretold " << ago << " events before";
      ++told;
    }
    std::vector<std::uint32_t>& now = foretold[i % kAhead];
    now.clear();
    queue.visit_upcoming([&now](const QueuedEvent& next) {
      now.push_back(next.target);
      return now.size() < kAhead;
    });
  }
  EXPECT_GT(told, kAhead * 9 * kEvents * 9 / 10);
}

// One far event keeps the run from ever ending; its memory must not grow with what passes through.
TEST(EventQueue, MemoryOfAnEndlessRun) {
  EventQueue queue;
  queue.push(kLastTime, 0, 0);
  for (std::uint32_t i = 0; i < 5; ++i) queue.push(i, i, 0);
  for (int i = 0; i < 1'000'000; ++i) queue.push(queue.pop().time + 5, 1, 0);
  EXPECT_EQ(queue.size(), 6u);
  EXPECT_LE(queue.memory_bytes(), 1u << 16);
}

// Both queues, for what is pushed by a test itself.
struct Both {
  EventQueue queue;
  Oracle oracle;

  void push(std::int64_t time) {
    queue.push(time, 0, 0);
    oracle.push(time, 0, 0);
  }
};

// A part of the instant has been loaded: what comes long before it, in whatever number, must not
// part it from the rest, behind which newcomers of the same time belong.
TEST(EventQueue, AGreatInstantThatHasBeenLookedAtStaysWhole) {
  for (const std::uint32_t early : {1u, 5u, 20u, 200u}) {
    SCOPED_TRACE(early);
    Both both;
    for (int i = 0; i < 2'000; ++i) both.push(kSecond);
    ASSERT_EQ(both.queue.next_time(), kSecond);
    for (std::uint32_t i = 0; i < early; ++i) both.push(kSecond / 2 - 1'000 * i);
    for (std::uint32_t popped = 0; both.oracle.size() > 0; ++popped) {
      ASSERT_EQ(both.queue.pop().sequence, both.oracle.pop().sequence);
      if (popped == early + 2) both.push(kSecond);
    }
    EXPECT_TRUE(both.queue.empty());
  }
}

// Those who come before the instant are so many that they make rungs of their own, which reach up
// to it and not beyond.
TEST(EventQueue, WhatComesBeforeAGreatInstantIsInNoRungOfTheInstant) {
  Both both;
  constexpr std::int64_t kInstant = 1'000'000;
  for (int i = 0; i < 2'000; ++i) both.push(kInstant);
  ASSERT_EQ(both.queue.next_time(), kInstant);
  for (int i = 0; i < 9; ++i) both.push(10);
  for (std::int64_t time = 11; time <= 50; ++time) both.push(time);
  both.push(10);
  ASSERT_EQ(both.queue.next_time(), 10);
  both.push(10);
  both.push(20'000);
  while (both.oracle.size() > 0) ASSERT_EQ(both.queue.pop().sequence, both.oracle.pop().sequence);
}

// A run far ahead is looked at before each of those that come before it.
TEST(EventQueue, MemoryOfManyWhoComeBeforeWhatIsNext) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 200; ++i) queue.push(kSecond + i, i, 0);
  for (std::int64_t time = 0; time < 1'000; ++time) {
    ASSERT_EQ(queue.next_time(), kSecond);
    for (std::int64_t i = 0; i < 20; ++i) queue.push(1'000 * time - 40 * i + 800, 0, 0);
    for (std::int64_t i = 0; i < 20; ++i) ASSERT_LT(queue.pop().time, kSecond);
  }
  EXPECT_EQ(queue.size(), 200u);
  EXPECT_LE(queue.memory_bytes(), 1u << 18);
}

// News that reaches many at one instant: a million events of one time, and each that is handled
// makes more of that time and of later ones. In order, and without a second copy of them all.
TEST(EventQueue, AGreatInstantIsHandledInOrderWithoutACopyOfIt) {
  EventQueue queue;
  Oracle oracle;
  std::uint32_t made = 0;
  const auto push = [&](std::int64_t time) {
    queue.push(time, made, 1);
    oracle.push(time, made++, 1);
  };
  constexpr std::uint32_t kEvents = 200'000;
  for (std::uint32_t i = 0; i < kEvents; ++i) push(kSecond);
  push(2 * kSecond);
  // Looking at it loads a part; what comes then may still be earlier, or of the same time.
  ASSERT_EQ(queue.next_time(), kSecond);
  for (std::uint32_t i = 0; i < 3; ++i) {
    push(kSecond - 1);
    push(kSecond);
    push(kSecond - 2);
  }
  const std::size_t full = queue.memory_bytes();
  std::size_t most = full;
  for (std::uint32_t handled = 0; queue.size() > 0; ++handled) {
    const QueuedEvent expected = oracle.pop();
    const QueuedEvent event = queue.pop();
    ASSERT_EQ(event.target, expected.target);
    ASSERT_EQ(event.time, expected.time);
    if (handled % 16 == 0 && handled < kEvents) push(event.time);
    if (handled % 1000 == 0 && handled < kEvents) push(event.time + 1);
    if (handled % 256 == 0) most = std::max(most, queue.memory_bytes());
  }
  EXPECT_LE(most, full + full / 16);
}

}  // namespace
}  // namespace holdfast::sim
