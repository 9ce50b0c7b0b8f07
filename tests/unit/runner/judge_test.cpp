// The judge against hand-made cases, and against its definitions on random histories.
#include "experiments/runner/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "stack/base/random.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/runner/judged.hpp"

namespace holdfast::runner {
namespace {

TEST(Judge, SeparatesDetectionFromPropagation) {
  Judge judge(4);
  judge.crash(at(1000), "process", "2", ids({2}));
  judge.believe(at(2000), {3}, {2}, kFirst, true);
  judge.believe(at(2005), {0}, {2}, kFirst, true);
  judge.believe(at(2006), {0}, {2}, kFirst, true);  // said twice
  EXPECT_FALSE(judge.judgement().failures[0].propagation);
  EXPECT_EQ(judge.judgement().missed, 1u);
  EXPECT_EQ(judge.judgement().failures[0].missed, 1u);
  judge.believe(at(2007), {1}, {2}, kFirst, true);
  const FailureOutcome failure = judge.judgement().failures.at(0);
  EXPECT_EQ(failure.processes, 1u);
  EXPECT_EQ(failure.which, "2");
  EXPECT_EQ(failure.detection, milliseconds(1000));
  EXPECT_EQ(failure.propagation, milliseconds(7));
  EXPECT_FALSE(failure.repaired_at);
  EXPECT_EQ(judge.judgement().missed, 0u);
  EXPECT_EQ(judge.judgement().false_verdicts, 0u);
}

// Of four, 3 observes 2 and holds its verdict.
TEST(Judge, SuspicionComesBeforeTheVerdictOrWithIt) {
  Judge judge(4);
  judge.crash(at(1000), "process", "2", ids({2}));
  judge.crash(at(1000), "process", "1", ids({1}));
  judge.suspect(at(1400), {1}, {2}, kFirst);  // who is dead suspects nobody
  judge.suspect(at(1500), {3}, {2}, kFirst);
  EXPECT_FALSE(judge.judgement().failures[0].detection);
  judge.suspect(at(1600), {0}, {2}, kFirst);
  judge.believe(at(2000), {3}, {2}, kFirst, true);
  judge.believe(at(2100), {3}, {1}, kFirst, true);
  EXPECT_EQ(judge.judgement().failures[0].suspicion, milliseconds(500));
  EXPECT_EQ(judge.judgement().failures[0].detection, milliseconds(1000));
  EXPECT_EQ(judge.judgement().failures[1].suspicion, milliseconds(1100));
  EXPECT_EQ(judge.judgement().false_verdicts, 0u);
}

TEST(Judge, ASuspicionFromBeforeTheCrashCountsUnlessItWasTakenBack) {
  for (const bool taken_back : {false, true}) {
    for (const bool observer_dies : {false, true}) {
      EventLog log({.replicates = 1, .rows = 100}, 0);
      Judge judge(4, &log);
      judge.suspect(at(500), {3}, {2}, kFirst);
      if (taken_back) judge.believe(at(600), {3}, {2}, kFirst, false);
      if (observer_dies) judge.crash(at(700), "process", "3", ids({3}));
      judge.crash(at(1000), "process", "2", ids({2}));
      judge.believe(at(1900), {0}, {2}, kFirst, true);
      const bool suspects = !taken_back && !observer_dies;
      EXPECT_EQ(judge.judgement().failures.back().suspicion, milliseconds(suspects ? 0 : 900));
      EXPECT_EQ(judge.judgement().mistakes, 0u);
      const std::vector<RawEvent> events = log.take();
      EXPECT_EQ(events.at(0).kind, RawEventKind::suspected);
      EXPECT_EQ(events.at(0).failure, kNoFailure);
      EXPECT_EQ(events.at(1).kind == RawEventKind::trusted, taken_back);
    }
  }
}

TEST(Judge, ANodeIsKnownWhenAllItsProcessesAre) {
  Judge judge(4);
  judge.crash(at(0), "node", "a", ids({0, 1}));
  judge.believe(at(10), {2}, {1}, kFirst, true);
  judge.believe(at(11), {3}, {1}, kFirst, true);
  judge.believe(at(12), {3}, {0}, kFirst, true);
  EXPECT_FALSE(judge.judgement().failures[0].propagation);
  EXPECT_EQ(judge.judgement().missed, 1u);  // one process, though it knows half of the node
  judge.believe(at(19), {2}, {0}, kFirst, true);
  EXPECT_EQ(judge.judgement().failures[0].detection, milliseconds(10));
  EXPECT_EQ(judge.judgement().failures[0].propagation, milliseconds(9));
}

TEST(Judge, WhoDiesMeanwhileStopsCounting) {
  Judge judge(4);
  judge.crash(at(0), "process", "0", ids({0}));
  judge.believe(at(10), {1}, {0}, kFirst, true);
  judge.believe(at(13), {2}, {0}, kFirst, true);
  judge.crash(at(20), "process", "3", ids({3}));  // the last who did not know
  EXPECT_EQ(judge.judgement().failures[0].propagation, milliseconds(3));
}

TEST(Judge, WhoStartsMeanwhileIsNotWaitedForButMissed) {
  Judge judge(4);
  judge.crash(at(0), "process", "3", ids({3}));
  judge.crash(at(5), "process", "0", ids({0}));
  judge.repair(at(6), ids({3}), kSecond);
  judge.believe(at(10), {1}, {0}, kFirst, true);
  judge.believe(at(14), {2}, {0}, kFirst, true);
  EXPECT_EQ(judge.judgement().failures[1].propagation, milliseconds(4));
  EXPECT_EQ(judge.judgement().missed, 1u);
  judge.believe(at(15), {3}, {0}, kFirst, true);
  EXPECT_EQ(judge.judgement().missed, 0u);
}

TEST(Judge, AMistakeLastsFromTheFirstWhoMakesItToTheLast) {
  Judge judge(4);
  judge.believe(at(10), {1}, {0}, kFirst, true);
  judge.believe(at(11), {2}, {0}, kFirst, true);
  judge.believe(at(12), {2}, {0}, Incarnation{1}, false);  // refuted
  judge.believe(at(13), {3}, {0}, Incarnation{1}, true);   // and failed anew: the same mistake
  judge.believe(at(14), {1}, {0}, Incarnation{1}, false);
  EXPECT_TRUE(judge.judgement().mistake_durations.empty());
  judge.believe(at(17), {3}, {0}, Incarnation{2}, false);
  judge.believe(at(20), {3}, {0}, Incarnation{2}, true);  // another one, which
  judge.believe(at(21), {3}, {1}, kFirst, true);          // goes on, as this does,
  judge.crash(at(25), "process", "0", ids({0}));          // until it is no mistake
  judge.crash(at(30), "process", "3", ids({3}));          // or nobody is left who makes it
  const Judge::Judgement judgement = judge.judgement();
  EXPECT_EQ(judgement.false_verdicts, 4u);
  EXPECT_EQ(judgement.mistakes, 3u);
  EXPECT_EQ(judgement.mistake_durations,
            (std::vector<Duration>{milliseconds(7), milliseconds(5), milliseconds(9)}));
}

TEST(Judge, CountsHowLongProcessesLived) {
  Judge judge(4);
  EXPECT_EQ(judge.lived_ms(at(5)), 20u);
  judge.crash(at(10), "node", "a", ids({0, 1}));
  judge.repair(at(30), ids({1}), kSecond);
  EXPECT_EQ(judge.lived_ms(at(31)), 40u + 40u + 3u);
  Judge many(1u << 20);  // for a year: beyond 2^63 ns
  EXPECT_EQ(many.lived_ms(Time{} + seconds(31'557'600)),
            (std::uint64_t{1} << 20) * 31'557'600'000u);
}

TEST(Judge, RejoinEndsWhenNobodyBelievesItFailed) {
  Judge judge(4);
  judge.crash(at(0), "process", "0", ids({0}));
  for (std::uint32_t o : {1u, 2u, 3u}) judge.believe(at(10 + o), {o}, {0}, kFirst, true);
  judge.repair(at(100), ids({0}), kSecond);
  judge.believe(at(101), {1}, {0}, kSecond, false);
  judge.believe(at(102), {2}, {0}, kSecond, false);
  EXPECT_FALSE(judge.judgement().failures[0].rejoin);
  judge.believe(at(105), {3}, {0}, kSecond, false);
  EXPECT_EQ(judge.judgement().failures[0].repaired_at, at(100));
  EXPECT_EQ(judge.judgement().failures[0].rejoin, milliseconds(5));
}

TEST(Judge, ARepairBeforeTheVerdictLeavesDetectionAbsent) {
  Judge judge(3);
  judge.crash(at(0), "process", "0", ids({0}));
  judge.repair(at(1), ids({0}), kSecond);
  judge.believe(at(2), {1}, {0}, kFirst, true);  // late: about its earlier life
  EXPECT_FALSE(judge.judgement().failures[0].detection);
  EXPECT_FALSE(judge.judgement().failures[0].propagation);
  EXPECT_EQ(judge.judgement().failures[0].rejoin, Duration{0});
  EXPECT_EQ(judge.judgement().false_verdicts, 0u);
  EXPECT_EQ(judge.judgement().missed, 0u);
}

TEST(Judge, CountsAFalseVerdictOncePerLife) {
  Judge judge(4);
  judge.believe(at(1), {1}, {0}, kFirst, true);
  judge.believe(at(2), {2}, {0}, kFirst, true);
  EXPECT_EQ(judge.judgement().false_verdicts, 1u);
  judge.believe(at(3), {1}, {0}, next(kFirst), false);
  judge.believe(at(4), {1}, {0}, next(kFirst), true);
  EXPECT_EQ(judge.judgement().false_verdicts, 2u);
  judge.crash(at(5), "process", "0", ids({0}));  // believed failed by 1 and 2 before it was true
  judge.believe(at(9), {3}, {0}, kFirst, true);
  EXPECT_EQ(judge.judgement().failures[0].detection, Duration{0});
  EXPECT_EQ(judge.judgement().failures[0].propagation, milliseconds(4));
  EXPECT_EQ(judge.judgement().false_verdicts, 2u);
}

// Whoever is judged because a cut kept him apart is unreachable; that others repeat it, who were
// not kept apart from him themselves, changes nothing. His next incarnation may be judged by
// mistake.
TEST(Judge, AVerdictAcrossACutIsNoMistake) {
  Judge judge(4);
  judge.believe(at(1), {1}, {0}, Incarnation{0}, true, true);
  judge.believe(at(2), {2}, {0}, Incarnation{0}, true, false);
  EXPECT_EQ(judge.judgement().unreachable_verdicts, 1u);
  EXPECT_EQ(judge.judgement().false_verdicts, 0u);
  EXPECT_EQ(judge.judgement().mistakes, 0u);
  judge.believe(at(3), {1}, {0}, Incarnation{1}, false);
  judge.believe(at(3), {2}, {0}, Incarnation{1}, false);
  judge.believe(at(4), {1}, {0}, Incarnation{1}, true, false);
  EXPECT_EQ(judge.judgement().unreachable_verdicts, 1u);
  EXPECT_EQ(judge.judgement().false_verdicts, 1u);
  EXPECT_EQ(judge.judgement().mistakes, 1u);
}

TEST(Judge, ACrashOfADownPartIsARecordWhileDown) {
  Judge judge(4);
  judge.crash(at(0), "process", "1", ids({1}));
  judge.crash(at(1), "process", "1", ids({1}));
  judge.crash(at(2), "node", "a", ids({0, 1}));
  const Judge::Judgement judgement = judge.judgement();
  EXPECT_EQ(judgement.records_while_down, 1u);
  EXPECT_EQ(judgement.failures[1].processes, 0u);
  EXPECT_FALSE(judgement.failures[1].propagation);
  EXPECT_EQ(judgement.failures[2].processes, 1u);
}

TEST(Judge, GivesBackTheMemoryOfWhatAllKnow) {
  Judge judge(1000);
  judge.crash(at(0), "process", "1", ids({1}));
  for (std::uint32_t o = 0; o < 999; ++o) judge.believe(at(1), {o}, {1}, kFirst, true);
  EXPECT_GE(judge.belief_bytes(), 125u);
  judge.believe(at(1), {999}, {1}, kFirst, true);
  EXPECT_EQ(judge.belief_bytes(), 0u);
}

// The definitions once more, read off the complete history of a run: step i happens at i ms, and
// after it `alive` and `believes` (observer, subject) hold.
struct Step {
  std::vector<bool> alive;
  std::vector<std::vector<bool>> believes;
};

struct Crash {
  std::size_t step;
  std::vector<std::uint32_t> subjects;  // those that it ended
};

class History {
 public:
  explicit History(std::uint32_t n)
      : steps_(1, {std::vector<bool>(n, true), std::vector(n, std::vector<bool>(n))}) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(steps_[0].alive.size()); }
  bool alive(std::uint32_t process) const { return steps_.back().alive[process]; }

  // Begins a step as a copy of the last.
  Step& next() {
    steps_.push_back(steps_.back());
    return steps_.back();
  }
  Time now() const { return at(static_cast<std::int64_t>(steps_.size()) - 1); }
  void crashed(std::vector<std::uint32_t> subjects) {
    crashes_.push_back({steps_.size() - 1, std::move(subjects)});
  }

  std::size_t crashes() const { return crashes_.size(); }
  FailureOutcome outcome(std::size_t index) const {
    const Crash& crash = crashes_[index];
    FailureOutcome outcome;
    const auto first = first_verdict(crash);
    if (!first) return with_rejoin(crash, outcome);
    outcome.detection = span(crash.step, *first);
    std::size_t last = *first;  // when an older process last learned of a subject
    for (std::size_t i = crash.step; i < steps_.size(); ++i) {
      if (learns(crash, i)) last = i;
      if (i < *first || !all_know(crash, i)) continue;
      outcome.propagation = span(*first, std::max(last, *first));
      break;
    }
    return with_rejoin(crash, outcome);
  }
  std::uint64_t missed() const {
    std::uint64_t count = 0;
    for (const Crash& crash : crashes_)
      for (std::uint32_t o = 0; o < size(); ++o)
        if (alive(o) && std::any_of(crash.subjects.begin(), crash.subjects.end(), [&](auto s) {
              return down_until(crash, s) == steps_.size() && !steps_.back().believes[o][s];
            }))
          ++count;
    return count;
  }

 private:
  static Duration span(std::size_t from, std::size_t to) {
    return milliseconds(static_cast<std::int64_t>(to - from));
  }
  // The step at which the subject is first alive again, or the number of steps.
  std::size_t down_until(const Crash& crash, std::uint32_t s) const {
    std::size_t i = crash.step;
    while (i < steps_.size() && !steps_[i].alive[s]) ++i;
    return i;
  }
  bool lives_throughout(std::uint32_t o, std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i <= to; ++i)
      if (!steps_[i].alive[o]) return false;
    return true;
  }
  std::optional<std::size_t> first_verdict(const Crash& crash) const {
    for (std::size_t i = crash.step; i < steps_.size(); ++i)
      for (const std::uint32_t s : crash.subjects)
        for (std::uint32_t o = 0; o < size(); ++o)
          if (i < down_until(crash, s) && steps_[i].alive[o] && steps_[i].believes[o][s]) return i;
    return {};
  }
  bool learns(const Crash& crash, std::size_t i) const {
    for (const std::uint32_t s : crash.subjects)
      for (std::uint32_t o = 0; o < size(); ++o)
        if (i < down_until(crash, s) && steps_[i].believes[o][s] &&
            (i == crash.step || !steps_[i - 1].believes[o][s]) &&
            lives_throughout(o, crash.step, i))
          return true;
    return false;
  }
  // Of each subject as long as it is down; what was not known of it then never will be.
  bool all_know(const Crash& crash, std::size_t i) const {
    for (const std::uint32_t s : crash.subjects) {
      const std::size_t when = std::min(i, down_until(crash, s) - 1);
      for (std::uint32_t o = 0; o < size(); ++o)
        if (lives_throughout(o, crash.step, when) && !steps_[when].believes[o][s]) return false;
    }
    return true;
  }
  FailureOutcome with_rejoin(const Crash& crash, FailureOutcome outcome) const {
    std::size_t repaired = 0;
    for (const std::uint32_t s : crash.subjects) {
      const std::size_t back = down_until(crash, s);
      if (back < steps_.size()) repaired = std::max(repaired, back);
    }
    if (repaired == 0) return outcome;
    outcome.repaired_at = at(static_cast<std::int64_t>(repaired));
    for (std::size_t i = repaired; i < steps_.size(); ++i) {
      bool accused = false;
      for (const std::uint32_t s : crash.subjects) {
        const std::size_t back = down_until(crash, s);
        if (back > i || !lives_throughout(s, back, i)) return outcome;
        for (std::uint32_t o = 0; o < size(); ++o)
          accused |= steps_[i].alive[o] && steps_[i].believes[o][s];
      }
      if (accused) continue;
      outcome.rejoin = span(repaired, i);
      break;
    }
    return outcome;
  }

  std::vector<Step> steps_;
  std::vector<Crash> crashes_;
};

// One random event, told to the history and to the judge. Processes 0 and 1, 2 and 3, … are nodes.
void random_step(Random& random, History& history, Judge& judge) {
  const std::uint32_t n = history.size();
  const auto pick = [&] { return static_cast<std::uint32_t>(random.below(n)); };
  const std::uint64_t choice = random.below(20);
  const std::uint32_t subject = pick();
  std::vector<ProcessId> part = ids({subject});
  if (random.below(2) == 0) part = ids({subject & ~1u, subject | 1u});
  Step& step = history.next();
  if (choice == 0) {
    std::vector<std::uint32_t> ended;
    for (const ProcessId p : part)
      if (step.alive[p.value]) ended.push_back(p.value);
    for (const std::uint32_t p : ended) {
      step.alive[p] = false;
      step.believes[p].assign(n, false);
    }
    history.crashed(ended);
    judge.crash(history.now(), "part", "", part);
  } else if (choice == 1) {
    for (const ProcessId p : part) step.alive[p.value] = true;
    judge.repair(history.now(), part, kSecond);
  } else {
    const std::uint32_t observer = pick();
    // Mostly what is true, so that failures and rejoins are learned of completely.
    const bool failed = step.alive[subject] ? random.below(8) == 0 : random.below(8) != 0;
    if (observer != subject && step.alive[observer]) step.believes[observer][subject] = failed;
    judge.believe(history.now(), {observer}, {subject}, kSecond, failed);
  }
}

TEST(Judge, AgreesWithTheDefinitionsOnRandomHistories) {
  std::size_t propagated = 0;
  std::size_t rejoined = 0;
  for (std::uint64_t seed = 0; seed < tests::drawn(1000u); ++seed) {
    Random random(seed, 0, 0);
    History history(4 + 2 * static_cast<std::uint32_t>(seed % 2));
    Judge judge(history.size());
    for (int i = 0; i < 250; ++i) random_step(random, history, judge);
    const Judge::Judgement judgement = judge.judgement();
    ASSERT_EQ(judgement.failures.size(), history.crashes());
    EXPECT_EQ(judgement.missed, history.missed()) << "seed " << seed;
    for (std::size_t f = 0; f < history.crashes(); ++f) {
      const FailureOutcome& found = judgement.failures[f];
      const FailureOutcome expected = history.outcome(f);
      ASSERT_EQ(found.detection, expected.detection) << "seed " << seed << " failure " << f;
      ASSERT_EQ(found.propagation, expected.propagation) << "seed " << seed << " failure " << f;
      ASSERT_EQ(found.repaired_at, expected.repaired_at) << "seed " << seed << " failure " << f;
      ASSERT_EQ(found.rejoin, expected.rejoin) << "seed " << seed << " failure " << f;
      propagated += found.propagation.has_value();
      rejoined += found.rejoin.has_value();
    }
  }
  EXPECT_GT(propagated, tests::drawn(500u));
  EXPECT_GT(rejoined, tests::drawn(500u));
}

}  // namespace
}  // namespace holdfast::runner
