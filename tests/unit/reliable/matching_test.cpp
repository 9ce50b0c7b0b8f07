// Who receives what: the rules of MPI one by one, and any number of operations against two lists
// that are searched from the beginning.
#include "stack/reliable/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "stack/base/random.hpp"
#include "tests/unit/hw/counting_new.hpp"

namespace holdfast::reliable {
namespace {

using Posted = Matching::Posted;
using Ticket = Matching::Ticket;

constexpr std::uint32_t kContext = 3;
constexpr std::uint64_t kWhole = ~std::uint64_t{0};
constexpr Ticket kNobody = 0xdead;

Envelope from(std::uint32_t source, std::uint64_t tag, std::uint32_t context = kContext) {
  return {{source}, context, tag};
}
Pattern exactly(std::uint32_t source, std::uint64_t tag, std::uint32_t context = kContext) {
  return {{source}, context, tag, kWhole};
}
Pattern any_source(std::uint64_t tag) {
  return {kNoProcess, kContext, tag, kWhole};
}
Pattern any_tag(std::uint32_t source) {
  return {{source}, kContext, 0, 0};
}
Pattern anything() {
  return {kNoProcess, kContext, 0, 0};
}

// The one that is met, or kNobody if it waits now.
Ticket post(Matching& matching, const Pattern& pattern, Ticket receive) {
  Ticket message = kNobody;
  const Posted posted = matching.post(pattern, receive, message);
  EXPECT_NE(posted, Posted::full);
  EXPECT_EQ(posted == Posted::waits, message == kNobody);
  return message;
}
Ticket arrive(Matching& matching, const Envelope& envelope, Ticket message) {
  Ticket receive = kNobody;
  const Posted posted = matching.arrive(envelope, message, receive);
  EXPECT_NE(posted, Posted::full);
  EXPECT_EQ(posted == Posted::waits, receive == kNobody);
  return receive;
}

TEST(Matching, AReceiveMeetsTheMessageThatWaits) {
  Matching matching(4, 4);
  EXPECT_EQ(arrive(matching, from(1, 9), 100), kNobody);
  EXPECT_EQ(matching.messages(), 1u);
  EXPECT_EQ(post(matching, exactly(1, 9), 7), 100u);
  EXPECT_EQ(matching.messages(), 0u);
  EXPECT_EQ(matching.receives(), 0u);
}

TEST(Matching, AMessageMeetsTheReceiveThatWaits) {
  Matching matching(4, 4);
  EXPECT_EQ(post(matching, exactly(1, 9), 7), kNobody);
  EXPECT_EQ(matching.receives(), 1u);
  EXPECT_EQ(arrive(matching, from(1, 9), 100), 7u);
  EXPECT_EQ(matching.receives(), 0u);
  EXPECT_EQ(matching.messages(), 0u);
}

TEST(Matching, SourceTagAndContextMustAllBeRight) {
  Matching matching(4, 4);
  EXPECT_EQ(post(matching, exactly(1, 9), 7), kNobody);
  EXPECT_EQ(arrive(matching, from(2, 9), 100), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 8), 101), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 9, kContext + 1), 102), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 9 | kWhole << 63), 103), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 9), 104), 7u);
}

TEST(Matching, MessagesOfOneSenderAreTakenInTheirOrder) {
  Matching matching(4, 8);
  for (Ticket i = 0; i < 6; ++i) EXPECT_EQ(arrive(matching, from(1, i % 2), 100 + i), kNobody);
  EXPECT_EQ(post(matching, exactly(1, 1), 0), 101u);
  EXPECT_EQ(post(matching, any_tag(1), 1), 100u);
  EXPECT_EQ(post(matching, any_source(1), 2), 103u);
  EXPECT_EQ(post(matching, anything(), 3), 102u);
  EXPECT_EQ(post(matching, exactly(1, 1), 4), 105u);
  EXPECT_EQ(post(matching, exactly(1, 0), 5), 104u);
}

TEST(Matching, ReceivesAreSatisfiedInTheOrderOfTheirPosting) {
  const Pattern orders[][3] = {{exactly(1, 9), any_source(9), anything()},
                               {any_tag(1), exactly(1, 9), any_source(9)},
                               {anything(), any_tag(1), exactly(1, 9)},
                               {any_source(9), exactly(1, 9), any_source(9)}};
  for (const auto& order : orders) {
    Matching matching(4, 4);
    for (Ticket i = 0; i < 3; ++i) EXPECT_EQ(post(matching, order[i], i), kNobody);
    for (Ticket i = 0; i < 3; ++i) EXPECT_EQ(arrive(matching, from(1, 9), 100 + i), i);
  }
}

TEST(Matching, AMessageTakesTheOldestReceiveThatIsForIt) {
  Matching matching(4, 4);
  EXPECT_EQ(post(matching, any_source(5), 0), kNobody);
  EXPECT_EQ(post(matching, exactly(2, 9), 1), kNobody);
  EXPECT_EQ(post(matching, any_tag(2), 2), kNobody);
  EXPECT_EQ(arrive(matching, from(2, 8), 100), 2u);
  EXPECT_EQ(arrive(matching, from(2, 9), 101), 1u);
  EXPECT_EQ(arrive(matching, from(3, 5), 102), 0u);
}

TEST(Matching, AMaskSaysWhichBitsOfATagCount) {
  Matching matching(4, 4);
  const Pattern upper{{1}, kContext, 0xab00, 0xff00};
  EXPECT_EQ(post(matching, upper, 0), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 0xac00), 100), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 0xab12), 101), 0u);
  EXPECT_EQ(post(matching, {kNoProcess, kContext, 0xff'ac99, 0xff00}, 1), 100u);
}

TEST(Matching, WhoIsFullSaysSoAndNothingHasHappened) {
  Matching matching(2, 1);
  EXPECT_EQ(post(matching, exactly(1, 1), 0), kNobody);
  EXPECT_EQ(post(matching, anything(), 1), kNobody);
  Ticket met = kNobody;
  EXPECT_EQ(matching.post(exactly(1, 2), 2, met), Posted::full);
  EXPECT_FALSE(matching.cancel_receive(2));
  EXPECT_EQ(arrive(matching, from(4, 4, kContext + 1), 100), kNobody);
  EXPECT_EQ(matching.arrive(from(5, 5, kContext + 1), 101, met), Posted::full);
  EXPECT_EQ(met, kNobody);
  EXPECT_FALSE(matching.cancel_message(101));
  // What is met needs no room.
  EXPECT_EQ(arrive(matching, from(1, 1), 102), 0u);
  EXPECT_EQ(post(matching, exactly(4, 4, kContext + 1), 3), 100u);
  EXPECT_EQ(matching.receives(), 1u);
  EXPECT_EQ(matching.messages(), 0u);
}

TEST(Matching, WithoutRoomNothingWaits) {
  Matching matching(0, 0);
  Ticket met = kNobody;
  EXPECT_EQ(matching.post(anything(), 0, met), Posted::full);
  EXPECT_EQ(matching.arrive(from(1, 1), 100, met), Posted::full);
  EXPECT_FALSE(matching.probe(anything()).has_value());
}

TEST(Matching, WhatIsCancelledIsNotMet) {
  Matching matching(4, 4);
  EXPECT_EQ(post(matching, exactly(1, 9), 0), kNobody);
  EXPECT_EQ(post(matching, exactly(1, 9), 1), kNobody);
  EXPECT_TRUE(matching.cancel_receive(0));
  EXPECT_FALSE(matching.cancel_receive(0));
  EXPECT_EQ(arrive(matching, from(1, 9), 100), 1u);
  EXPECT_FALSE(matching.cancel_receive(1));
  EXPECT_EQ(arrive(matching, from(1, 9), 101), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 9), 102), kNobody);
  EXPECT_TRUE(matching.cancel_message(101));
  EXPECT_FALSE(matching.cancel_message(101));
  EXPECT_EQ(post(matching, anything(), 2), 102u);
  EXPECT_EQ(matching.messages(), 0u);
}

TEST(Matching, AProbeLeavesTheMessageAndATakeDoesNot) {
  Matching matching(4, 4);
  EXPECT_FALSE(matching.probe(anything()).has_value());
  EXPECT_EQ(arrive(matching, from(2, 9), 100), kNobody);
  EXPECT_EQ(arrive(matching, from(1, 9), 101), kNobody);
  EXPECT_EQ(matching.probe(anything()), 100u);
  EXPECT_EQ(matching.probe(exactly(1, 9)), 101u);
  EXPECT_EQ(matching.messages(), 2u);
  EXPECT_EQ(matching.take(any_source(9)), 100u);
  EXPECT_FALSE(matching.take(any_tag(2)).has_value());
  EXPECT_EQ(matching.probe(any_source(9)), 101u);
  EXPECT_EQ(matching.messages(), 1u);
}

// Which is kept apart while it is.
TEST(Matching, TheOnlyReceiveIsTheOldestOnceOthersWait) {
  for (const Pattern& pattern : {exactly(1, 9), anything()}) {
    Matching matching(4, 4);
    EXPECT_EQ(post(matching, pattern, 0), kNobody);
    EXPECT_EQ(post(matching, exactly(1, 9), 1), kNobody);
    EXPECT_EQ(post(matching, anything(), 2), kNobody);
    EXPECT_EQ(matching.receives(), 3u);
    for (Ticket i = 0; i < 3; ++i) EXPECT_EQ(arrive(matching, from(1, 9), 100 + i), i);
    EXPECT_EQ(post(matching, pattern, 3), kNobody);
    EXPECT_TRUE(matching.cancel_receive(3));
    EXPECT_FALSE(matching.cancel_receive(3));
    EXPECT_EQ(arrive(matching, from(1, 9), 103), kNobody);
    EXPECT_EQ(post(matching, exactly(1, 8), 4), kNobody);
    EXPECT_EQ(post(matching, pattern, 5), 103u);
    EXPECT_EQ(arrive(matching, from(1, 8), 104), 4u);
  }
}

// The definition: whatever waits lies in one of two lists, and is searched from the beginning.
class Lists {
 public:
  Lists(std::size_t receives_max, std::size_t messages_max)
      : receives_max_(receives_max), messages_max_(messages_max) {}

  Posted post(const Pattern& pattern, Ticket receive, Ticket& message) {
    if (const auto found = take(pattern)) return message = *found, Posted::matched;
    if (receives_.size() == receives_max_) return Posted::full;
    receives_.push_back({pattern, receive});
    return Posted::waits;
  }

  Posted arrive(const Envelope& envelope, Ticket message, Ticket& receive) {
    for (auto it = receives_.begin(); it != receives_.end(); ++it) {
      if (!matches(it->pattern, envelope)) continue;
      receive = it->ticket;
      receives_.erase(it);
      return Posted::matched;
    }
    if (messages_.size() == messages_max_) return Posted::full;
    messages_.push_back({envelope, message});
    return Posted::waits;
  }

  std::optional<Ticket> probe(const Pattern& pattern) const {
    for (const Message& message : messages_) {
      if (matches(pattern, message.envelope)) return message.ticket;
    }
    return std::nullopt;
  }

  std::optional<Ticket> take(const Pattern& pattern) {
    const auto found = probe(pattern);
    if (found) cancel_message(*found);
    return found;
  }

  bool cancel_receive(Ticket ticket) {
    return std::erase_if(receives_, [&](const auto& r) { return r.ticket == ticket; }) > 0;
  }
  bool cancel_message(Ticket ticket) {
    return std::erase_if(messages_, [&](const auto& m) { return m.ticket == ticket; }) > 0;
  }

  std::size_t receives() const { return receives_.size(); }
  std::size_t messages() const { return messages_.size(); }

 private:
  struct Receive {
    Pattern pattern;
    Ticket ticket;
  };
  struct Message {
    Envelope envelope;
    Ticket ticket;
  };

  // Bit by bit, not as the product says it.
  static bool matches(const Pattern& pattern, const Envelope& envelope) {
    if (pattern.context != envelope.context) return false;
    if (pattern.source != kNoProcess && pattern.source != envelope.source) return false;
    for (unsigned bit = 0; bit < 64; ++bit) {
      if ((pattern.mask >> bit & 1) == 0) continue;
      if ((pattern.tag >> bit & 1) != (envelope.tag >> bit & 1)) return false;
    }
    return true;
  }

  std::size_t receives_max_, messages_max_;
  std::vector<Receive> receives_;
  std::vector<Message> messages_;
};

// Few sources, tags and contexts, so that almost everything could be meant by almost everything.
struct Drawing {
  Random random;

  Envelope envelope() {
    return from(static_cast<std::uint32_t>(random.below(3)), random.below(4),
                static_cast<std::uint32_t>(random.below(2)));
  }
  Pattern pattern() {
    const Envelope like = envelope();
    Pattern drawn{like.source, like.context, like.tag, kWhole};
    if (random.below(4) == 0) drawn.source = kNoProcess;
    if (random.below(4) == 0) drawn.mask = random.below(4);
    return drawn;
  }
};

void play(std::uint32_t receives_max, std::uint32_t messages_max, std::uint64_t seed, int steps) {
  SCOPED_TRACE(testing::Message() << receives_max << " " << messages_max << " seed " << seed);
  Matching matching(receives_max, messages_max);
  Lists lists(receives_max, messages_max);
  Drawing draw{Random(seed, receives_max, messages_max)};
  const std::uint64_t some = 4 * (std::uint64_t{receives_max} + messages_max) + 4;
  Ticket fresh = 0;
  for (int step = 0; step < steps; ++step) {
    Ticket met = kNobody, due = kNobody;
    // Long times of mostly receives and of mostly messages, so that the limits are met.
    const bool posts = draw.random.below(10) < (step / 4096 % 2 == 0 ? 7 : 3);
    const auto old = static_cast<Ticket>(fresh - draw.random.below(some));
    const std::uint64_t what = draw.random.below(16);
    if (what == 0) {
      ASSERT_EQ(matching.cancel_receive(old), lists.cancel_receive(old)) << step;
    } else if (what == 1) {
      ASSERT_EQ(matching.cancel_message(old), lists.cancel_message(old)) << step;
    } else if (what == 2) {
      const Pattern pattern = draw.pattern();
      ASSERT_EQ(matching.probe(pattern), lists.probe(pattern)) << step;
    } else if (what == 3) {
      const Pattern pattern = draw.pattern();
      ASSERT_EQ(matching.take(pattern), lists.take(pattern)) << step;
    } else if (posts) {
      const Pattern pattern = draw.pattern();
      ASSERT_EQ(matching.post(pattern, fresh, met), lists.post(pattern, fresh, due)) << step;
    } else {
      const Envelope envelope = draw.envelope();
      ASSERT_EQ(matching.arrive(envelope, fresh, met), lists.arrive(envelope, fresh, due)) << step;
    }
    ++fresh;
    ASSERT_EQ(met, due) << step;
    ASSERT_EQ(matching.receives(), lists.receives()) << step;
    ASSERT_EQ(matching.messages(), lists.messages()) << step;
  }
}

TEST(Matching, DoesWhatTwoListsWouldDo) {
  play(64, 64, 1, 100'000);
  play(200, 300, 2, 100'000);
}

// So few lists that unlike things lie in one.
TEST(Matching, WhatLiesInOneListIsNotMixedUp) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    play(1, 1, seed, 5'000);
    play(2, 3, seed, 5'000);
    play(5, 4, seed, 5'000);
  }
}

TEST(Matching, AllocatesNothingOnceItIsThere) {
  Matching matching(64, 64);
  Drawing draw{Random(1, 2, 3)};
  const std::size_t before = allocations();
  Ticket met = 0;
  for (Ticket i = 0; i < 10'000; ++i) {
    static_cast<void>(matching.post(draw.pattern(), i, met));
    static_cast<void>(matching.arrive(draw.envelope(), i, met));
    static_cast<void>(matching.cancel_receive(i - 5));
    static_cast<void>(matching.take(draw.pattern()));
  }
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace holdfast::reliable
