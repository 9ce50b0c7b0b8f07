// What a player asks of its port, and when it waits.
#include "sim/jobs/player.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/sim_jobs/steps.hpp"

namespace holdfast::sim {
namespace {

constexpr ProcessId kSelf{0};
constexpr std::uint64_t kShort = 100, kLong = 1'000'000;

class Notes final : public MessagePort {
 public:
  bool send(ProcessId to, std::uint32_t, std::uint64_t bytes, std::uint64_t cookie) override {
    return note("send " + std::to_string(to.value), bytes, cookie);
  }
  bool receive(ProcessId from, std::uint32_t, std::uint64_t bytes, std::uint64_t cookie) override {
    return note("receive " + std::to_string(from.value), bytes, cookie);
  }
  bool note(const std::string& what, std::uint64_t bytes, std::uint64_t cookie) {
    if (is_full) return false;
    asked.push_back(what);
    requests.emplace_back(cookie, bytes);
    return true;
  }
  void complete(Player& player, std::size_t request) {
    player.completed(requests[request].first, requests[request].second);
  }

  bool is_full = false;
  std::vector<std::string> asked;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> requests;
};

using Asked = std::vector<std::string>;

Player player(std::vector<Step> steps, const PlayerOptions& options = {}) {
  return Player(std::make_unique<Steps>(std::move(steps)), kSelf, options);
}

TEST(Player, GoesOnBehindAShortSendAndWaitsForALongOne) {
  Notes port;
  Player it = player({send(1, kShort), send(1, kLong), send(2, kShort)});
  EXPECT_TRUE(it.act(port, {}).commanded);
  EXPECT_EQ(port.asked, (Asked{"send 1", "send 1"}));
  EXPECT_FALSE(it.act(port, {}).commanded);
  port.complete(it, 1);
  EXPECT_TRUE(it.act(port, {}).commanded);
  EXPECT_EQ(port.asked.size(), 3u);
  EXPECT_TRUE(it.is_over());
  EXPECT_EQ(it.messages_sent(), 3u);
  EXPECT_EQ(it.bytes_sent(), 2 * kShort + kLong);
}

TEST(Player, WaitsForAllThatItHasPosted) {
  Notes port;
  Player it = player({post_receive(1, kShort), post_send(1, kLong), post_receive(2, kShort),
                      wait_all(), send(3, kShort)});
  it.act(port, {});
  EXPECT_EQ(port.asked.size(), 3u);
  for (const std::size_t request : {2u, 0u, 1u}) {
    EXPECT_EQ(port.asked.size(), 3u);
    port.complete(it, request);
    it.act(port, {});
  }
  EXPECT_EQ(port.asked.size(), 4u);
  EXPECT_TRUE(it.is_over());
}

TEST(Player, AsksAgainWhereThereWasNoRoom) {
  Notes port;
  port.is_full = true;
  Player it = player({send(1, kShort)});
  EXPECT_FALSE(it.act(port, {}).commanded);
  EXPECT_FALSE(it.is_over());
  EXPECT_EQ(it.messages_sent(), 0u);
  port.is_full = false;
  EXPECT_TRUE(it.act(port, {}).commanded);
  EXPECT_TRUE(it.is_over());
}

TEST(Player, WhatItPostedGoesBeforeItComputes) {
  Notes port;
  Player it = player({send(1, kShort), compute(microseconds(7))});
  const Player::Wish first = it.act(port, {});
  EXPECT_TRUE(first.commanded);
  EXPECT_EQ(first.computes, Duration{0});
  const Player::Wish second = it.act(port, {});
  EXPECT_FALSE(second.commanded);
  EXPECT_EQ(second.computes, microseconds(7));
}

TEST(Player, WhatItTellsItselfNobodyHears) {
  Notes port;
  Player it = player({post_receive(0, kLong), send(0, kLong), wait_all()});
  EXPECT_FALSE(it.act(port, {}).commanded);
  EXPECT_TRUE(it.is_over());
  EXPECT_EQ(it.messages_sent(), 0u);
}

TEST(Player, SumsUpBeforeItSendsAndWhenItHasReceived) {
  Notes port;
  Player it = player({send(1, 1000), receive(1, 3000)}, {.sum_bytes_per_second = 1'000'000'000});
  EXPECT_EQ(it.act(port, {}).computes, nanoseconds(1000));
  EXPECT_TRUE(port.asked.empty());
  EXPECT_TRUE(it.act(port, {}).commanded);
  EXPECT_EQ(port.asked, (Asked{"send 1", "receive 1"}));
  port.complete(it, 1);
  EXPECT_EQ(it.act(port, {}).computes, nanoseconds(3000));
  EXPECT_FALSE(it.is_over());
  it.act(port, {});
  EXPECT_TRUE(it.is_over());
}

// Of a benchmark its iterations but the one that nobody times.
TEST(Player, TimesWhatItsCourseSays) {
  class HalfTimed final : public Course {
   public:
    bool next(Step& step) override {
      step = compute(microseconds(1));
      return ++at_ <= 4;
    }
    bool is_timed() const override { return at_ == 2 || at_ == 3; }

   private:
    int at_ = 0;
  };
  Notes port;
  Player it(std::make_unique<HalfTimed>(), kSelf, {});
  for (Time now; !it.is_over(); now = now + microseconds(1)) it.act(port, now);
  EXPECT_EQ(it.timed(), microseconds(2));
}

}  // namespace
}  // namespace holdfast::sim
