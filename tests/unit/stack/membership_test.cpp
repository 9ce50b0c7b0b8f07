// What a process makes of each frame that it hears, and what it then wants sent.
#include <gtest/gtest.h>

#include "tests/unit/stack/membership_subject.hpp"

namespace holdfast {
namespace {

using Subject = MembershipSubject;

// Tells what there is to tell and hears that it has arrived: then nothing but heartbeats is left.
void pass_on(Subject& subject, Time now) {
  for (const Sent& frame : subject.poll(now)) {
    if (frame.type == FrameType::notice) subject.acknowledge(now, frame);
  }
}

TEST(Membership, HigherIncarnationIsBelievedByItsExistence) {
  Subject subject = plain(4, 1);
  subject.start(at(0));
  subject.hear_life(at(1), FrameType::heartbeat, 0, 3);
  EXPECT_EQ(subject.of(0), alive(3));
  ASSERT_EQ(subject.membership().changes().size(), 1u);
  EXPECT_EQ(subject.membership().changes()[0], (Membership::Change{{0}, alive(3)}));
  // It is news to the targets of bmg among four: 1 ± 1 and 1 + 2, but not back to where it is from.
  const auto notices = subject.poll(at(1), FrameType::notice);
  for (const Sent& notice : notices) EXPECT_EQ(notice.runs, std::vector{run_of(0, alive(3))});
}

TEST(Membership, VerdictFailsTheEmitterAndTellsTheTargets) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.hear(at(0), FrameType::heartbeat, 0);
  for (std::int64_t ms = 0; ms < 1000; ms += 100) subject.poll(at(ms));
  EXPECT_EQ(subject.of(0), alive(0));
  const auto notices = subject.poll(at(1000), FrameType::notice);
  EXPECT_EQ(subject.of(0), failed(0));
  // bmg among 8 from position 1: 2, back over 0 to 7; 3, 7 again; 5.
  EXPECT_EQ(receivers(notices), (std::vector<std::uint32_t>{2, 3, 5, 7}));
  for (const Sent& notice : notices) EXPECT_EQ(notice.runs, std::vector{run_of(0, failed(0))});
}

TEST(Membership, OnlyWhoNoticesADeathMadeTheVerdict) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.hear(at(0), FrameType::heartbeat, 0);
  subject.hear(at(1), FrameType::notice, 2, {run_of(4, failed(0))});
  for (std::int64_t ms = 0; ms <= 1000; ms += 100) subject.poll(at(ms));
  const auto changes = subject.membership().changes();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0], (Membership::Change{{4}, failed(0), false}));
  EXPECT_EQ(changes[1], (Membership::Change{{0}, failed(0), true}));
}

TEST(Membership, SaysWhomItWatchesAndWhenItHeardFromIt) {
  Subject subject = plain(8, 1);
  EXPECT_EQ(subject.membership().watching().observer, kNoProcess);
  subject.start(at(0));
  EXPECT_EQ(subject.membership().watching().emitter, DomainId{0});
  EXPECT_EQ(subject.membership().watching().observer, ProcessId{2});
  EXPECT_EQ(subject.membership().watching().heard_at, std::nullopt);
  EXPECT_EQ(subject.membership().watching().verdict_at, at(2000));
  subject.hear(at(7), FrameType::heartbeat, 0);
  EXPECT_EQ(subject.membership().watching().heard_at, at(7));
  EXPECT_EQ(subject.membership().watching().verdict_at, at(1007));
}

TEST(Membership, NoticesAreRepeatedUntilAcknowledgedOrTheReceiverIsDead) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::notice, 2, {run_of(4, failed(0))});
  auto notices = subject.poll(at(1), FrameType::notice);
  ASSERT_EQ(receivers(notices), (std::vector<std::uint32_t>{0, 2, 3, 5, 7}));
  for (const Sent& notice : notices) {
    if (notice.to == 0 || notice.to == 2) subject.acknowledge(at(2), notice);
  }
  EXPECT_TRUE(subject.poll(at(51) - nanoseconds(1), FrameType::notice).empty());
  EXPECT_EQ(receivers(subject.poll(at(51), FrameType::notice)),
            (std::vector<std::uint32_t>{3, 5, 7}));
  subject.hear(at(52), FrameType::notice, 2, {run_of(5, failed(0))});
  const auto more = receivers(subject.poll(at(52), FrameType::notice));
  EXPECT_EQ(std::count(more.begin(), more.end(), 5u), 0);
}

// 4.1: whoever is told something in a period needs no heartbeat in it.
TEST(Membership, NewsToTheObserverStandsForAHeartbeat) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  EXPECT_EQ(receivers(subject.poll(at(0), FrameType::heartbeat)), std::vector<std::uint32_t>{2});
  subject.hear(at(1), FrameType::notice, 3, {run_of(4, failed(0))});
  pass_on(subject, at(1));
  EXPECT_TRUE(subject.poll(at(100), FrameType::heartbeat).empty());
  EXPECT_EQ(receivers(subject.poll(at(200), FrameType::heartbeat)), std::vector<std::uint32_t>{2});
  subject.hear_differing(at(201), FrameType::heartbeat, 2);
  EXPECT_EQ(receivers(subject.poll(at(201), FrameType::difference)), std::vector<std::uint32_t>{2});
  EXPECT_TRUE(subject.poll(at(300), FrameType::heartbeat).empty());
}

TEST(Membership, EveryNoticeIsAcknowledgedNewOrNot) {
  for (const bool backstop : {true, false}) {
    Subject subject = plain(8, 1, backstop);
    subject.start(at(0));
    subject.poll(at(0));
    for (int i = 0; i < 2; ++i) {
      subject.hear(at(1), FrameType::notice, 3, {run_of(4, failed(0))});
      const auto acknowledgements = subject.poll(at(1), FrameType::acknowledgement);
      EXPECT_EQ(receivers(acknowledgements),
                backstop ? std::vector<std::uint32_t>{3} : std::vector<std::uint32_t>{});
      for (const Sent& frame : acknowledgements) EXPECT_EQ(frame.upto, 1u);
    }
  }
}

// The memory of news goes with it: it is another's as soon as everybody told has acknowledged, and
// whoever looks on has seen the changes.
TEST(Membership, NothingIsUnderWayOnceNewsHasPassed) {
  Subject subject = plain(4, 1);
  subject.start(at(0));
  subject.poll(at(0));
  EXPECT_EQ(subject.busy(), 0u);
  subject.hear(at(1), FrameType::notice, 0, {run_of(3, failed(0))});
  const std::vector<Sent> notices = subject.poll(at(1), FrameType::notice);
  ASSERT_FALSE(notices.empty());
  EXPECT_EQ(subject.busy(), 1u);
  for (const Sent& notice : notices) subject.acknowledge(at(2), notice);
  EXPECT_EQ(subject.busy(), 1u);
  EXPECT_EQ(subject.membership().changes().size(), 1u);
  subject.membership().clear_changes();
  EXPECT_EQ(subject.busy(), 0u);
  // A copy is acknowledged, and that is that.
  subject.hear(at(3), FrameType::notice, 2, {run_of(3, failed(0))});
  EXPECT_EQ(subject.busy(), 1u);
  EXPECT_EQ(subject.poll(at(3)).size(), 1u);
  EXPECT_EQ(subject.busy(), 0u);
}

TEST(Membership, RefutesWhatIsSaidOfItself) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::difference, 3, {run_of(1, failed(0))});
  EXPECT_EQ(subject.membership().incarnation(), Incarnation{1});
  EXPECT_EQ(subject.of(1), alive(1));
  const auto notices = subject.poll(at(1), FrameType::notice);
  ASSERT_EQ(notices.size(), 5u);
  EXPECT_EQ(notices[0].runs, std::vector{run_of(1, alive(1))});
  // The same again is refuted already; a claim on a later life is outdone.
  subject.hear(at(2), FrameType::difference, 3, {run_of(1, failed(0))});
  EXPECT_EQ(subject.membership().incarnation(), Incarnation{1});
  subject.hear(at(3), FrameType::difference, 3, {run_of(1, failed(5))});
  EXPECT_EQ(subject.membership().incarnation(), Incarnation{6});
  subject.hear(at(4), FrameType::difference, 3, {run_of(1, alive(7))});
  EXPECT_EQ(subject.of(1), alive(8));
}

// Nobody gets there; a forged record may say so. What comes with it is believed all the same, and
// told of.
TEST(Membership, TheHighestIncarnationCannotBeRefuted) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  const std::uint32_t highest = 0xffff'ffff;
  for (int times = 1; times <= 2; ++times) {
    const std::uint32_t dead = times == 1 ? 5 : 6;
    subject.hear(at(times), FrameType::notice, 3,
                 {run_of(dead, failed(0)), run_of(1, failed(highest))});
    EXPECT_EQ(subject.membership().incarnation(), Incarnation{highest});
    EXPECT_EQ(subject.of(1), alive(highest));
    EXPECT_EQ(subject.of(dead), failed(0));
    EXPECT_FALSE(subject.poll(at(times), FrameType::notice).empty());
  }
  subject.membership().leave(at(3));
  EXPECT_EQ(subject.of(1), (Record{{highest}, MemberState::left}));
}

TEST(Membership, FencedByACommittedRecordItActsNoMore) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::difference, 3, {run_of(1, failed(0))});
  // Of a life that is over already it is not fenced.
  subject.hear(at(2), FrameType::difference, 3, {run_of(1, {{0}, MemberState::committed})});
  EXPECT_FALSE(subject.membership().fenced());
  subject.poll(at(2));
  subject.hear(at(3), FrameType::difference, 3, {run_of(1, {{1}, MemberState::committed})});
  EXPECT_TRUE(subject.membership().fenced());
  EXPECT_EQ(subject.membership().incarnation(), Incarnation{1});
  EXPECT_EQ(subject.membership().next_deadline(), Time::never());
  subject.hear_differing(at(4), FrameType::heartbeat, 0);
  EXPECT_TRUE(subject.poll(at(5000)).empty());
}

TEST(Membership, FramesOfADeadLifeAreAnsweredAndDoNotCount) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::notice, 3, {run_of(0, failed(0))});
  pass_on(subject, at(1));
  for (const FrameType type : {FrameType::heartbeat, FrameType::observe}) {
    subject.hear_life(at(2), type, 0, 0);
    const auto answers = subject.poll(at(2), FrameType::difference);
    ASSERT_EQ(receivers(answers), std::vector<std::uint32_t>{0});
    EXPECT_EQ(answers[0].runs, std::vector{run_of(0, failed(0))});
    EXPECT_TRUE(answers[0].answer_wanted);
    EXPECT_EQ(subject.of(0), failed(0));
  }
  // Its next life is welcome.
  subject.hear_life(at(3), FrameType::heartbeat, 0, 1);
  EXPECT_EQ(subject.of(0), alive(1));
}

// It is known from others that process 0 runs again; what still comes from before says nothing.
TEST(Membership, HeartbeatsOfALifeThatIsOverDoNotCount) {
  for (const std::uint32_t incarnation : {0u, 65536u}) {
    Subject subject = plain(8, 1);
    subject.start(at(0));
    subject.hear(at(1), FrameType::notice, 3, {run_of(0, alive(65536))});
    pass_on(subject, at(2));
    for (std::int64_t ms = 10; ms <= 2010; ms += 100) {
      subject.hear_life(at(ms), FrameType::heartbeat, 0, incarnation);
      subject.poll(at(ms));
    }
    EXPECT_EQ(is_live(subject.of(0)), incarnation != 0);
  }
}

TEST(Membership, HeartbeatsToAnEarlierBootDoNotCount) {
  for (const bool to_this_boot : {true, false}) {
    MembershipOptions options = options_of(1);
    options.incarnation = first_incarnation_of_boot(2);
    Subject subject({.nodes = 8}, options);
    subject.start(at(0));
    Header header;
    header.type = FrameType::heartbeat;
    header.sender = {0};
    header.receiver_incarnation = {to_this_boot ? 2u * 65536 : 65536 + 3};
    for (std::int64_t ms = 0; ms <= 2500; ms += 100) {
      header.digest = subject.membership().view().digest();
      subject.membership().handle(at(ms), at(ms), header, {}, true);
      subject.poll(at(ms));
    }
    EXPECT_EQ(is_live(subject.of(0)), to_this_boot);
  }
}

TEST(Membership, DigestsThatDifferAreAnsweredWithTheDifference) {
  for (const bool backstop : {true, false}) {
    Subject subject = plain(8, 1, backstop);
    subject.start(at(0));
    subject.poll(at(0));
    subject.hear(at(1), FrameType::heartbeat, 0);
    EXPECT_TRUE(subject.poll(at(1), FrameType::difference).empty());
    subject.hear_differing(at(2), FrameType::heartbeat, 0);
    const auto answers = subject.poll(at(2), FrameType::difference);
    if (!backstop) {
      EXPECT_TRUE(answers.empty());
      continue;
    }
    ASSERT_EQ(receivers(answers), std::vector<std::uint32_t>{0});
    EXPECT_TRUE(answers[0].answer_wanted);
  }
}

TEST(Membership, DifferenceIsAnsweredIfAskedAndStillUnlike) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::notice, 3, {run_of(6, failed(0))});
  subject.poll(at(1));
  // The digest in the frame is of the sender, who does not know of 6: after merging, views differ.
  for (const bool asked : {true, false}) {
    View senders;
    senders.merge({5}, failed(0));
    Header header;
    header.type = FrameType::difference;
    header.sender = {0};
    header.digest = senders.digest();
    const MemberRun run = run_of(5, failed(0));
    Body body;
    body.runs = {&run, 1};
    body.answer_wanted = asked;
    subject.membership().handle(at(2), at(2), header, body, true);
    const auto answers = subject.poll(at(2), FrameType::difference);
    EXPECT_EQ(answers.size(), asked ? 1u : 0u);
    if (!asked) continue;
    EXPECT_FALSE(answers[0].answer_wanted);  // or it would never end
    EXPECT_EQ(answers[0].runs, (std::vector<MemberRun>{{{5}, {0}, 2, MemberState::failed}}));
  }
  subject.hear(at(3), FrameType::difference, 0, {}, true);  // with our own digest
  EXPECT_TRUE(subject.poll(at(3), FrameType::difference).empty());
}

TEST(Membership, LongDifferencesAskBackOnlyInTheLastFrame) {
  Subject subject = plain(400, 1);
  subject.start(at(0));
  subject.poll(at(0));
  std::vector<MemberRun> runs;
  for (std::uint32_t i = 0; i < kRunsMax; ++i) runs.push_back(run_of(10 + 2 * i, failed(0)));
  subject.hear(at(1), FrameType::notice, 3, runs);
  for (MemberRun& run : runs) run.first.value += 200;
  subject.hear(at(1), FrameType::notice, 3, runs);
  subject.poll(at(1));
  subject.hear_differing(at(2), FrameType::heartbeat, 0);
  const auto frames = subject.poll(at(2), FrameType::difference);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].runs.size() + frames[1].runs.size(), 2 * kRunsMax);
  EXPECT_FALSE(frames[0].answer_wanted);
  EXPECT_TRUE(frames[1].answer_wanted);
}

TEST(Membership, AnswersOwedAreBounded) {
  Subject subject = plain(400, 1);
  subject.start(at(0));
  subject.poll(at(0));
  for (std::uint32_t from = 2; from < 400; ++from) {
    subject.hear_differing(at(1), FrameType::heartbeat, from);
  }
  const auto answers = receivers(subject.poll(at(1), FrameType::difference));
  ASSERT_EQ(answers.size(), 256u);
  EXPECT_EQ(answers.front(), 400u - 256);  // the oldest gave way
  EXPECT_EQ(answers.back(), 399u);
}

TEST(Membership, SteadyIsNothingToSayToAnybody) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  // An emitter that was never heard leads to a verdict.
  EXPECT_FALSE(subject.membership().steady());
  subject.hear(at(1), FrameType::heartbeat, 0);
  EXPECT_TRUE(subject.membership().steady());
  subject.hear(at(1), FrameType::notice, 3, {run_of(6, failed(0))});
  EXPECT_FALSE(subject.membership().steady());
  const auto sent = subject.poll(at(1));
  EXPECT_FALSE(subject.membership().steady());
  for (const Sent& frame : sent) {
    if (frame.type == FrameType::notice) subject.acknowledge(at(2), frame);
  }
  // One heartbeat is left out, as the observer was told something (4.1); then all is as before.
  EXPECT_FALSE(subject.membership().steady());
  subject.poll(at(100));
  EXPECT_FALSE(subject.membership().steady());
  subject.poll(at(200));
  EXPECT_TRUE(subject.membership().steady());
  const std::uint64_t before = subject.membership().counts().heartbeats;
  EXPECT_EQ(subject.membership().advance(100), 100u);
  EXPECT_EQ(subject.membership().counts().heartbeats, before + 100);
}

// Twelve processes: cubes of eight corners, from the starter forwards and backwards.
Subject of_hba(std::uint32_t self) {
  MembershipOptions options = options_of(self);
  options.propagation = "hba";
  return Subject({.nodes = 12}, options);
}

std::vector<std::uint32_t> receivers_in(const std::vector<Sent>& sent, const Broadcast& broadcast) {
  std::vector<Sent> of_it = sent;
  std::erase_if(of_it, [&](const Sent& frame) { return frame.broadcast != broadcast; });
  return receivers(of_it);
}

TEST(Membership, AVerdictOfHbaNamesItsStarterAndCube) {
  Subject subject = of_hba(1);
  subject.start(at(0));
  subject.hear(at(0), FrameType::heartbeat, 0);
  for (std::int64_t ms = 0; ms < 1000; ms += 100) subject.poll(at(ms));
  const auto notices = subject.poll(at(1000), FrameType::notice);
  // Forwards 1 + 1, 2, 4; backwards 1 - 1, which is the dead one, 2, 4.
  EXPECT_EQ(receivers_in(notices, {{1}, {0}, 1, 0}), (std::vector<std::uint32_t>{2, 3, 5}));
  EXPECT_EQ(receivers_in(notices, {{1}, {0}, 1, 1}), (std::vector<std::uint32_t>{9, 11}));
  EXPECT_EQ(notices.size(), 5u);
  for (const Sent& notice : notices) EXPECT_EQ(notice.runs, std::vector{run_of(0, failed(0))});
}

TEST(Membership, TheFirstCopyInEachCubeGoesOnThereWithItsName) {
  Subject subject = of_hba(6);
  subject.start(at(0));
  subject.poll(at(0));
  const Broadcast forwards{{1}, {0}, 4, 0}, backwards{{1}, {0}, 4, 1};
  const std::vector<MemberRun> news{run_of(0, failed(0))};
  subject.hear_broadcast(at(1), 5, forwards, news);
  // Corner 5 of the cube forwards: to corners 4, 7, 1.
  auto notices = subject.poll(at(1), FrameType::notice);
  EXPECT_EQ(receivers_in(notices, forwards), (std::vector<std::uint32_t>{2, 5, 8}));
  EXPECT_EQ(notices.size(), 3u);
  for (const Sent& notice : notices) {
    EXPECT_EQ(notice.runs, news);
    subject.acknowledge(at(1), notice);
  }
  subject.hear_broadcast(at(2), 2, forwards, news);
  EXPECT_TRUE(subject.poll(at(2), FrameType::notice).empty());
  // Corner 7 backwards (1 - 7 = 6 of 12): to corners 6, 5, 3.
  subject.hear_broadcast(at(3), 7, backwards, news);
  notices = subject.poll(at(3), FrameType::notice);
  EXPECT_EQ(receivers_in(notices, backwards), (std::vector<std::uint32_t>{7, 8, 10}));
  EXPECT_EQ(notices.size(), 3u);
  for (const Sent& notice : notices) EXPECT_EQ(notice.runs, news);
}

TEST(Membership, TheAcknowledgementOfABroadcastNamesIt) {
  Subject subject = of_hba(6);
  subject.start(at(0));
  subject.poll(at(0));
  const Broadcast broadcast{{1}, {0}, 4, 0};
  subject.hear_broadcast(at(1), 5, broadcast, {run_of(0, failed(0))});
  const auto answers = subject.poll(at(1), FrameType::acknowledgement);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].broadcast, broadcast);
}

// The sender's new life is not in the notice; it begins here, under our own name.
TEST(Membership, WhatANoticeDoesNotSayBeginsItsOwnBroadcast) {
  Subject subject = of_hba(6);
  subject.start(at(0));
  subject.poll(at(0));
  const Broadcast broadcast{{1}, {0}, 4, 0};
  subject.hear_broadcast(at(1), 5, broadcast, {run_of(6, failed(0))});
  const auto notices = subject.poll(at(1), FrameType::notice);
  const Broadcast own{{6}, {1}, 1, 0};  // refuting, we have taken the next incarnation
  EXPECT_EQ(receivers_in(notices, own), (std::vector<std::uint32_t>{7, 8, 10}));
  for (const Sent& notice : notices) EXPECT_EQ(notice.runs, std::vector{run_of(6, alive(1))});
}

TEST(Membership, ABroadcastCarriesNothingThatCameLater) {
  Subject subject = of_hba(6);
  subject.start(at(0));
  subject.poll(at(0));
  const Broadcast one{{1}, {0}, 4, 0}, other{{2}, {0}, 9, 0};
  subject.hear_broadcast(at(1), 5, one, {run_of(0, failed(0))});
  subject.hear_broadcast(at(1), 5, other, {run_of(11, failed(0))});
  for (const Sent& notice : subject.poll(at(1), FrameType::notice)) {
    EXPECT_EQ(notice.runs, std::vector{run_of(notice.broadcast == one ? 0 : 11, failed(0))});
  }
}

// More changes than a frame holds are several broadcasts.
TEST(Membership, ABroadcastIsWhatOneFrameHolds) {
  MembershipOptions options = options_of(6);
  options.propagation = "hba";
  Subject subject({.nodes = 256}, options);
  subject.start(at(0));
  subject.poll(at(0));
  std::vector<MemberRun> dead;
  for (std::uint32_t i = 0; i < 35; ++i) dead.push_back(run_of(20 + 2 * i, failed(0)));
  subject.hear(at(1), FrameType::difference, 5, dead);
  const auto notices = subject.poll(at(1), FrameType::notice);
  std::size_t first = 0, second = 0;
  for (const Sent& notice : notices) {
    if (notice.broadcast == Broadcast{{6}, {0}, 1, 0}) {
      ++first;
      EXPECT_EQ(notice.runs.size(), 34u);
    } else if (notice.broadcast == Broadcast{{6}, {0}, 2, 0}) {
      ++second;
      EXPECT_EQ(notice.runs.size(), 1u);
    }
  }
  EXPECT_EQ(first + second, notices.size());
  EXPECT_EQ(first, second);
  EXPECT_GT(first, 4u);
}

}  // namespace
}  // namespace holdfast
