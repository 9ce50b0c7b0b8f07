// What the suites of connections and of one-sided operations share: two ends that attach each
// other, and what must be true of what they are told.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/conformance/exchange.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {

inline std::vector<Event> of_kind(const std::vector<Event>& events, EventKind kind) {
  std::vector<Event> chosen;
  for (const Event& event : events) {
    if (event.kind == kind) chosen.push_back(event);
  }
  return chosen;
}

class Connected : public ::testing::TestWithParam<FabricFactory> {
 protected:
  void SetUp() override {
    pair_ = GetParam().make();
    ASSERT_NE(pair_, nullptr);
    few_ = std::min<std::size_t>({a().caps().send_depth, b().caps().receive_depth, 8});
  }

  Fabric& a() { return pair_->a(); }
  Fabric& b() { return pair_->b(); }

  void attach_both() {
    to_b_ = a().attach(b().local_address(), Service::connected);
    to_a_ = b().attach(a().local_address(), Service::connected);
    ASSERT_NE(to_b_, kNoPeer);
    ASSERT_NE(to_a_, kNoPeer);
    expect_attached();
  }

  // Both ends are told, once, and nothing else happens.
  void expect_attached() {
    std::vector<Event> of_a, of_b;
    for (int attempt = 0; attempt < 5000 && (of_a.empty() || of_b.empty()); ++attempt) {
      pair_->settle();
      for (const Event& event : poll_all(a())) of_a.push_back(event);
      for (const Event& event : poll_all(b())) of_b.push_back(event);
    }
    ASSERT_EQ(of_a.size(), 1u);
    ASSERT_EQ(of_b.size(), 1u);
    EXPECT_EQ(of_a[0].kind, EventKind::attached);
    EXPECT_EQ(of_b[0].kind, EventKind::attached);
    EXPECT_EQ(of_a[0].peer, to_b_);
    EXPECT_EQ(of_b[0].peer, to_a_);
  }

  // Polls both ends until a has had `count` events; those of b are kept in `of_b_`.
  std::vector<Event> of_a(std::size_t count) {
    std::vector<Event> all;
    for (int attempt = 0; attempt < 5000 && all.size() < count; ++attempt) {
      pair_->settle();
      for (const Event& event : poll_all(a())) all.push_back(event);
      for (const Event& event : poll_all(b())) of_b_.push_back(event);
    }
    return all;
  }
  // The same for b, with what is kept.
  std::vector<Event> of_b(std::size_t count) {
    std::vector<Event> all = std::exchange(of_b_, {});
    for (int attempt = 0; attempt < 5000 && all.size() < count; ++attempt) {
      pair_->settle();
      for (const Event& event : poll_all(b())) all.push_back(event);
    }
    return all;
  }

  std::vector<Operation> sends(Slots& slots, std::size_t count) {
    std::vector<Operation> operations;
    for (std::size_t i = 0; i < count; ++i)
      operations.push_back(slots.send(i, to_b_, 100, static_cast<std::uint8_t>(i + 1)));
    return operations;
  }

  // `count` of a's sends that have been posted have ended, each once and in order, the first
  // `flawless` well; then the peer was down, for that reason.
  void expect_ended(const std::vector<Event>& events, std::size_t count) {
    const std::vector<Event> sent = of_kind(events, EventKind::sent);
    EXPECT_EQ(cookies_of(events, EventKind::sent), numbers(0, count));
    for (std::size_t i = 1; i < sent.size(); ++i) {
      if (sent[i - 1].completion != Completion::ok) {
        EXPECT_EQ(sent[i].completion, Completion::flushed) << "behind one that failed";
      }
    }
  }
  void expect_down(const std::vector<Event>& events, Peer peer) {
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(of_kind(events, EventKind::peer_down).size(), 1u);
    EXPECT_EQ(events.back().kind, EventKind::peer_down) << "all has ended before";
    EXPECT_EQ(events.back().peer, peer);
  }

  // Frames and completions get through.
  void expect_usable() {
    Slots mine(a(), few_);
    Slots theirs(b(), few_, Service::connected);
    ASSERT_EQ(b().offer(theirs.receive_slots(0, few_)), few_);
    ASSERT_EQ(a().post(sends(mine, few_)), few_);
    const std::vector<Event> sent = of_a(few_);
    EXPECT_EQ(cookies_of(sent, EventKind::sent), numbers(0, few_));
    for (const Event& event : sent) EXPECT_EQ(event.completion, Completion::ok);
    EXPECT_EQ(of_kind(of_b(few_), EventKind::received).size(), few_);
    kept_.push_back(std::move(mine));
    kept_.push_back(std::move(theirs));
  }

  // Memory outlives the fabrics, so it is declared before them.
  std::vector<Slots> kept_;
  std::unique_ptr<FabricPair> pair_;
  std::size_t few_ = 0;
  Peer to_b_, to_a_;
  std::vector<Event> of_b_;
};

}  // namespace holdfast::conformance
