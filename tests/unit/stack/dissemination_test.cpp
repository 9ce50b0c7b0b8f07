// Dissemination: what is told arrives although frames get lost, in bounded memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/propagate/dissemination.hpp"

namespace holdfast {
namespace {

using Order = Dissemination::Order;
constexpr Duration kRepeat = milliseconds(10);
constexpr ProcessId kA{1}, kB{2};

Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

// Polls once and sends everything up to `upto`.
std::optional<Order> send(Dissemination& dissemination, Time now, std::uint64_t upto) {
  const auto order = dissemination.poll(now);
  if (order) dissemination.sent(*order, upto, now);
  return order;
}

TEST(Dissemination, RepeatsUntilAcknowledged) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  EXPECT_TRUE(dissemination.idle());
  EXPECT_EQ(dissemination.next_deadline(), Time::never());
  dissemination.tell(kA, 4, 6);
  EXPECT_LE(dissemination.next_deadline(), at(0));
  EXPECT_EQ(send(dissemination, at(0), 6), (Order{kA, 4, false}));
  EXPECT_EQ(dissemination.next_deadline(), at(10));
  EXPECT_EQ(send(dissemination, at(10) - nanoseconds(1), 6), std::nullopt);
  EXPECT_EQ(send(dissemination, at(10), 6), (Order{kA, 4, true}));
  EXPECT_EQ(send(dissemination, at(20), 6), (Order{kA, 4, true}));
  dissemination.acknowledged(kA, 4, 6);
  EXPECT_TRUE(dissemination.idle());
  EXPECT_EQ(send(dissemination, at(30), 6), std::nullopt);
}

TEST(Dissemination, AcknowledgementWithAGapBeforeItSaysNothing) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  dissemination.tell(kA, 0, 9);
  ASSERT_EQ(send(dissemination, at(0), 3), (Order{kA, 0, false}));  // three frames' worth
  ASSERT_EQ(send(dissemination, at(0), 6), (Order{kA, 3, false}));
  ASSERT_EQ(send(dissemination, at(0), 9), (Order{kA, 6, false}));
  dissemination.acknowledged(kA, 3, 6);  // the first one was lost
  dissemination.acknowledged(kA, 6, 9);
  EXPECT_FALSE(dissemination.idle());
  EXPECT_EQ(send(dissemination, at(10), 3), (Order{kA, 0, true}));
  dissemination.acknowledged(kA, 0, 3);
  // From here on it goes on where the receiver is.
  EXPECT_EQ(send(dissemination, at(10), 9), (Order{kA, 3, true}));
  dissemination.acknowledged(kA, 3, 9);
  EXPECT_TRUE(dissemination.idle());
}

TEST(Dissemination, AcknowledgementOfWhatWasNeverSentIsIgnored) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  dissemination.tell(kA, 0, 5);
  dissemination.acknowledged(kA, 0, 5);
  dissemination.acknowledged(kB, 0, 5);
  EXPECT_EQ(send(dissemination, at(0), 5), (Order{kA, 0, false}));
  dissemination.acknowledged(kA, 0, 6);
  EXPECT_FALSE(dissemination.idle());
}

TEST(Dissemination, LaterNewsJoinsTheEntry) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  dissemination.tell(kA, 0, 1);
  ASSERT_EQ(send(dissemination, at(0), 1), (Order{kA, 0, false}));
  dissemination.tell(kA, 1, 2);
  EXPECT_EQ(send(dissemination, at(1), 2), (Order{kA, 1, false}));
  dissemination.acknowledged(kA, 0, 1);
  EXPECT_FALSE(dissemination.idle());
  dissemination.acknowledged(kA, 1, 2);
  EXPECT_TRUE(dissemination.idle());
}

TEST(Dissemination, ForgetsTheDead) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  dissemination.tell(kA, 0, 1);
  dissemination.tell(kB, 0, 1);
  dissemination.forget(kA);
  EXPECT_EQ(send(dissemination, at(0), 1), (Order{kB, 0, false}));
  EXPECT_EQ(send(dissemination, at(0), 1), std::nullopt);
}

TEST(Dissemination, OldestGivesWayWhenAllEntriesAreTaken) {
  Dissemination dissemination({.retransmission_timeout = kRepeat, .entries_max = 3});
  for (std::uint32_t i = 0; i < 5; ++i) dissemination.tell({i}, 0, 1);
  EXPECT_EQ(dissemination.evicted(), 2u);
  std::vector<std::uint32_t> told;
  while (const auto order = send(dissemination, at(0), 1)) told.push_back(order->to.value);
  EXPECT_EQ(told, (std::vector<std::uint32_t>{2, 3, 4}));
}

TEST(Dissemination, WithoutAcknowledgementsEachNoticeIsSentOnce) {
  Dissemination dissemination({.acknowledged = false, .retransmission_timeout = kRepeat});
  dissemination.tell(kA, 0, 2);
  EXPECT_EQ(send(dissemination, at(0), 1), (Order{kA, 0, false}));
  EXPECT_EQ(send(dissemination, at(0), 2), (Order{kA, 1, false}));
  EXPECT_TRUE(dissemination.idle());
}

// Over a network that loses half of everything, both ways: in the end every receiver has every
// change that it was to be told, and memory is empty.
TEST(Dissemination, EverythingArrivesThroughLoss) {
  using Changes = std::set<std::pair<std::uint32_t, std::uint64_t>>;  // receiver, change
  Random random(1, 4, 0);
  for (int round = 0; round < 200; ++round) {
    Dissemination dissemination({.retransmission_timeout = kRepeat});
    Changes told, arrived;
    std::uint64_t changes = 0;
    Time now;
    for (int step = 0; step < 20 || !dissemination.idle(); ++step) {
      ASSERT_LT(step, 2000);
      now += milliseconds(3);
      const std::uint64_t before = changes;
      if (step < 20) changes += 1 + random.below(5);
      for (std::uint32_t to = 0; to < 4 && changes > before; ++to) {
        if (random.below(2) == 0) continue;
        dissemination.tell({to}, before, changes);
        for (std::uint64_t i = before + 1; i <= changes; ++i) told.emplace(to, i);
      }
      while (const auto order = dissemination.poll(now)) {
        const std::uint64_t upto = std::min(changes, order->after + 2);  // two changes a frame
        dissemination.sent(*order, upto, now);
        if (random.below(2) == 0) continue;
        for (std::uint64_t i = order->after + 1; i <= upto; ++i)
          arrived.emplace(order->to.value, i);
        if (random.below(2) != 0) dissemination.acknowledged(order->to, order->after, upto);
      }
    }
    EXPECT_TRUE(std::includes(arrived.begin(), arrived.end(), told.begin(), told.end()));
  }
}

}  // namespace
}  // namespace holdfast
