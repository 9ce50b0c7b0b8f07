// The ring detector at its boundaries. Period 100 ms, timeout 1 s; one process a domain unless
// said.
#include <gtest/gtest.h>

#include <vector>

#include "stack/detect/detector.hpp"

namespace holdfast {
namespace {

using Kind = DetectorAction::Kind;

constexpr Duration kPeriod = milliseconds(100);
constexpr Duration kTimeout = seconds(1);
constexpr Duration kTick = nanoseconds(1);

Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

DetectorAction heartbeat_to(std::uint32_t process) {
  return {Kind::heartbeat, {process}, kNoDomain};
}
DetectorAction observe(std::uint32_t process) {
  return {Kind::observe, {process}, kNoDomain};
}
DetectorAction verdict(std::uint32_t domain) {
  return {Kind::verdict, kNoProcess, {domain}};
}

// The detector of domain `self` in a job in rank order, with the view that it looks at.
class Watched {
 public:
  Watched(std::uint32_t nodes, std::uint32_t per_node, std::uint32_t self, bool probes = false,
          Duration timeout = kTimeout)
      : roster_({.nodes = nodes, .per_node = per_node}), ring_(roster_, view_) {
    const DetectorOptions options{.period = kPeriod, .timeout = timeout, .probes = probes};
    EXPECT_TRUE(make_detector(detector_, "ring", options, {self}));
  }

  void start(Time now, DetectorStart how = DetectorStart::with_everyone,
             Duration phase = Duration{0}) {
    detector_->start(now, how, phase, ring_);
  }
  void stop() { detector_->stop(); }
  void heartbeat(Time now, std::uint32_t from) { detector_->heartbeat(now, {from}, ring_); }
  void other_frame(Time now, std::uint32_t from) { detector_->other_frame(now, {from}, ring_); }
  void told(std::uint32_t process) { detector_->told({process}); }
  void observed_by(Time now, std::uint32_t from) { detector_->observe(now, {from}, ring_); }

  void fail(Time now, std::uint32_t process) {
    view_.merge({process}, {{0}, MemberState::failed});
    detector_->view_changed(now, ring_);
  }
  void revive(Time now, std::uint32_t process) {
    view_.merge({process}, {{1}, MemberState::alive});
    detector_->view_changed(now, ring_);
    detector_->new_life(now, {process}, ring_);
  }

  std::vector<DetectorAction> poll(Time now) {
    std::vector<DetectorAction> actions;
    for (DetectorAction action; detector_->poll(now, ring_, action);) actions.push_back(action);
    return actions;
  }
  // Everything until `end`, each thing when the detector asks to be polled; verdicts are believed.
  std::vector<std::pair<Time, DetectorAction>> run(Time end) {
    std::vector<std::pair<Time, DetectorAction>> log;
    while (detector_->next_deadline() <= end) {
      const Time now = detector_->next_deadline();
      for (DetectorAction action; detector_->poll(now, ring_, action);) {
        log.emplace_back(now, action);
        if (action.kind == Kind::verdict) fail(now, action.domain.value);
      }
    }
    return log;
  }

  DetectorPlace& detector() { return detector_; }
  const Ring& ring() const { return ring_; }

 private:
  Roster roster_;
  View view_;
  Ring ring_;
  DetectorPlace detector_;
};

using Actions = std::vector<DetectorAction>;

// Only the verdicts of a log, with their times.
std::vector<std::pair<Time, DetectorAction>> verdicts(
    const std::vector<std::pair<Time, DetectorAction>>& log) {
  std::vector<std::pair<Time, DetectorAction>> found;
  for (const auto& entry : log) {
    if (entry.second.kind == Kind::verdict) found.push_back(entry);
  }
  return found;
}

TEST(RingDetector, SendsAtItsPhaseAndThenEveryPeriod) {
  Watched watched(4, 1, 1);
  watched.start(at(0), DetectorStart::with_everyone, milliseconds(30));
  EXPECT_EQ(watched.detector()->next_deadline(), at(30));
  EXPECT_EQ(watched.poll(at(30) - kTick), Actions{});
  EXPECT_EQ(watched.poll(at(30)), Actions{heartbeat_to(2)});
  EXPECT_EQ(watched.poll(at(130) - kTick), Actions{});
  EXPECT_EQ(watched.poll(at(130)), Actions{heartbeat_to(2)});
  // After an absence one heartbeat, and then in the old rhythm.
  EXPECT_EQ(watched.poll(at(555)), Actions{heartbeat_to(2)});
  EXPECT_EQ(watched.detector()->next_deadline(), at(630));
}

TEST(RingDetector, SilenceOfTheTimeoutIsAVerdictAndANanosecondLessIsNot) {
  Watched watched(4, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.heartbeat(at(50), 0);
  watched.run(at(1000));
  EXPECT_EQ(watched.poll(at(1050) - kTick), Actions{});
  EXPECT_EQ(watched.poll(at(1050)), Actions{verdict(0)});
}

TEST(RingDetector, HeartbeatBeforeTheDeadlineMovesIt) {
  Watched watched(4, 1, 1);
  watched.start(at(0));
  watched.heartbeat(at(50), 0);
  watched.run(at(1000));
  watched.heartbeat(at(1050), 0);  // handled before the deadline fires: the turn's order
  EXPECT_EQ(watched.poll(at(1050)), Actions{});
  watched.run(at(2000));
  EXPECT_EQ(watched.poll(at(2050) - kTick), Actions{});
  EXPECT_EQ(watched.poll(at(2050)), Actions{verdict(0)});
}

// 4.1: never two in a row, for only heartbeats are compared.
TEST(RingDetector, LeavesOutWhatAnotherFrameHasSaid) {
  Watched watched(4, 1, 1);
  watched.start(at(0));
  EXPECT_EQ(watched.poll(at(0)), Actions{heartbeat_to(2)});
  watched.heartbeat(at(0), 0);
  EXPECT_TRUE(watched.detector()->steady());
  watched.told(2);
  EXPECT_FALSE(watched.detector()->steady());
  EXPECT_EQ(watched.poll(at(100)), Actions{});
  EXPECT_EQ(watched.detector()->next_deadline(), at(200));
  EXPECT_FALSE(watched.detector()->steady());
  watched.told(2);
  EXPECT_EQ(watched.poll(at(200)), Actions{heartbeat_to(2)});
  EXPECT_TRUE(watched.detector()->steady());
  watched.told(3);
  EXPECT_EQ(watched.poll(at(300)), Actions{heartbeat_to(2)});
}

TEST(RingDetector, LeavesNoHeartbeatOutThatIsLateOrNew) {
  Watched watched(4, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.told(2);
  EXPECT_EQ(watched.poll(at(200)), Actions{heartbeat_to(2)});
  watched.told(2);
  watched.fail(at(250), 2);
  EXPECT_EQ(watched.poll(at(250)), Actions{heartbeat_to(3)});
  watched.told(3);
  watched.observed_by(at(260), 0);
  EXPECT_EQ(watched.poll(at(260)), (Actions{heartbeat_to(0), heartbeat_to(3)}));
  watched.told(0);
  EXPECT_EQ(watched.poll(at(360)), (Actions{heartbeat_to(0), heartbeat_to(3)}));
}

// Two periods without a heartbeat must be less than a timeout.
TEST(RingDetector, LeavesNothingOutBelowThreePeriods) {
  Watched two(4, 1, 1, false, 3 * kPeriod - kTick), three(4, 1, 1, false, 3 * kPeriod);
  for (Watched* watched : {&two, &three}) {
    watched->start(at(0));
    watched->poll(at(0));
    watched->told(2);
  }
  EXPECT_EQ(two.poll(at(100)), Actions{heartbeat_to(2)});
  EXPECT_EQ(three.poll(at(100)), Actions{});
  // Nor does anything else count there.
  for (Watched* watched : {&two, &three}) {
    watched->heartbeat(at(100), 0);
    watched->other_frame(at(350), 0);
  }
  EXPECT_EQ(verdicts(two.run(at(400))).size(), 1u);
  EXPECT_EQ(verdicts(three.run(at(650) - kTick)).size(), 0u);
  EXPECT_EQ(verdicts(three.run(at(650))).size(), 1u);
}

TEST(RingDetector, OtherFramesOfTheSpeakerMoveTheDeadline) {
  Watched watched(4, 2, 1);  // processes 0 and 1 are its emitter's, of whom 0 speaks
  watched.start(at(0));
  watched.heartbeat(at(50), 0);
  watched.other_frame(at(500), 0);
  watched.other_frame(at(600), 1);
  watched.other_frame(at(600), 4);
  EXPECT_EQ(verdicts(watched.run(at(1500) - kTick)).size(), 0u);
  EXPECT_EQ(verdicts(watched.run(at(1500))).size(), 1u);
  watched.fail(at(1500), 1);
  // Whom it has asked it waits for: that one need not know whom it is to tell.
  watched.other_frame(at(2000), 6);
  EXPECT_EQ(verdicts(watched.run(at(3500) - kTick)).size(), 0u);
  EXPECT_EQ(verdicts(watched.run(at(3500))).size(), 1u);
}

TEST(RingDetector, OnlyTheEmittersHeartbeatsCount) {
  Watched watched(4, 1, 1);
  watched.start(at(0));
  watched.heartbeat(at(50), 0);
  watched.run(at(1000));
  watched.heartbeat(at(1049), 3);
  watched.heartbeat(at(1049), 2);
  EXPECT_EQ(watched.poll(at(1050)), Actions{verdict(0)});
}

TEST(RingDetector, StartGivesTwiceTheTimeout) {
  Watched watched(4, 1, 1);
  watched.start(at(0));
  watched.run(at(1999));
  EXPECT_EQ(watched.poll(at(2000) - kTick), Actions{});
  EXPECT_EQ(watched.poll(at(2000)), (Actions{heartbeat_to(2), verdict(0)}));
}

// p deaths in a row at one moment: timeout + (p-1) × 2 × timeout.
TEST(RingDetector, ConsecutiveDeathsTakeTwicePMinusOneTimeouts) {
  for (std::uint32_t p = 1; p <= 8; ++p) {
    Watched watched(12, 1, 10);
    watched.start(at(0));
    watched.poll(at(0));
    watched.heartbeat(at(50), 9);  // the last one of 9
    const auto found = verdicts(watched.run(at(50) + kTimeout * (2 * std::int64_t{p} - 1)));
    ASSERT_EQ(found.size(), p);
    for (std::uint32_t i = 0; i < p; ++i) {
      EXPECT_EQ(found[i].second, verdict(9 - i));
      EXPECT_EQ(found[i].first, at(50) + kTimeout * (2 * std::int64_t{i} + 1));
    }
  }
}

TEST(RingDetector, AsksTheNewEmitterEveryPeriodUntilItIsHeard) {
  Watched watched(4, 1, 2);
  watched.start(at(0));
  watched.poll(at(0));
  watched.heartbeat(at(50), 1);
  watched.fail(at(60), 1);
  EXPECT_EQ(watched.poll(at(60)), Actions{observe(0)});
  EXPECT_EQ(watched.poll(at(160) - kTick), Actions{heartbeat_to(3)});
  EXPECT_EQ(watched.poll(at(160)), Actions{observe(0)});
  EXPECT_FALSE(watched.detector()->steady());
  watched.heartbeat(at(170), 0);
  EXPECT_TRUE(watched.detector()->steady());
  EXPECT_EQ(watched.poll(at(260)), Actions{heartbeat_to(3)});
  // The grace is over with the first heartbeat: now the timeout counts.
  watched.run(at(1100));
  EXPECT_EQ(watched.poll(at(1170)), Actions{verdict(0)});
}

// Who speaks for the emitter may have died a moment ago, and we do not know its successor.
TEST(RingDetector, AsksEveryProcessOfANodeThatDoesNotAnswer) {
  Watched watched(3, 3, 2);
  watched.start(at(0));
  watched.poll(at(0));
  watched.fail(at(10), 3);
  watched.fail(at(10), 4);
  EXPECT_EQ(watched.poll(at(10)), Actions{});  // node 1 lives on: process 5 speaks for it
  watched.fail(at(20), 5);
  EXPECT_EQ(watched.poll(at(20)), Actions{observe(0)});
  watched.fail(at(50), 1);
  EXPECT_EQ(watched.poll(at(120)), (Actions{heartbeat_to(0), observe(0), observe(2)}));
  EXPECT_EQ(watched.poll(at(220)), (Actions{heartbeat_to(0), observe(0), observe(2)}));
  watched.heartbeat(at(230), 2);  // any process of the node counts
  EXPECT_EQ(watched.poll(at(320)), Actions{heartbeat_to(0)});
}

TEST(RingDetector, SendsToWhoeverObservesAtOnce) {
  Watched watched(5, 1, 1);
  watched.start(at(0));
  EXPECT_EQ(watched.poll(at(0)), Actions{heartbeat_to(2)});
  watched.observed_by(at(40), 3);
  EXPECT_EQ(watched.poll(at(40)), (Actions{heartbeat_to(3), heartbeat_to(2)}));
  EXPECT_EQ(watched.poll(at(140)), (Actions{heartbeat_to(3), heartbeat_to(2)}));
  watched.fail(at(150), 2);
  EXPECT_EQ(watched.poll(at(150)), Actions{});  // 3 it is, already
  EXPECT_EQ(watched.poll(at(240)), Actions{heartbeat_to(3)});
  watched.fail(at(160), 3);
  EXPECT_EQ(watched.poll(at(160)), Actions{heartbeat_to(4)});
}

constexpr int kServed = 11;  // heartbeats: a timeout, and one more

// Who asked may hold a verdict, and we hear of something else meanwhile.
TEST(RingDetector, ServesWhoAskedWhateverTheViewHearsForATimeout) {
  Watched watched(6, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.heartbeat(at(30), 0);
  watched.observed_by(at(40), 3);
  for (int i = 0; i < kServed; ++i) {
    watched.heartbeat(at(40 + 100 * i), 0);
    if (i == 5) watched.fail(at(540), 5);
    EXPECT_EQ(watched.poll(at(40 + 100 * i)), (Actions{heartbeat_to(3), heartbeat_to(2)})) << i;
  }
  watched.heartbeat(at(1140), 0);
  EXPECT_EQ(watched.poll(at(1140)), Actions{heartbeat_to(2)});
}

TEST(RingDetector, ServesWhoAskedLongerIfTheViewHearsNothing) {
  Watched watched(6, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.observed_by(at(40), 3);
  for (int i = 0; i < 2 * kServed; ++i) {
    watched.heartbeat(at(40 + 100 * i), 0);
    EXPECT_EQ(watched.poll(at(40 + 100 * i)), (Actions{heartbeat_to(3), heartbeat_to(2)})) << i;
  }
  EXPECT_TRUE(watched.detector()->steady());
  watched.fail(at(2200), 4);
  EXPECT_EQ(watched.poll(at(2200)), Actions{heartbeat_to(2)});
}

// What was said to who is served no more says nothing to who is.
TEST(RingDetector, LeavesNothingOutForWhatSomebodyElseWasTold) {
  Watched watched(6, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.observed_by(at(40), 3);
  watched.fail(at(50), 5);
  for (int i = 0; i < kServed; ++i) {
    watched.heartbeat(at(40 + 100 * i), 0);
    watched.poll(at(40 + 100 * i));
  }
  watched.told(3);
  EXPECT_EQ(watched.poll(at(1140)), Actions{heartbeat_to(2)});
}

TEST(RingDetector, ServesNobodyWhoAskedAndIsBelievedDead) {
  Watched watched(5, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.observed_by(at(40), 3);
  watched.fail(at(50), 3);
  EXPECT_EQ(watched.poll(at(50)), Actions{heartbeat_to(2)});
  EXPECT_EQ(watched.poll(at(150)), Actions{heartbeat_to(2)});
}

// It may not know yet who came between, and would judge us.
TEST(RingDetector, ServesWhoWasItsObserverForATimeoutWhenSomebodyComesBetween) {
  Watched watched(5, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.heartbeat(at(0), 0);
  watched.fail(at(40), 2);
  EXPECT_EQ(watched.poll(at(40)), Actions{heartbeat_to(3)});
  watched.revive(at(50), 2);
  EXPECT_FALSE(watched.detector()->steady());
  for (int i = 0; i < kServed; ++i) {
    watched.heartbeat(at(50 + 100 * i), 0);
    if (i == 5) watched.fail(at(550), 4);
    EXPECT_FALSE(watched.detector()->steady());
    EXPECT_EQ(watched.poll(at(50 + 100 * i)), (Actions{heartbeat_to(3), heartbeat_to(2)})) << i;
  }
  watched.heartbeat(at(1150), 0);
  EXPECT_EQ(watched.poll(at(1150)), Actions{heartbeat_to(2)});
  EXPECT_TRUE(watched.detector()->steady());
}

// Two may take us for their emitter while views differ, and each misses us if it hears nothing:
// whoever asks takes no heartbeat from the observer that the view knows, nor that one from it.
TEST(RingDetector, ServesTwoObserversWhoeverAsksLast) {
  Watched watched(5, 1, 1);
  watched.start(at(0));
  watched.poll(at(0));
  watched.heartbeat(at(30), 0);
  watched.observed_by(at(40), 3);
  watched.observed_by(at(41), 2);
  EXPECT_EQ(watched.poll(at(41)), (Actions{heartbeat_to(3), heartbeat_to(2)}));
  watched.observed_by(at(42), 4);
  EXPECT_EQ(watched.poll(at(42)), (Actions{heartbeat_to(4), heartbeat_to(2)}));
  // Nothing but that will happen, so it can be skipped.
  EXPECT_TRUE(watched.detector()->steady());
  EXPECT_EQ(watched.detector()->advance(7, watched.ring()).heartbeats, 14u);
  watched.stop();
  watched.start(at(800), DetectorStart::taking_over);
  EXPECT_EQ(watched.poll(at(800)), (Actions{heartbeat_to(2), observe(0)}));
}

// Its heartbeat a period late or a nanosecond less: only who was away for so long gives its emitter
// a period more, whether the deadline was long past or is only just reached.
TEST(RingDetector, WhoWasAwayWaitsOnePeriodMore) {
  for (const bool away : {true, false}) {
    for (const std::int64_t deadline : {930, 1089}) {
      Watched watched(4, 1, 1);
      watched.start(at(0), DetectorStart::with_everyone, milliseconds(90));
      watched.run(at(890));
      watched.heartbeat(at(deadline) - kTimeout, 0);
      const Time back = at(1090) - (away ? Duration{0} : kTick);
      if (!away) {
        EXPECT_EQ(watched.poll(back), (Actions{heartbeat_to(2), verdict(0)}));
        continue;
      }
      EXPECT_EQ(watched.poll(back), Actions{heartbeat_to(2)});
      EXPECT_EQ(watched.poll(back + kPeriod - kTick), Actions{});
      EXPECT_EQ(watched.poll(back + kPeriod), (Actions{heartbeat_to(2), verdict(0)}));
    }
  }
}

// What waited for it may call for a heartbeat at once; that makes the absence no shorter.
TEST(RingDetector, WhoWasAwayIsSoWhateverItReadsFirst) {
  for (const bool asked : {true, false}) {
    Watched watched(4, 1, 1);
    watched.start(at(0));
    watched.heartbeat(at(50), 0);
    watched.run(at(900));
    const Time back = at(1110);
    if (asked) {
      watched.observed_by(back, 2);
    } else {
      watched.fail(back, 2);
    }
    EXPECT_EQ(watched.poll(back), Actions{heartbeat_to(asked ? 2 : 3)});
  }
}

// A process that is late every time must still see a death.
TEST(RingDetector, WhoIsAwayAgainJudgesIfNothingWasHeardBetween) {
  for (const bool heard : {true, false}) {
    Watched watched(4, 1, 1);
    watched.start(at(0));
    watched.heartbeat(at(50), 0);
    watched.run(at(900));
    EXPECT_EQ(watched.poll(at(1100)), Actions{heartbeat_to(2)});
    if (heard) watched.heartbeat(at(1400) - kTimeout, 0);
    const Actions again = watched.poll(at(1400));
    EXPECT_EQ(again, heard ? Actions{heartbeat_to(2)} : (Actions{heartbeat_to(2), verdict(0)}));
  }
}

// Whoever sent nothing for a timeout has been believed dead, and its emitter may serve another by
// now: it asks, and waits as for a new emitter. A nanosecond less is an absence as above.
TEST(RingDetector, WhoWasSilentForATimeoutAsksItsEmitterAnew) {
  for (const bool silent : {true, false}) {
    Watched watched(4, 1, 1);
    watched.start(at(0));
    watched.heartbeat(at(50), 0);
    watched.run(at(300));
    watched.heartbeat(at(301), 0);  // the deadline falls a millisecond after the return
    const Time back = at(1300) - (silent ? Duration{0} : kTick);
    if (!silent) {
      EXPECT_EQ(watched.poll(back), Actions{heartbeat_to(2)});
      EXPECT_EQ(verdicts(watched.run(back + kPeriod)).size(), 1u);
      continue;
    }
    EXPECT_EQ(watched.poll(back), (Actions{heartbeat_to(2), observe(0)}));
    EXPECT_FALSE(watched.detector()->steady());
    EXPECT_EQ(verdicts(watched.run(back + 2 * kTimeout - kTick)).size(), 0u);
    EXPECT_EQ(verdicts(watched.run(back + 2 * kTimeout)).size(), 1u);
  }
}

TEST(RingDetector, TakingOverBeatsAtOnceAndAsks) {
  Watched watched(4, 1, 1);
  watched.start(at(500), DetectorStart::taking_over);
  EXPECT_EQ(watched.poll(at(500)), (Actions{heartbeat_to(2), observe(0)}));
  EXPECT_EQ(verdicts(watched.run(at(2500) - kTick)).size(), 0u);
  EXPECT_EQ(watched.poll(at(2500)), (Actions{heartbeat_to(2), observe(0), verdict(0)}));
}

// Who starts again may need a timeout until it beats; the deadline of its earlier life, or of the
// other processes of its node, is not its own.
TEST(RingDetector, NewLifeInTheEmittersNodeGetsTwiceTheTimeout) {
  Watched watched(3, 2, 1);
  watched.start(at(0));
  watched.heartbeat(at(50), 0);
  watched.fail(at(60), 1);
  watched.run(at(1049));
  watched.revive(at(1049), 1);
  EXPECT_EQ(watched.poll(at(1049)), Actions{observe(0)});
  const auto found = verdicts(watched.run(at(3049)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, at(3049));
  // Elsewhere a new life changes nothing.
  Watched other(3, 2, 1);
  other.start(at(0));
  other.heartbeat(at(50), 0);
  other.run(at(1049));
  other.revive(at(1049), 5);
  EXPECT_EQ(other.poll(at(1050)), Actions{verdict(0)});
}

TEST(RingDetector, StoppedItIsSilent) {
  Watched watched(4, 1, 1);
  watched.start(at(0));
  watched.stop();
  watched.observed_by(at(10), 3);
  watched.fail(at(10), 0);
  EXPECT_EQ(watched.detector()->next_deadline(), Time::never());
  EXPECT_EQ(watched.poll(at(5000)), Actions{});
}

TEST(RingDetector, AloneItWaitsForNobody) {
  Watched watched(2, 3, 0);
  watched.start(at(0));
  for (const std::uint32_t dead : {3u, 4u, 5u}) watched.fail(at(10), dead);
  // A heartbeat from a process of its own node makes that node nobody's emitter.
  watched.heartbeat(at(20), 1);
  EXPECT_EQ(verdicts(watched.run(at(20'000))).size(), 0u);
  watched.revive(at(20'010), 4);
  EXPECT_EQ(watched.poll(at(20'010)), (Actions{heartbeat_to(4), observe(4)}));
}

// Ten heartbeats a timeout: at each tenth one probe, over the dead in turn, process by process.
TEST(RingDetector, ProbesTheDeadBeforeItInTurn) {
  Watched watched(5, 2, 3, true);
  watched.start(at(0));
  for (const std::uint32_t dead : {2u, 3u, 4u, 5u}) watched.fail(at(0), dead);
  std::vector<std::uint32_t> probed;
  for (std::int64_t tick = 0; tick < 80; ++tick) {
    watched.heartbeat(at(100 * tick), 0);
    for (const DetectorAction& action : watched.poll(at(100 * tick))) {
      if (action.kind != Kind::probe) continue;
      EXPECT_EQ(tick % 10, 9);
      probed.push_back(action.process.value);
    }
  }
  ASSERT_EQ(probed.size(), 8u);
  std::vector<std::uint32_t> first(probed.begin(), probed.begin() + 4);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), probed.begin() + 4));
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, (std::vector<std::uint32_t>{2, 3, 4, 5}));
}

// In the same ticks the others of the own node are sent a heartbeat in turn, to compare views.
TEST(RingDetector, HeartbeatsToTheOwnNodeInTurn) {
  for (const bool probes : {true, false}) {
    Watched watched(2, 4, 1, probes);
    watched.start(at(0));
    std::vector<std::uint32_t> beaten;
    for (std::int64_t tick = 0; tick < 60; ++tick) {
      watched.heartbeat(at(100 * tick), 0);
      for (const DetectorAction& action : watched.poll(at(100 * tick))) {
        EXPECT_EQ(action.kind, Kind::heartbeat);
        if (action.process.value >= 4) beaten.push_back(action.process.value);
      }
    }
    std::sort(beaten.begin(), beaten.end());
    const std::vector<std::uint32_t> each_twice{5, 5, 6, 6, 7, 7};
    EXPECT_EQ(beaten, probes ? each_twice : std::vector<std::uint32_t>{});
  }
}

// Advancing n periods is what n periods of quiet running are.
TEST(RingDetector, AdvanceIsLikeRunning) {
  for (const std::uint64_t periods : {1u, 9u, 10u, 11u, 1234u}) {
    for (const bool dead : {false, true}) {
      Watched jumped(5, 3, 3, true), run(5, 3, 3, true);
      for (Watched* watched : {&jumped, &run}) {
        watched->start(at(0));
        if (dead) {
          for (const std::uint32_t process : {6u, 7u, 8u}) watched->fail(at(0), process);
        }
        watched->poll(at(0));
        watched->heartbeat(at(5), dead ? 3 : 6);
        ASSERT_TRUE(watched->detector()->steady());
      }
      const Detector::Advance sent = jumped.detector()->advance(periods, jumped.ring());
      Detector::Advance counted;
      for (std::uint64_t i = 1; i <= periods; ++i) {
        const Time now = at(static_cast<std::int64_t>(100 * i));
        for (const DetectorAction& action : run.poll(now)) {
          ++(action.kind == Kind::probe ? counted.probes : counted.heartbeats);
        }
        run.heartbeat(now + milliseconds(5), dead ? 3 : 6);
      }
      EXPECT_EQ(sent.heartbeats, counted.heartbeats) << periods;
      EXPECT_EQ(sent.probes, counted.probes) << periods;
      EXPECT_EQ(jumped.detector()->hash(), run.detector()->hash()) << periods;
      EXPECT_EQ(jumped.detector()->next_deadline(), run.detector()->next_deadline());
    }
  }
}

TEST(RingDetector, IsFoundByName) {
  EXPECT_GE(detectors().size(), 1u);
  for (const DetectorEntry& entry : detectors()) {
    DetectorPlace place;
    EXPECT_TRUE(make_detector(place, entry.name, {}, {0}));
  }
  DetectorPlace place;
  EXPECT_FALSE(make_detector(place, "oracle", {}, {0}));
}

}  // namespace
}  // namespace holdfast
