// Dissemination: what is told arrives although frames get lost, in bounded memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/propagate/dissemination.hpp"
#include "tests/drawn.hpp"

namespace holdfast {
namespace {

// An order without the parts that only some tests look at.
struct Order {
  ProcessId to;
  std::uint64_t after = 0;
  bool repeated = false;

  friend bool operator==(const Order&, const Order&) = default;
};

constexpr Duration kRepeat = milliseconds(10);
constexpr ProcessId kA{1}, kB{2};

Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

// Polls once and sends everything up to `upto`.
std::optional<Order> send(Dissemination& dissemination, Time now, std::uint64_t upto) {
  const auto order = dissemination.poll(now);
  if (!order) return std::nullopt;
  dissemination.sent(*order, upto, now);
  return Order{order->to, order->after, order->repeated};
}

void tell(Dissemination& dissemination, ProcessId to, std::uint64_t after, std::uint64_t upto,
          const Broadcast& broadcast = {}) {
  dissemination.tell({&to, 1}, after, upto, broadcast);
}

TEST(Dissemination, RepeatsUntilAcknowledged) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  EXPECT_TRUE(dissemination.idle());
  EXPECT_EQ(dissemination.next_deadline(), Time::never());
  tell(dissemination, kA, 4, 6);
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
  tell(dissemination, kA, 0, 9);
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
  tell(dissemination, kA, 0, 5);
  dissemination.acknowledged(kA, 0, 5);
  dissemination.acknowledged(kB, 0, 5);
  EXPECT_EQ(send(dissemination, at(0), 5), (Order{kA, 0, false}));
  dissemination.acknowledged(kA, 0, 6);
  EXPECT_FALSE(dissemination.idle());
}

TEST(Dissemination, LaterNewsJoinsTheEntry) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  tell(dissemination, kA, 0, 1);
  ASSERT_EQ(send(dissemination, at(0), 1), (Order{kA, 0, false}));
  tell(dissemination, kA, 1, 2);
  EXPECT_EQ(send(dissemination, at(1), 2), (Order{kA, 1, false}));
  dissemination.acknowledged(kA, 0, 1);
  EXPECT_FALSE(dissemination.idle());
  dissemination.acknowledged(kA, 1, 2);
  EXPECT_TRUE(dissemination.idle());
}

TEST(Dissemination, ForgetsTheDead) {
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  tell(dissemination, kA, 0, 1);
  tell(dissemination, kB, 0, 1);
  dissemination.forget(kA);
  EXPECT_EQ(send(dissemination, at(0), 1), (Order{kB, 0, false}));
  EXPECT_EQ(send(dissemination, at(0), 1), std::nullopt);
}

TEST(Dissemination, OldestGivesWayWhenAllEntriesAreTaken) {
  Dissemination dissemination({.retransmission_timeout = kRepeat, .entries_max = 3});
  for (std::uint32_t i = 0; i < 5; ++i) tell(dissemination, {i}, 0, 1);
  EXPECT_EQ(dissemination.evicted(), 2u);
  std::vector<std::uint32_t> told;
  while (const auto order = send(dissemination, at(0), 1)) told.push_back(order->to.value);
  EXPECT_EQ(told, (std::vector<std::uint32_t>{2, 3, 4}));
}

TEST(Dissemination, WithoutAcknowledgementsEachNoticeIsSentOnce) {
  Dissemination dissemination({.acknowledged = false, .retransmission_timeout = kRepeat});
  tell(dissemination, kA, 0, 2);
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
        tell(dissemination, {to}, before, changes);
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

// What the header promises, told as plainly as possible: everything is looked at every time.
class Naive {
 public:
  explicit Naive(const DisseminationOptions& options) : options_(options) {}

  void tell(ProcessId to, std::uint64_t after, std::uint64_t upto, const Broadcast& broadcast) {
    for (Entry& entry : entries_) {
      if (entry.to != to || entry.broadcast != broadcast) continue;
      if (after < entry.acknowledged) entry.acknowledged = entry.sent = after;
      entry.upto = std::max(entry.upto, upto);
      return;
    }
    if (entries_.size() == options_.entries_max) entries_.erase(entries_.begin());
    entries_.push_back({to, broadcast, after, after, after, upto, Time::never()});
  }
  void acknowledged(ProcessId from, std::uint64_t after, std::uint64_t upto,
                    const Broadcast& broadcast) {
    for (Entry& entry : entries_) {
      if (entry.to != from || entry.broadcast != broadcast) continue;
      if (upto > entry.highest || after > entry.acknowledged) return;
      entry.acknowledged = std::max(entry.acknowledged, upto);
      entry.sent = std::max(entry.sent, upto);
    }
    std::erase_if(entries_, [](const Entry& entry) { return entry.acknowledged == entry.upto; });
  }
  std::optional<std::uint64_t> forget(ProcessId to) {
    std::optional<std::uint64_t> unheard;
    for (const Entry& entry : entries_) {
      if (entry.to == to)
        unheard = std::min(unheard.value_or(entry.acknowledged), entry.acknowledged);
    }
    std::erase_if(entries_, [to](const Entry& entry) { return entry.to == to; });
    return unheard;
  }
  std::optional<Dissemination::Order> poll(Time now) {
    for (Entry& entry : entries_) {
      if (entry.repeat_at > now) continue;
      entry.sent = entry.acknowledged;
      entry.repeat_at = Time::never();
    }
    for (const Entry& entry : entries_) {
      if (entry.sent < entry.upto) {
        return Dissemination::Order{entry.to, entry.sent, entry.upto, entry.sent < entry.highest,
                                    entry.broadcast};
      }
    }
    return std::nullopt;
  }
  void sent(const Dissemination::Order& order, std::uint64_t upto, Time now) {
    for (Entry& entry : entries_) {
      if (entry.to != order.to || entry.broadcast != order.broadcast) continue;
      entry.sent = upto;
      entry.upto = std::max(entry.upto, upto);
      entry.highest = std::max(entry.highest, upto);
      if (upto == entry.upto && entry.repeat_at == Time::never()) {
        entry.repeat_at = now + options_.retransmission_timeout;
      }
    }
    if (options_.acknowledged) return;
    std::erase_if(entries_, [](const Entry& entry) { return entry.sent == entry.upto; });
  }
  Time next_deadline() const {
    Time next = Time::never();
    for (const Entry& entry : entries_) {
      next = std::min(next, entry.sent < entry.upto ? Time{0} : entry.repeat_at);
    }
    return next;
  }
  bool idle() const { return entries_.empty(); }

 private:
  struct Entry {
    ProcessId to;
    Broadcast broadcast;
    std::uint64_t acknowledged, sent, highest, upto;
    Time repeat_at;
  };
  DisseminationOptions options_;
  std::vector<Entry> entries_;
};

TEST(Dissemination, DoesWhatALookAtEverythingWouldDo) {
  Random random(1, 5, 0);
  for (int round = 0; round < tests::drawn(300); ++round) {
    const DisseminationOptions options{
        .acknowledged = random.below(4) != 0,
        .retransmission_timeout = kRepeat,
        .entries_max = static_cast<std::uint32_t>(1 + random.below(40))};
    Dissemination product(options);
    Naive naive(options);
    std::vector<Dissemination::Order> under_way;
    std::uint64_t changes = 1;
    Time now;
    for (int step = 0; step < 400; ++step) {
      const ProcessId process{static_cast<std::uint32_t>(random.below(30))};
      const Broadcast broadcast =
          random.below(2) == 0 ? Broadcast{}
                               : Broadcast{{1}, {}, static_cast<std::uint32_t>(random.below(3)), 0};
      switch (random.below(6)) {
        case 0: {
          std::vector<ProcessId> to;
          const std::uint64_t count = 1 + random.below(20);
          for (std::uint32_t i = 0; i < count; ++i) to.push_back({(process.value + i) % 30});
          const std::uint64_t after = random.below(changes);
          product.tell(to, after, changes, broadcast);
          for (const ProcessId one : to) naive.tell(one, after, changes, broadcast);
          changes += random.below(3);
          break;
        }
        case 1:
          ASSERT_EQ(product.forget(process), naive.forget(process));
          break;
        case 2:
          now += milliseconds(static_cast<std::int64_t>(random.below(12)));
          break;
        case 3:
          for (std::uint64_t i = random.below(under_way.size() + 1); i > 0; --i) {
            const auto order = under_way[random.below(under_way.size())];
            product.acknowledged(order.to, order.after, order.upto, order.broadcast);
            naive.acknowledged(order.to, order.after, order.upto, order.broadcast);
          }
          break;
        default:
          for (std::uint64_t i = random.below(10); i > 0; --i) {
            auto order = product.poll(now);
            ASSERT_EQ(order, naive.poll(now));
            if (!order) break;
            // Named: not beyond what is to be told.
            const std::uint64_t most = order->broadcast.named() ? order->upto : changes;
            const std::uint64_t upto = order->after + 1 + random.below(most - order->after);
            product.sent(*order, upto, now);
            naive.sent(*order, upto, now);
            order->upto = upto;
            under_way.push_back(*order);
          }
      }
      ASSERT_EQ(product.next_deadline(), naive.next_deadline());
      ASSERT_EQ(product.idle(), naive.idle());
    }
  }
}

TEST(Dissemination, NamedBroadcastsAreToldAndAcknowledgedApart) {
  const Broadcast one{{7}, {0}, 1, 0}, other{{7}, {0}, 1, 1};
  Dissemination dissemination({.retransmission_timeout = kRepeat});
  tell(dissemination, kA, 0, 2, one);
  tell(dissemination, kA, 0, 2, other);
  const auto first = dissemination.poll(at(0));
  ASSERT_EQ(first, (Dissemination::Order{kA, 0, 2, false, one}));
  dissemination.sent(*first, 2, at(0));
  const auto second = dissemination.poll(at(0));
  ASSERT_EQ(second, (Dissemination::Order{kA, 0, 2, false, other}));
  dissemination.sent(*second, 2, at(0));
  dissemination.acknowledged(kA, 0, 2, one);
  EXPECT_FALSE(dissemination.idle());
  EXPECT_EQ(dissemination.poll(at(10)), (Dissemination::Order{kA, 0, 2, true, other}));
  dissemination.acknowledged(kA, 0, 2);
  EXPECT_FALSE(dissemination.idle());
  dissemination.acknowledged(kA, 0, 2, other);
  EXPECT_TRUE(dissemination.idle());
}

}  // namespace
}  // namespace holdfast
