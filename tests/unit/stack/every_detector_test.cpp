// What every registered detector promises: jobs of each size in which all live, in which some die,
// and in which all but one do. Time jumps from deadline to deadline, frames take a microsecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "stack/detect/detector.hpp"

namespace holdfast {
namespace {

using Kind = DetectorAction::Kind;

constexpr Duration kPeriod = milliseconds(100);
constexpr Duration kTimeout = seconds(1);
constexpr Duration kFrame = microseconds(1);

struct Verdict {
  Time at;
  std::uint32_t by = 0;
  std::uint32_t on = 0;
};

// One process a domain, in rank order; all share one view, as if news took no time.
class Job {
 public:
  Job(const DetectorEntry& entry, std::uint32_t size)
      : roster_({.nodes = size, .per_node = 1}), ring_(roster_, view_), places_(size) {
    for (std::uint32_t i = 0; i < size; ++i) {
      entry.make(places_[i], {.period = kPeriod, .timeout = kTimeout, .probes = false}, {i});
      const Duration phase = kPeriod * i / size;
      places_[i]->start(Time{0}, DetectorStart::with_everyone, phase, ring_);
    }
  }

  // Ends at the moment up to which it has run; what it sent before arrives.
  void kill(std::uint32_t process) {
    dead_.push_back(process);
    places_[process]->stop();
  }

  // Plays everything up to `end`; gives the verdicts, each of which all believe at once.
  std::vector<Verdict> run(Time end) {
    std::vector<Verdict> verdicts;
    for (Time now = next(); now <= end; now = next()) {
      deliver(now);
      for (std::uint32_t i = 0; i < roster_.domains(); ++i) poll(now, i, verdicts);
    }
    return verdicts;
  }

  DetectorPlace& detector(std::uint32_t i) { return places_[i]; }
  const Ring& ring() const { return ring_; }

 private:
  struct Frame {
    Time at;
    std::uint32_t from = 0;
    DetectorAction action;
  };

  bool lives(std::uint32_t i) const {
    return std::find(dead_.begin(), dead_.end(), i) == dead_.end();
  }

  Time next() const {
    Time next = frames_.empty() ? Time::never() : frames_.front().at;
    for (std::uint32_t i = 0; i < roster_.domains(); ++i)
      if (lives(i)) next = std::min(next, places_[i]->next_deadline());
    return std::max(next, now_);
  }

  void deliver(Time now) {
    now_ = now;
    while (!frames_.empty() && frames_.front().at <= now) {
      const Frame frame = frames_.front();
      frames_.pop_front();
      const std::uint32_t to = frame.action.process.value;
      if (!lives(to)) continue;
      if (frame.action.kind == Kind::heartbeat)
        places_[to]->heartbeat(frame.at, {frame.from}, ring_);
      if (frame.action.kind == Kind::observe) places_[to]->observe(frame.at, {frame.from}, ring_);
    }
  }

  void poll(Time now, std::uint32_t i, std::vector<Verdict>& verdicts) {
    if (!lives(i)) return;
    for (DetectorAction action; places_[i]->poll(now, ring_, action);) {
      if (action.kind == Kind::verdict) {
        verdicts.push_back({now, i, action.domain.value});
        view_.merge({action.domain.value}, {{0}, MemberState::failed});
        for (std::uint32_t k = 0; k < roster_.domains(); ++k)
          if (lives(k)) places_[k]->view_changed(now, ring_);
      } else {
        ASSERT_NE(action.process.value, i) << "a frame to itself";
        frames_.push_back({now + kFrame, i, action});
      }
    }
    EXPECT_GT(places_[i]->next_deadline(), now) << "a deadline that has passed";
  }

  Roster roster_;
  View view_;
  Ring ring_;
  std::vector<DetectorPlace> places_;
  std::vector<std::uint32_t> dead_;
  std::deque<Frame> frames_;
  Time now_;
};

class EveryDetector : public testing::TestWithParam<DetectorEntry> {};

TEST_P(EveryDetector, JudgesNobodyWhileAllLive) {
  for (const std::uint32_t size : {1u, 2u, 3u, 8u, 17u}) {
    Job job(GetParam(), size);
    EXPECT_TRUE(job.run(Time{0} + 10 * kTimeout).empty()) << size;
  }
}

TEST_P(EveryDetector, FindsOneWhoDiesWithinATimeoutOfItsLastSign) {
  for (const std::uint32_t size : {2u, 3u, 8u, 17u}) {
    for (std::uint32_t victim = 0; victim < size; ++victim) {
      Job job(GetParam(), size);
      const Time death = Time{0} + 5 * kTimeout + milliseconds(33);
      ASSERT_TRUE(job.run(death).empty());
      job.kill(victim);
      const std::vector<Verdict> verdicts = job.run(death + 10 * kTimeout);
      ASSERT_EQ(verdicts.size(), 1u) << victim << " of " << size;
      EXPECT_EQ(verdicts[0].on, victim);
      EXPECT_NE(verdicts[0].by, victim);
      EXPECT_LE(verdicts[0].at, death + kTimeout + kFrame);
      EXPECT_GE(verdicts[0].at, death + kTimeout - kPeriod);
    }
  }
}

TEST_P(EveryDetector, FindsAllWhoDieAtOnceAndNobodyElse) {
  constexpr std::uint32_t kSize = 8;
  for (std::uint32_t deaths = 2; deaths < kSize; ++deaths) {
    Job job(GetParam(), kSize);
    const Time death = Time{0} + 5 * kTimeout + milliseconds(33);
    ASSERT_TRUE(job.run(death).empty());
    for (std::uint32_t i = 0; i < deaths; ++i) job.kill(i);
    std::vector<std::uint32_t> found;
    for (const Verdict& verdict : job.run(death + 100 * kTimeout)) {
      found.push_back(verdict.on);
      // Neighbours: 2fT + P of the specification, 9.3.
      EXPECT_LE(verdict.at, death + 2 * deaths * kTimeout + kPeriod) << verdict.on;
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found.size(), deaths);
    for (std::uint32_t i = 0; i < deaths; ++i) EXPECT_EQ(found[i], i);
  }
}

TEST_P(EveryDetector, StoppedIsSilent) {
  Job job(GetParam(), 3);
  ASSERT_TRUE(job.run(Time{0} + kTimeout).empty());
  DetectorPlace& detector = job.detector(1);
  DetectorAction action;
  detector->stop();
  EXPECT_EQ(detector->next_deadline(), Time::never());
  EXPECT_FALSE(detector->poll(Time{0} + 9 * kTimeout, job.ring(), action));
  detector->heartbeat(Time{0} + 9 * kTimeout, {0}, job.ring());
  detector->observe(Time{0} + 9 * kTimeout, {2}, job.ring());
  detector->view_changed(Time{0} + 9 * kTimeout, job.ring());
  EXPECT_FALSE(detector->poll(Time{0} + 9 * kTimeout, job.ring(), action));
}

TEST_P(EveryDetector, SkippedPeriodsAreLikePlayedOnes) {
  Job played(GetParam(), 5), skipped(GetParam(), 5);
  const Time quiet = Time{0} + 5 * kTimeout + milliseconds(7);
  played.run(quiet);
  skipped.run(quiet);
  for (std::uint32_t i = 0; i < 5; ++i) {
    DetectorPlace& detector = skipped.detector(i);
    EXPECT_EQ(detector->hash(), played.detector(i)->hash());
    if (!detector->steady()) return;  // nothing is skipped then
    detector->advance(30, skipped.ring());
  }
  played.run(quiet + 30 * kPeriod);
  for (std::uint32_t i = 0; i < 5; ++i)
    EXPECT_EQ(skipped.detector(i)->hash(), played.detector(i)->hash()) << i;
}

INSTANTIATE_TEST_SUITE_P(All, EveryDetector,
                         testing::ValuesIn(detectors().begin(), detectors().end()),
                         [](const auto& detector) { return std::string(detector.param.name); });

}  // namespace
}  // namespace holdfast
