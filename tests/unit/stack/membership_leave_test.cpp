// Leaving in order: what the one who leaves says and still does, and what the others make of it.
#include <gtest/gtest.h>

#include "tests/unit/stack/membership_subject.hpp"

namespace holdfast {
namespace {

using Subject = MembershipSubject;

constexpr Record kLeft{{0}, MemberState::left};

// Node 1 is 2 and 3, of which 2 is the agent.
Subject of_node(std::uint32_t self) {
  return Subject({.nodes = 4, .per_node = 2}, options_of(self));
}

TEST(Leaving, IsToldToTheTargetsUntilAllHaveAcknowledged) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.membership().leave(at(10));
  EXPECT_TRUE(subject.membership().leaving());
  EXPECT_EQ(subject.of(1), kLeft);
  const auto notices = subject.poll(at(10), FrameType::notice);
  EXPECT_EQ(receivers(notices), (std::vector<std::uint32_t>{0, 2, 3, 5, 7}));
  for (const Sent& notice : notices) {
    EXPECT_EQ(notice.runs, std::vector{run_of(1, kLeft)});
    EXPECT_FALSE(subject.membership().told());
    if (notice.to != 5) subject.acknowledge(at(11), notice);
  }
  const auto again = subject.poll(at(70), FrameType::notice);
  ASSERT_EQ(receivers(again), std::vector<std::uint32_t>{5});
  subject.acknowledge(at(71), again[0]);
  EXPECT_TRUE(subject.membership().told());
}

TEST(Leaving, IsSaidOnceAndNeitherRefutedNorFollowedByHeartbeatsOrVerdicts) {
  Subject subject = plain(4, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.membership().leave(at(10));
  for (const Sent& notice : subject.poll(at(10), FrameType::notice))
    subject.acknowledge(at(11), notice);
  subject.membership().leave(at(12));
  subject.hear(at(12), FrameType::difference, 2, {run_of(1, kLeft)});
  EXPECT_EQ(subject.membership().incarnation(), Incarnation{0});
  EXPECT_EQ(subject.of(1), kLeft);
  for (std::int64_t ms = 13; ms < 5000; ms += 50) EXPECT_TRUE(subject.poll(at(ms)).empty()) << ms;
  EXPECT_EQ(subject.of(0), alive(0));
}

TEST(Leaving, OfOneWhoIsNoAgentIsToldToItsNodeOnly) {
  Subject subject = Subject({.nodes = 4, .per_node = 3}, options_of(5));
  subject.start(at(0));
  subject.poll(at(0));
  subject.membership().leave(at(10));
  EXPECT_EQ(receivers(subject.poll(at(10), FrameType::notice)), (std::vector<std::uint32_t>{3, 4}));
}

TEST(Leaving, TheLastOfADomainPassesOnWhatItHears) {
  Subject subject = plain(4, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.membership().leave(at(10));
  for (const Sent& notice : subject.poll(at(10), FrameType::notice)) {
    if (notice.to != 3) subject.acknowledge(at(11), notice);
  }
  subject.hear(at(12), FrameType::notice, 0, {run_of(0, kLeft)});
  const auto notices = subject.poll(at(12), FrameType::notice);
  EXPECT_EQ(receivers(notices), (std::vector<std::uint32_t>{2, 3}));
  for (const Sent& notice : notices) EXPECT_EQ(notice.runs, std::vector{run_of(0, kLeft)});
}

TEST(Leaving, WaitsForTheSilentOnlyUntilItIsSureToBeKnown) {
  Subject heard = plain(4, 1), unheard = plain(4, 1);
  for (Subject* subject : {&heard, &unheard}) {
    subject->start(at(0));
    subject->poll(at(0));
    subject->membership().leave(at(10));
  }
  heard.acknowledge(at(11), heard.poll(at(10), FrameType::notice)[0]);
  unheard.poll(at(10));
  const auto told_at = [](Subject& subject) {
    for (std::int64_t ms = 12;; ++ms) {
      subject.poll(at(ms));
      if (subject.membership().told()) return ms;
    }
  };
  // Three retransmission timeouts; and the timeout of detection where nobody has said anything.
  EXPECT_EQ(told_at(heard), 11 + 150);
  EXPECT_EQ(told_at(unheard), 10 + 150 + 1000);
}

TEST(Leaving, WhatASpeakerThatGoesHasNotHeardIsToldToTheNext) {
  Subject subject({.nodes = 4, .per_node = 3}, options_of(5));
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(10), FrameType::notice, 7, {run_of(7, failed(0))});
  EXPECT_EQ(receivers(subject.poll(at(10), FrameType::notice)), std::vector<std::uint32_t>{3});
  subject.hear(at(11), FrameType::notice, 3, {run_of(3, kLeft)});
  const auto notices = subject.poll(at(11), FrameType::notice);
  ASSERT_EQ(receivers(notices), std::vector<std::uint32_t>{4});
  EXPECT_EQ(notices[0].runs, (std::vector{run_of(7, failed(0)), run_of(3, kLeft)}));
}

TEST(Leaving, WhoEndsAfterwardsIsNoVerdict) {
  Subject subject = of_node(3);
  subject.start(at(0));
  subject.poll(at(0));
  subject.membership().leave(at(10));
  subject.membership().process_ended(at(11), {2});
  EXPECT_EQ(subject.of(2), alive(0));
  // It was to have passed on that we left.
  const auto notices = subject.poll(at(12), FrameType::notice);
  EXPECT_EQ(receivers(notices), (std::vector<std::uint32_t>{0, 4, 6}));
  for (const Sent& notice : notices) EXPECT_EQ(notice.runs, std::vector{run_of(3, kLeft)});
}

TEST(Leaving, OfTheAgentMakesTheNextOneAgentBeforeItEnds) {
  Subject subject = of_node(3);
  subject.start(at(0));
  subject.poll(at(0));
  EXPECT_FALSE(subject.membership().agent());
  subject.hear(at(10), FrameType::notice, 2, {run_of(2, kLeft)});
  EXPECT_TRUE(subject.membership().agent());
  EXPECT_EQ(subject.of(2), kLeft);
  EXPECT_FALSE(subject.poll(at(10), FrameType::heartbeat).empty());
  // What the operating system says later is no news.
  const std::uint64_t before = subject.membership().view().sequence();
  subject.membership().process_ended(at(500), {2});
  EXPECT_EQ(subject.membership().view().sequence(), before);
  EXPECT_EQ(subject.of(2), kLeft);
}

TEST(Leaving, IsAcknowledgedAndOutdoesAVerdict) {
  Subject subject = plain(4, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(5), FrameType::notice, 3, {run_of(2, failed(0))});
  subject.poll(at(5));
  subject.hear(at(10), FrameType::notice, 2, {run_of(2, kLeft)});
  EXPECT_EQ(subject.of(2), kLeft);
  const auto sent = subject.poll(at(10), FrameType::acknowledgement);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].to, 2u);
  subject.hear(at(20), FrameType::notice, 3, {run_of(2, failed(0))});
  EXPECT_EQ(subject.of(2), kLeft);
}

}  // namespace
}  // namespace holdfast
