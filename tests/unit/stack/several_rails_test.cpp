// Engines with several rails (PROTOCOL.md, section 12): what goes on which, and what a job of them
// believes when rails fail.
#include <gtest/gtest.h>

#include "stack/base/random.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/stack/rails_job.hpp"

namespace holdfast {
namespace {

using rails::at;
using rails::Job;

TEST(SeveralRails, HeartbeatsTakeTheRailsInTurnAndAreNoMoreThanOnOne) {
  Job job({.rails = 3});
  std::vector<std::size_t> on(3);
  job.lost = [&on](std::size_t rail, std::uint32_t from, std::uint32_t) {
    if (from == 0) ++on[rail];
    return false;
  };
  job.run_to(3'000);
  EXPECT_EQ(on, (std::vector<std::size_t>{10, 10, 10}));
  EXPECT_EQ(job.heartbeats, 4u * 30);
  EXPECT_EQ(job.others, 0u);
}

// Of a heartbeat there is one: a second is the network's doing, or somebody's.
TEST(SeveralRails, AHeartbeatThatComesTwiceIsNoCopyOfAnotherRail) {
  Job job({});
  job.doubles = true;
  job.run_to(3'000);
  EXPECT_EQ(job.others, 0u);
  for (const auto& member : job.members) {
    EXPECT_EQ(member->engine->drops().copies, 0u);
    EXPECT_GT(member->engine->drops().outdated, 20u);
  }
}

TEST(SeveralRails, NewsGoesOnEveryRailAndIsHandledOnce) {
  for (const std::string_view seal : {"none", "siphash128"}) {
    Job job({.seal = seal});
    job.run_to(500);
    job.dead[2] = true;
    job.run_to(3'000);
    for (const std::uint32_t who : {0u, 1u, 3u}) {
      EXPECT_TRUE(job.believes(who, 2, MemberState::failed));
      EXPECT_GT(job.members[who]->engine->drops().copies, 0u);
      EXPECT_EQ(job.members[who]->engine->drops().outdated, 0u);
      EXPECT_EQ(job.members[who]->engine->membership().counts().repeats, 0u);
    }
    EXPECT_EQ(job.believed_dead(), 3u);
  }
}

// One rail of two fails after the other, in one direction or both, for one process or for all; in
// between all work for `overlap_ms`.
void expect_that_nobody_is_judged(Duration timeout, std::int64_t overlap_ms) {
  for (std::uint64_t seed = 0; seed < tests::drawn(200u); ++seed) {
    Random random(seed, 1, 1);
    const std::uint32_t processes = 2 + static_cast<std::uint32_t>(random.below(7));
    Job job({.processes = processes, .timeout = timeout});
    std::size_t rail = 0;
    std::uint64_t whose = 0, direction = 0;
    job.lost = [&](std::size_t on, std::uint32_t from, std::uint32_t to) {
      const bool of_from = whose == from || whose == processes;
      const bool of_to = whose == to || whose == processes;
      return on == rail && ((of_from && direction != 1) || (of_to && direction != 0));
    };
    for (std::int64_t ms = 0; ms < 5'000;) {
      rail = random.below(2);
      whose = random.below(processes + 1);
      direction = random.below(3);
      job.run_to(ms += 500 + static_cast<std::int64_t>(random.below(1'500)));
      if (overlap_ms > 0) rail = 2;
      job.run_to(ms += overlap_ms);
      ASSERT_EQ(job.believed_dead(), 0u) << "seed " << seed;
      ASSERT_FALSE(job.anyone_refuted()) << "seed " << seed;
    }
  }
}

// Every second heartbeat comes before the timeout of three periods.
TEST(SeveralRails, WhileOneRailWorksNobodyIsJudged) {
  expect_that_nobody_is_judged(milliseconds(300), 200);
}

// Without a moment in which both work three periods may pass.
TEST(SeveralRails, WhenARailTakesOverFromAnotherNobodyIsJudged) {
  expect_that_nobody_is_judged(milliseconds(400), 0);
}

TEST(SeveralRails, WhoDiesWhileARailIsCutIsFoundWithinTheTimeoutAndAPeriod) {
  Job job({});
  job.lost = [](std::size_t rail, std::uint32_t, std::uint32_t) { return rail == 1; };
  job.run_to(2'000);
  job.dead[1] = true;
  job.run_to(2'000 + 1'000 + 100 + 5);
  EXPECT_TRUE(job.believes(2, 1, MemberState::failed));
  EXPECT_EQ(job.believed_dead(), 3u);
}

TEST(SeveralRails, WithAllRailsCutThereIsAVerdict) {
  Job job({});
  job.run_to(1'000);
  job.lost = [](std::size_t, std::uint32_t from, std::uint32_t to) {
    return (from == 3) != (to == 3);
  };
  job.run_to(5'000);
  for (const std::uint32_t who : {0u, 1u, 2u})
    EXPECT_TRUE(job.believes(who, 3, MemberState::failed));
  EXPECT_TRUE(job.believes(3, 2, MemberState::failed));
  job.lost = [](std::size_t rail, std::uint32_t, std::uint32_t) { return rail == 0; };
  job.run_to(12'000);
  EXPECT_EQ(job.believed_dead(), 0u) << "one rail is enough to mend it";
}

TEST(SeveralRails, AFullRailOrOneWhosePortIsDownIsLeftOut) {
  Job job({.processes = 2});
  std::vector<std::size_t> on(2);
  job.lost = [&on](std::size_t rail, std::uint32_t from, std::uint32_t) {
    if (from == 0) ++on[rail];
    return false;
  };
  FakeFabric& second = *job.members[0]->fabrics[1];
  Event event;
  event.kind = EventKind::port_down;
  second.happen(event);
  job.run_to(1'000);
  EXPECT_EQ(on, (std::vector<std::size_t>{10, 0}));
  event.kind = EventKind::port_up;
  second.happen(event);
  second.room = 0;
  job.run_to(2'000);
  EXPECT_EQ(on, (std::vector<std::size_t>{19, 0}));
  EXPECT_EQ(job.members[0]->engine->drops().refused, 1u);
  second.room = 1'000;
  event.kind = EventKind::writable;
  second.happen(event);
  job.run_to(3'000);
  EXPECT_EQ(on, (std::vector<std::size_t>{24, 5}));
}

// As over adapters, which give each life another queue pair.
TEST(SeveralRails, TheHandlesOfALifeThatIsOverAreLetGoOnEveryRail) {
  Job job({});
  job.run_to(1'000);
  job.dead[2] = true;
  job.run_to(3'000);
  FakeFabric& first = *job.members[1]->fabrics[0];
  FakeFabric& second = *job.members[1]->fabrics[1];
  EXPECT_TRUE(first.detached.empty() && second.detached.empty());
  for (std::size_t lives = 1; lives <= 2; ++lives) {
    job.restart(2);
    job.run_to(3'000 + static_cast<std::int64_t>(lives) * 3'000 - 2'000);
    EXPECT_TRUE(job.believes(1, 2, MemberState::alive));
    EXPECT_EQ(first.detached, std::vector(lives, Peer{2}));
    EXPECT_EQ(second.detached, first.detached);
    job.dead[2] = true;
    job.run_to(3'000 + static_cast<std::int64_t>(lives) * 3'000);
  }
}

// A heartbeat and an observe each period, as where the observer is the emitter too: were they to
// take the turns of one count, each would stay on its rail.
TEST(SeveralRails, ObservesHaveTurnsOfTheirOwn) {
  FakeFabric first, second;
  std::array<Fabric*, 2> rails{&first, &second};
  SeveralRails several(rails, 1);
  std::vector<std::size_t> heartbeats, observes;
  for (int i = 0; i < 4; ++i) {
    heartbeats.push_back(several.next_for({5}, FrameType::heartbeat));
    observes.push_back(several.next_for({5}, FrameType::observe));
    EXPECT_EQ(several.next_for({6}, FrameType::heartbeat), static_cast<std::size_t>(i % 2));
  }
  EXPECT_EQ(heartbeats, (std::vector<std::size_t>{0, 1, 0, 1}));
  EXPECT_EQ(observes, heartbeats);
}

// Of two agents of a domain the later one was heard last, whatever rail is read first.
TEST(SeveralRails, WhatArrivedOnAllRailsIsHandledInOrderOfArrival) {
  FakeFabric first, second;
  std::array<Fabric*, 2> rails{&first, &second};
  SeveralRails several(rails, 4);
  several.offer_all();
  const std::vector<std::byte> frame(10);
  for (const std::int64_t ms : {1, 4, 5, 9, 11, 12}) first.arrive(frame, at(ms));
  for (const std::int64_t ms : {2, 3, 6, 7, 8, 10}) second.arrive(frame, at(ms));
  SeveralRails::Arrival arrival;
  std::int64_t count = 0;
  for (several.begin_turn(); several.take(arrival);) {
    EXPECT_EQ(arrival.event.at, at(++count));
    several.offer(*arrival.rail, arrival.event.cookie);
  }
  EXPECT_EQ(count, 12);
}

}  // namespace
}  // namespace holdfast
