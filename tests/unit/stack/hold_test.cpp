// Verdicts that are held: when they are told, what lets them go, and what takes them back. Eight
// processes in rank order, process 3 watches 2. Period 100 ms, timeout 1 s, hold 300 ms.
#include <gtest/gtest.h>

#include "tests/unit/stack/membership_subject.hpp"

namespace holdfast {
namespace {

constexpr Duration kTick = nanoseconds(1);

class Holding {
 public:
  explicit Holding(std::uint32_t processes = 8, std::uint32_t self = 3)
      : subject(roster_of(processes), options(self)) {
    subject.start(at(0));
    subject.hear(at(0), FrameType::heartbeat, (self + processes - 1) % processes);
    run(at(1000) - kTick);
  }

  // Polls every millisecond and at the end; what was sent, but for heartbeats, is kept.
  void run(Time end) {
    for (; now_ < end; now_ = std::min(now_ + milliseconds(1), end)) poll();
    poll();
  }
  std::size_t sent(FrameType type) const {
    return static_cast<std::size_t>(std::count_if(
        log.begin(), log.end(), [type](const Sent& one) { return one.type == type; }));
  }
  std::vector<std::uint32_t> receivers_of(FrameType type) const {
    std::vector<Sent> of_type = log;
    std::erase_if(of_type, [type](const Sent& one) { return one.type != type; });
    return receivers(of_type);
  }

  MembershipSubject subject;
  std::vector<Sent> log;

 private:
  static RosterOptions roster_of(std::uint32_t processes) {
    RosterOptions roster;
    roster.nodes = processes;
    return roster;
  }
  static MembershipOptions options(std::uint32_t self) {
    MembershipOptions options = options_of(self);
    options.detection.hold = milliseconds(300);
    return options;
  }
  void poll() {
    for (const Sent& frame : subject.poll(now_)) log.push_back(frame);
  }
  Time now_;
};

TEST(Hold, TheRingClosesAtOnceAndTheVerdictIsToldLater) {
  Holding holding;
  EXPECT_EQ(holding.sent(FrameType::observe), 0u);
  holding.run(at(1000));
  EXPECT_EQ(holding.receivers_of(FrameType::observe), std::vector<std::uint32_t>{1});
  holding.subject.hear(at(1001), FrameType::heartbeat, 1);
  holding.run(at(1300) - kTick);
  EXPECT_EQ(holding.subject.of(2), alive(0));
  EXPECT_EQ(holding.sent(FrameType::notice), 0u);
  holding.run(at(1300));
  EXPECT_EQ(holding.subject.of(2), failed(0));
  EXPECT_EQ(holding.receivers_of(FrameType::notice), (std::vector<std::uint32_t>{1, 4, 5, 7}));
  // The next emitter has been asked and heard, and is not asked again.
  EXPECT_EQ(holding.sent(FrameType::observe), 1u);
}

TEST(Hold, AHeartbeatOrARequestTakesItBack) {
  for (const FrameType sign : {FrameType::heartbeat, FrameType::observe}) {
    Holding holding;
    holding.run(at(1200));
    holding.subject.hear(at(1200), sign, 2);
    const bool heard = sign == FrameType::heartbeat;
    // It is the emitter again: silent from then on it is judged a timeout later, or two if it has
    // only asked, and then held.
    const std::int64_t verdict = 1200 + (heard ? 1000 : 2000) + 300;
    holding.run(at(verdict) - kTick);
    EXPECT_EQ(holding.subject.of(2), alive(0));
    holding.run(at(verdict));
    EXPECT_EQ(holding.subject.of(2), failed(0));
    EXPECT_EQ(holding.subject.of(1), alive(0));
  }
}

TEST(Hold, ANewLifeTakesItBack) {
  Holding holding;
  holding.run(at(1200));
  holding.subject.hear(at(1200), FrameType::notice, 5, {run_of(2, alive(1 << 16))});
  holding.run(at(1200) + seconds(2) + milliseconds(300) - kTick);
  EXPECT_EQ(holding.subject.of(2), alive(1 << 16));
  holding.run(at(1200) + seconds(2) + milliseconds(300));
  EXPECT_EQ(holding.subject.of(2), failed(1 << 16));
}

// The record that the view has, but suspected; and the same again once the process was heard.
TEST(Hold, SuspicionIsReportedAndNotBelieved) {
  const auto changes = [](Holding& holding) {
    Membership& membership = holding.subject.membership();
    std::vector<Membership::Change> found(membership.changes().begin(), membership.changes().end());
    membership.clear_changes();
    return found;
  };
  using Changes = std::vector<Membership::Change>;
  const Record suspected{{0}, MemberState::suspected};
  Holding holding;
  EXPECT_EQ(changes(holding), Changes{});
  const std::uint64_t digest = holding.subject.membership().view().digest();
  holding.run(at(1000));
  EXPECT_EQ(changes(holding), (Changes{{{2}, suspected}}));
  EXPECT_EQ(holding.subject.membership().view().digest(), digest);
  holding.run(at(1300));
  EXPECT_EQ(changes(holding), (Changes{{{2}, failed(0), true}}));

  Holding heard;
  heard.run(at(1200));
  heard.subject.hear(at(1200), FrameType::heartbeat, 2);
  heard.run(at(1200));
  EXPECT_EQ(changes(heard), (Changes{{{2}, suspected}, {{2}, alive(0)}}));
  heard.run(at(1250));
  EXPECT_EQ(changes(heard), Changes{});

  // A new life is no end of a suspicion besides.
  Holding reborn;
  reborn.run(at(1200));
  reborn.subject.hear(at(1200), FrameType::notice, 5, {run_of(2, alive(1 << 16))});
  reborn.run(at(1200));
  EXPECT_EQ(changes(reborn), (Changes{{{2}, suspected}, {{2}, alive(1 << 16)}}));

  // What is heard of it by others ends the suspicion too.
  Holding informed;
  informed.run(at(1000));
  changes(informed);
  informed.subject.hear(at(1100), FrameType::notice, 5, {run_of(2, failed(0))});
  informed.run(at(1400));
  EXPECT_EQ(changes(informed), (Changes{{{2}, failed(0)}}));
}

// A process of lower rank has come back to its node, say: nobody watches from here any more.
TEST(Hold, WhoIsNoAgentAnyMoreSuspectsNobody) {
  const DetectorOptions options{
      .period = milliseconds(100), .timeout = seconds(1), .hold = milliseconds(300)};
  const Roster roster({.nodes = 8});
  const View view;
  const Ring ring(roster, view);
  DetectorPlace detector;
  ASSERT_TRUE(make_detector(detector, "ring", options, {3}));
  detector->start(at(0), DetectorStart::with_everyone, Duration{0}, ring);
  std::vector<DetectorAction> about;
  const auto poll = [&](Time now) {
    for (DetectorAction action; detector->poll(now, ring, action);)
      if (action.domain != kNoDomain) about.push_back(action);
  };
  for (std::int64_t ms = 0; ms <= 2000; ms += 10) poll(at(ms));
  const DetectorAction suspicion{DetectorAction::Kind::suspicion, kNoProcess, {2}};
  EXPECT_EQ(about, std::vector{suspicion});
  detector->stop();
  EXPECT_LE(detector->next_deadline(), at(2000));
  poll(at(2000));
  EXPECT_EQ(about, (std::vector{suspicion, {DetectorAction::Kind::trust, kNoProcess, {2}}}));
  EXPECT_EQ(detector->next_deadline(), Time::never());
}

// In one notice each.
// The tenth tick comes at 1000 + 900 ms at the latest: within the hold when it lasts long enough.
TEST(Hold, WhoseVerdictIsHeldIsProbedAsTheDeadAre) {
  for (const bool others_failed : {false, true}) {
    const DetectorOptions options{
        .period = milliseconds(100), .timeout = seconds(1), .hold = milliseconds(300)};
    const Roster roster({.nodes = 8});
    View view;
    if (others_failed) view.merge({6}, failed(0));
    const Ring ring(roster, view);
    DetectorPlace detector;
    ASSERT_TRUE(make_detector(detector, "ring", options, {3}));
    detector->start(at(0), DetectorStart::with_everyone, Duration{0}, ring);
    std::vector<ProcessId> probed;
    for (std::int64_t ms = 0; ms <= 2000; ms += 10) {
      if (ms <= 850) detector->heartbeat(at(ms), {2}, ring);
      for (DetectorAction action; detector->poll(at(ms), ring, action);) {
        if (action.kind == DetectorAction::Kind::probe) probed.push_back(action.process);
      }
    }
    EXPECT_EQ(probed, std::vector<ProcessId>{{2}});
  }
}

TEST(Hold, NewsTakesItAlong) {
  Holding holding;
  holding.run(at(1100));
  holding.subject.hear(at(1100), FrameType::notice, 5, {run_of(6, failed(0))});
  holding.run(at(1100));
  EXPECT_EQ(holding.subject.of(2), failed(0));
  EXPECT_EQ(holding.receivers_of(FrameType::notice), (std::vector<std::uint32_t>{1, 4, 5, 7}));
  for (const Sent& frame : holding.log) {
    if (frame.type != FrameType::notice) continue;
    EXPECT_EQ(frame.runs, (std::vector{run_of(6, failed(0)), run_of(2, failed(0))}));
  }
}

TEST(Hold, WhatOthersHaveSaidMeanwhileIsNotSaidAgain) {
  Holding holding;
  holding.run(at(1100));
  holding.subject.hear(at(1100), FrameType::notice, 5, {run_of(2, failed(0))});
  holding.subject.membership().clear_changes();
  holding.run(at(1400));
  EXPECT_TRUE(holding.subject.membership().changes().empty());
}

TEST(Hold, WithTwoProcessesTheOtherMayComeBack) {
  Holding holding(2, 1);
  holding.run(at(1100));
  EXPECT_EQ(holding.subject.of(0), alive(0));
  EXPECT_FALSE(holding.subject.membership().steady());
  holding.subject.hear(at(1100), FrameType::heartbeat, 0);
  holding.run(at(1400));
  EXPECT_EQ(holding.subject.of(0), alive(0));
  EXPECT_TRUE(holding.subject.membership().steady());
}

// Whoever asks may take its verdict back: the observer that the view knows gets heartbeats too.
TEST(Hold, WhoIsAskedSendsToBothObservers) {
  Holding holding;
  holding.subject.hear(at(1000) - kTick, FrameType::heartbeat, 2);
  holding.subject.hear(at(1000) - kTick, FrameType::observe, 5);
  holding.log.clear();
  holding.run(at(1000));
  EXPECT_EQ(holding.receivers_of(FrameType::heartbeat), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_TRUE(holding.subject.membership().steady());
  EXPECT_EQ(holding.subject.membership().advance(7), 14u);
}

}  // namespace
}  // namespace holdfast
