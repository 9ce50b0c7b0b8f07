// Engines with several rails (PROTOCOL.md, section 12): what goes on which, and what a job of them
// believes when rails fail. Frames take 1 ms; period 100 ms, timeout 1 s unless said otherwise.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>

#include "stack/base/random.hpp"
#include "tests/unit/stack/fake_fabric.hpp"

namespace holdfast {
namespace {

Time at(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

class Member {
 public:
  Member(const Roster& roster, std::uint32_t self, std::size_t rails, std::string_view seal,
         Duration timeout) {
    for (std::size_t i = 0; i < rails; ++i) fabrics.push_back(std::make_unique<FakeFabric>());
    for (const auto& fabric : fabrics) pointers_.push_back(fabric.get());
    EngineOptions options;
    options.membership.self = {self};
    options.membership.phase = milliseconds(self * 7 % 100);
    options.membership.detection.timeout = timeout;
    options.membership.retransmission_timeout = milliseconds(50);
    options.seal = seal;
    options.receive_slots = 4;
    engine = std::make_unique<Engine>(options, roster, pointers_, workspace_);
  }

  std::vector<std::unique_ptr<FakeFabric>> fabrics;

 private:
  FakeAddresses addresses_;
  Workspace workspace_{addresses_};
  std::vector<Fabric*> pointers_;

 public:
  std::unique_ptr<Engine> engine;
};

// A job in steps of a millisecond.
class Job {
  Roster roster_;
  std::int64_t now_ms_ = 0;

 public:
  explicit Job(std::uint32_t processes, std::size_t rails = 2, std::string_view seal = "none",
               Duration timeout = seconds(1))
      : roster_({.nodes = processes, .per_node = 1}) {
    for (std::uint32_t i = 0; i < processes; ++i) {
      members.push_back(std::make_unique<Member>(roster_, i, rails, seal, timeout));
      members[i]->engine->start(at(0));
    }
  }

  // Whether a frame on a rail is lost on its way.
  std::function<bool(std::size_t rail, std::uint32_t from, std::uint32_t to)> lost =
      [](std::size_t, std::uint32_t, std::uint32_t) { return false; };
  std::vector<std::unique_ptr<Member>> members;
  std::vector<bool> dead = std::vector<bool>(64);
  std::size_t heartbeats = 0, others = 0;  // posted

  void run_to(std::int64_t ms) {
    for (; now_ms_ < ms; ++now_ms_) {
      for (std::uint32_t i = 0; i < members.size(); ++i) {
        if (!dead[i]) members[i]->engine->turn(at(now_ms_));
      }
      for (std::uint32_t i = 0; i < members.size(); ++i) carry(i);
    }
  }

  bool believes(std::uint32_t who, std::uint32_t of, MemberState state) const {
    return members[who]->engine->membership().view().of({of}).state == state;
  }
  std::size_t believed_dead() const {
    std::size_t pairs = 0;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      for (std::uint32_t j = 0; j < members.size() && !dead[i]; ++j) {
        pairs += believes(i, j, MemberState::failed) ? 1u : 0u;
      }
    }
    return pairs;
  }
  // Whether anybody has ever been judged and refuted it.
  bool anyone_refuted() const {
    for (const auto& member : members) {
      if (member->engine->membership().incarnation() != first_incarnation_of_boot(0)) return true;
    }
    return false;
  }

 private:
  void carry(std::uint32_t from) {
    for (std::size_t rail = 0; rail < members[from]->fabrics.size(); ++rail) {
      for (FakeFabric::Frame& frame : members[from]->fabrics[rail]->posted) {
        Header header;
        ASSERT_EQ(decode_header(frame.used(), header), DecodeStatus::ok);
        ++(header.type == FrameType::heartbeat ? heartbeats : others);
        if (dead[frame.to] || lost(rail, from, frame.to)) continue;
        members[frame.to]->fabrics[rail]->arrive(frame.used(), at(now_ms_ + 1));
      }
      members[from]->fabrics[rail]->posted.clear();
    }
  }
};

TEST(SeveralRails, HeartbeatsTakeTheRailsInTurnAndAreNoMoreThanOnOne) {
  Job job(4, 3);
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

TEST(SeveralRails, NewsGoesOnEveryRailAndIsHandledOnce) {
  for (const std::string_view seal : {"none", "siphash128"}) {
    Job job(4, 2, seal);
    job.run_to(500);
    job.dead[2] = true;
    job.run_to(3'000);
    for (const std::uint32_t who : {0u, 1u, 3u}) {
      EXPECT_TRUE(job.believes(who, 2, MemberState::failed));
      EXPECT_GT(job.members[who]->engine->drops().outdated, 0u) << "copies";
      EXPECT_EQ(job.members[who]->engine->membership().counts().repeats, 0u);
    }
    EXPECT_EQ(job.believed_dead(), 3u);
  }
}

// One rail of two fails after the other, in one direction or both, for one process or for all; in
// between all work for `overlap_ms`.
void expect_that_nobody_is_judged(Duration timeout, std::int64_t overlap_ms) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 1, 1);
    const std::uint32_t processes = 2 + static_cast<std::uint32_t>(random.below(7));
    Job job(processes, 2, "none", timeout);
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
  Job job(4);
  job.lost = [](std::size_t rail, std::uint32_t, std::uint32_t) { return rail == 1; };
  job.run_to(2'000);
  job.dead[1] = true;
  job.run_to(2'000 + 1'000 + 100 + 5);
  EXPECT_TRUE(job.believes(2, 1, MemberState::failed));
  EXPECT_EQ(job.believed_dead(), 3u);
}

TEST(SeveralRails, WithAllRailsCutThereIsAVerdict) {
  Job job(4);
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
  Job job(2);
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
