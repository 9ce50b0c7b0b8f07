// One process's membership: what it makes of each frame, and what it then wants sent. Period 100
// ms, timeout 1 s, retransmission after 50 ms.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stack/membership.hpp"

namespace holdfast {
namespace {

using MemberRun = holdfast::Run;  // testing::Test has a Run of its own

constexpr Duration kTimeout = seconds(1);

Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

struct Sent {
  FrameType type;
  std::uint32_t to;
  std::vector<MemberRun> runs;
  bool answer_wanted = false;
  bool sender_joining = false;
  std::uint64_t after = 0, upto = 0;
};

Record alive(std::uint32_t incarnation) {
  return {{incarnation}, MemberState::alive};
}
Record failed(std::uint32_t incarnation) {
  return {{incarnation}, MemberState::failed};
}
MemberRun run_of(std::uint32_t process, Record record) {
  return {{process}, record.incarnation, 1, record.state};
}

// A process and everybody it could hear from.
class Subject {
 public:
  Subject(const RosterOptions& roster, const MembershipOptions& options)
      : roster_(roster), membership_(options, roster_) {}

  void start(Time now) { membership_.start(now); }

  // A frame from `from`; its digest is the receiver's own unless said otherwise.
  void hear(Time now, FrameType type, std::uint32_t from, std::vector<MemberRun> runs = {},
            bool answer_wanted = false, bool sender_joining = false) {
    Header header = header_of(type, from);
    Body body;
    body.runs = runs;
    body.upto = runs.size();
    body.answer_wanted = answer_wanted;
    body.sender_joining = sender_joining;
    membership_.handle(now, now, header, body);
  }
  void hear_differing(Time now, FrameType type, std::uint32_t from) {
    Header header = header_of(type, from);
    header.digest ^= 1;
    membership_.handle(now, now, header, {});
  }
  void hear_life(Time now, FrameType type, std::uint32_t from, std::uint32_t incarnation) {
    Header header = header_of(type, from);
    header.sender_incarnation = {incarnation};
    membership_.handle(now, now, header, {});
  }
  void acknowledge(Time now, const Sent& notice) {
    Body body;
    body.after = notice.after;
    body.upto = notice.upto;
    membership_.handle(now, now, header_of(FrameType::acknowledgement, notice.to), body);
  }

  std::vector<Sent> poll(Time now) {
    std::vector<Sent> sent;
    while (const auto action = membership_.poll(now, scratch_)) {
      if (action->kind == MembershipAction::Kind::watch) {
        watched.push_back(action->to.value);
        continue;
      }
      const Body& body = action->body;
      sent.push_back({action->type,
                      action->to.value,
                      {body.runs.begin(), body.runs.end()},
                      body.answer_wanted,
                      body.sender_joining,
                      body.after,
                      body.upto});
    }
    return sent;
  }
  // Of one type only.
  std::vector<Sent> poll(Time now, FrameType type) {
    std::vector<Sent> sent = poll(now);
    std::erase_if(sent, [type](const Sent& frame) { return frame.type != type; });
    return sent;
  }

  Membership& membership() { return membership_; }
  Record of(std::uint32_t process) const { return membership_.view().of({process}); }

  std::vector<std::uint32_t> watched;

 private:
  Header header_of(FrameType type, std::uint32_t from) const {
    Header header;
    header.type = type;
    header.sender = {from};
    header.sender_incarnation = membership_.view().of({from}).incarnation;
    header.receiver_incarnation = membership_.incarnation();
    header.digest = membership_.view().digest();
    return header;
  }

  Roster roster_;
  Membership membership_;
  std::array<MemberRun, kRunsMax> scratch_;
};

MembershipOptions options_of(std::uint32_t self, bool rejoining = false, bool backstop = true) {
  MembershipOptions options;
  options.self = {self};
  options.rejoining = rejoining;
  if (rejoining) options.incarnation = first_incarnation_of_boot(1);
  options.detection.probes = backstop;
  options.backstop = backstop;
  options.retransmission_timeout = milliseconds(50);
  return options;
}

// Process `self` of `processes` that are domains of their own, started and past its first
// heartbeat.
Subject plain(std::uint32_t processes, std::uint32_t self, bool backstop = true) {
  return Subject({.nodes = processes}, options_of(self, false, backstop));
}

std::vector<std::uint32_t> receivers(const std::vector<Sent>& sent) {
  std::vector<std::uint32_t> to;
  for (const Sent& frame : sent) to.push_back(frame.to);
  std::sort(to.begin(), to.end());
  return to;
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
  subject.poll(at(1));
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
      subject.membership().handle(at(ms), at(ms), header, {});
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
    subject.membership().handle(at(2), at(2), header, body);
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

TEST(Membership, JoiningAsksTheOwnNodeFirstThenAlongTheRing) {
  Subject subject({.nodes = 4, .per_node = 3}, options_of(4, true));  // node 1 is 3, 4, 5
  subject.start(at(0));
  EXPECT_TRUE(subject.membership().joining());
  EXPECT_EQ(subject.of(4), (Record{first_incarnation_of_boot(1), MemberState::joining}));
  std::vector<std::uint32_t> asked;
  for (std::int64_t ms = 0; ms < 300; ms += 50) {
    for (const Sent& frame : subject.poll(at(ms))) {
      EXPECT_EQ(frame.type, FrameType::join);
      EXPECT_TRUE(frame.answer_wanted && frame.sender_joining);
      asked.push_back(frame.to);
    }
  }
  // After the two of its node the speakers of nodes 2, 3 and 0; then its own node's again.
  asked.resize(5);
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{3, 5, 6, 9, 0}));
  EXPECT_EQ(subject.watched.size(), 2u);
}

TEST(Membership, JoiningEndsWithTheWordOfOneWhoIsNotJoining) {
  Subject subject({.nodes = 4}, options_of(1, true));
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::difference, 2, {run_of(0, failed(0))}, false, true);
  EXPECT_TRUE(subject.membership().joining());
  EXPECT_FALSE(subject.membership().agent());
  EXPECT_TRUE(subject.poll(at(1), FrameType::heartbeat).empty());
  EXPECT_EQ(subject.of(0), failed(0));  // what it says is news all the same
  subject.hear(at(2), FrameType::difference, 3);
  EXPECT_FALSE(subject.membership().joining());
  EXPECT_TRUE(subject.membership().agent());
  EXPECT_EQ(subject.of(1), alive(65536));
  EXPECT_EQ(receivers(subject.poll(at(2), FrameType::heartbeat)), std::vector<std::uint32_t>{2});
}

TEST(Membership, JoiningAloneEndsAfterATimeout) {
  Subject subject({.nodes = 4}, options_of(1, true));
  subject.start(at(0));
  for (std::int64_t ms = 0; ms < 1000; ms += 50) subject.poll(at(ms));
  subject.poll(at(1000) - nanoseconds(1));
  EXPECT_TRUE(subject.membership().joining());
  subject.poll(at(1000));
  EXPECT_FALSE(subject.membership().joining());
  EXPECT_TRUE(subject.membership().agent());
}

TEST(Membership, JoinIsAlwaysAnswered) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::join, 5, {}, true, true);  // with our own digest
  EXPECT_EQ(receivers(subject.poll(at(1), FrameType::difference)), std::vector<std::uint32_t>{5});
}

// Two nodes of three: the agent is the lowest that runs, the others watch it.
RosterOptions two_nodes() {
  return {.nodes = 2, .per_node = 3};
}

TEST(Membership, NextProcessTakesOverFromADeadAgent) {
  Subject subject(two_nodes(), options_of(1));
  subject.start(at(0));
  EXPECT_FALSE(subject.membership().agent());
  EXPECT_TRUE(subject.poll(at(0)).empty());
  std::sort(subject.watched.begin(), subject.watched.end());
  EXPECT_EQ(subject.watched, (std::vector<std::uint32_t>{0, 2}));
  subject.membership().process_ended(at(5), {0});
  EXPECT_TRUE(subject.membership().agent());
  EXPECT_EQ(subject.of(0), failed(0));
  EXPECT_EQ(subject.of(2), alive(0));
  const auto sent = subject.poll(at(5));
  const auto count = [&](FrameType type, std::uint32_t to) {
    return std::count_if(sent.begin(), sent.end(),
                         [&](const Sent& frame) { return frame.type == type && frame.to == to; });
  };
  EXPECT_EQ(count(FrameType::heartbeat, 3), 1);
  EXPECT_EQ(count(FrameType::observe, 3), 1);
  EXPECT_EQ(count(FrameType::notice, 3), 1);
  EXPECT_EQ(count(FrameType::difference, 2), 1);
  EXPECT_EQ(count(FrameType::notice, 0) + count(FrameType::difference, 0), 0);
}

TEST(Membership, OthersLeaveTheirNodesDeathsToTheAgent) {
  Subject subject(two_nodes(), options_of(2));
  subject.start(at(0));
  subject.poll(at(0));
  subject.membership().process_ended(at(5), {0});
  EXPECT_EQ(subject.of(0), failed(0));
  EXPECT_FALSE(subject.membership().agent());  // that is process 1 now
  EXPECT_TRUE(subject.poll(at(5)).empty());
  // But what comes to it from elsewhere it passes on to the agent.
  subject.hear(at(6), FrameType::difference, 3, {run_of(4, failed(0))});
  EXPECT_EQ(receivers(subject.poll(at(6), FrameType::notice)), std::vector<std::uint32_t>{1});
}

TEST(Membership, StepsDownWhenALowerProcessIsBack) {
  Subject subject(two_nodes(), options_of(1));
  subject.start(at(0));
  subject.membership().process_ended(at(5), {0});
  subject.poll(at(5));
  subject.watched.clear();
  subject.hear_life(at(50), FrameType::join, 0, 65536);
  EXPECT_FALSE(subject.membership().agent());
  subject.poll(at(50));
  EXPECT_EQ(subject.watched, std::vector<std::uint32_t>{0});
  EXPECT_TRUE(subject.poll(at(500), FrameType::heartbeat).empty());
  subject.membership().process_ended(at(600), {0});
  EXPECT_EQ(subject.of(0), failed(65536));
  EXPECT_TRUE(subject.membership().agent());
}

TEST(Membership, AgentPassesNewsOnToItsNodeButNotBack) {
  Subject subject(two_nodes(), options_of(0));
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::notice, 2, {run_of(4, failed(0))});
  EXPECT_EQ(receivers(subject.poll(at(1), FrameType::notice)), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(subject.membership().counts().notices, 1u);
  EXPECT_EQ(subject.membership().counts().local_notices, 1u);
}

TEST(Membership, VerdictOnANodeFailsAllOfIt) {
  Subject subject(two_nodes(), options_of(0));
  subject.start(at(0));
  for (std::int64_t ms = 0; ms <= 2000; ms += 100) subject.poll(at(ms));
  for (const std::uint32_t process : {3u, 4u, 5u}) EXPECT_EQ(subject.of(process), failed(0));
  for (const std::uint32_t process : {0u, 1u, 2u}) EXPECT_EQ(subject.of(process), alive(0));
}

TEST(Membership, ObserveReachesTheAgentOnly) {
  for (const std::uint32_t self : {0u, 1u}) {
    Subject subject(two_nodes(), options_of(self));
    subject.start(at(0));
    subject.poll(at(0));
    subject.hear(at(10), FrameType::observe, 4);
    EXPECT_EQ(receivers(subject.poll(at(10), FrameType::heartbeat)),
              self == 0 ? std::vector<std::uint32_t>{4} : std::vector<std::uint32_t>{});
  }
}

TEST(Membership, SteadyIsNothingToSayToAnybody) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  EXPECT_TRUE(subject.membership().steady());
  subject.hear(at(1), FrameType::notice, 3, {run_of(6, failed(0))});
  EXPECT_FALSE(subject.membership().steady());
  const auto sent = subject.poll(at(1));
  EXPECT_FALSE(subject.membership().steady());
  for (const Sent& frame : sent) {
    if (frame.type == FrameType::notice) subject.acknowledge(at(2), frame);
  }
  EXPECT_TRUE(subject.membership().steady());
  const std::uint64_t before = subject.membership().counts().heartbeats;
  EXPECT_EQ(subject.membership().advance(100), 100u);
  EXPECT_EQ(subject.membership().counts().heartbeats, before + 100);
}

}  // namespace
}  // namespace holdfast
