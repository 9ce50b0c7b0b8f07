// The oracle itself: for each promise of an endpoint, one that breaks it, and what is said of it.
#include "tests/messages/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/content.hpp"

namespace holdfast::messages {
namespace {

using reliable::Completed;
using reliable::Outcome;
using reliable::Request;

constexpr ProcessId kA{0}, kB{1};
constexpr Incarnation kLife{0};
constexpr std::uint32_t kContext = 3;
constexpr std::uint64_t kTag = 5;
constexpr std::uint64_t kBytes = 100;
const reliable::Pattern kExact{kA, kContext, kTag};

// Three messages from A to B with one tag, and one with another; the third has no room for a
// number.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    scenario_.world.processes = 2;
    plan(kTag, kBytes);
    plan(kTag, kBytes);
    plan(kTag, 3);
    plan(kTag + 1, kBytes);
    plan(kTag + 2, 0);
    plan(kTag + 2, 0);
    ledger_.emplace(scenario_);
  }

  void plan(std::uint64_t tag, std::uint64_t bytes) {
    scenario_.sends.push_back({Time{}, kA, kB, kContext, tag, bytes});
  }
  void send(std::uint64_t number) {
    ledger_->content(number);
    ledger_->sent(number, {static_cast<std::uint32_t>(number)}, kLife, kLife);
  }
  std::uint64_t receive(std::uint64_t memory = kBytes, const reliable::Pattern& pattern = kExact) {
    const std::uint64_t number = ledger_->prepare(kB, pattern, memory);
    ledger_->posted(number, {static_cast<std::uint32_t>(number)}, kLife);
    return number;
  }
  const PlannedSend& planned(std::uint64_t number) const { return scenario_.sends[number]; }

  void end_send(std::uint64_t number, Outcome outcome = Outcome::delivered) {
    const reliable::Envelope envelope{kB, kContext, planned(number).tag};
    ledger_->completed(kA,
                       {Request{static_cast<std::uint32_t>(number)}, outcome, envelope,
                        planned(number).bytes, Ledger::cookie_of_send(number)},
                       believed_);
  }
  Completed result(std::uint64_t receive, std::uint64_t number) const {
    return {Request{static_cast<std::uint32_t>(receive)},
            Outcome::delivered,
            {kA, kContext, planned(number).tag},
            planned(number).bytes,
            Ledger::cookie_of_receive(receive)};
  }
  void end_receive(const Completed& result) { ledger_->completed(kB, result, believed_); }
  // As it should be.
  void deliver(std::uint64_t receive, std::uint64_t number) {
    tests::fill_content(number, ledger_->memory(receive).first(planned(number).bytes));
    end_receive(result(receive, number));
  }
  void all(std::array<std::uint64_t, 4> order) {
    for (std::uint64_t number = 0; number < 4; ++number) send(number);
    std::array<std::uint64_t, 4> receives{};
    for (std::uint64_t i = 0; i < 4; ++i) {
      receives[i] = receive(kBytes, {kA, kContext, i == 3 ? kTag + 1 : kTag});
    }
    for (std::uint64_t i = 0; i < 4; ++i) deliver(receives[i], order[i]);
    for (std::uint64_t number = 0; number < 4; ++number) end_send(number);
  }
  std::string in_the_end() {
    const std::array lives{kLife, kLife};
    ledger_->check_in_the_end(lives);
    return ledger_->failure();
  }
  bool says(const char* what) const { return ledger_->failure().find(what) != std::string::npos; }

  Scenario scenario_;
  std::optional<Ledger> ledger_;
  std::optional<Incarnation> life_ = kLife;
  Ledger::Believed believed_ = [this](ProcessId) { return life_; };
};

TEST_F(LedgerTest, FindsNothingWhereAllIsWell) {
  all({0, 1, 2, 3});
  EXPECT_EQ(in_the_end(), "");
  EXPECT_EQ(ledger_->received(), 4u);
}

TEST_F(LedgerTest, FindsAWrongByte) {
  send(0);
  const std::uint64_t it = receive();
  tests::fill_content(0, ledger_->memory(it));
  ledger_->memory(it)[77] ^= std::byte{4};
  end_receive(result(it, 0));
  EXPECT_TRUE(says("byte 77 of message 0")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsAMessageThatComesTwice) {
  send(0);
  deliver(receive(), 0);
  deliver(receive(), 0);
  EXPECT_TRUE(says("a second time")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsTheWrongOrderOfWhatSaysItsNumber) {
  all({1, 0, 2, 3});
  EXPECT_NE(in_the_end(), "");
  EXPECT_TRUE(says("by the order of sending")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsTheWrongOrderOfWhatIsTooShortToSayIt) {
  all({0, 2, 1, 3});
  EXPECT_NE(in_the_end(), "");
  EXPECT_TRUE(says("by the order of sending")) << ledger_->failure();
}

// A receive for any tag takes the fourth message though the first waits.
TEST_F(LedgerTest, FindsWhatOvertakesUnderAnotherTag) {
  send(0);
  send(3);
  const std::uint64_t any = receive(kBytes, {kA, kContext, 0, 0});
  const std::uint64_t other = receive();
  deliver(any, 3);
  deliver(other, 0);
  end_send(0);
  end_send(3);
  EXPECT_NE(in_the_end(), "");
  EXPECT_TRUE(says("though it should have message 0")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsAReceiveThatTakesWhatItIsNotFor) {
  send(3);
  deliver(receive(), 3);
  EXPECT_TRUE(says("that it is not for")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsAMessageThatNeverComes) {
  send(0);
  end_send(0);
  EXPECT_NE(in_the_end(), "");
  EXPECT_TRUE(says("was never received")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsACompletionThatComesTwice) {
  send(0);
  end_send(0);
  end_send(0);
  EXPECT_TRUE(says("not outstanding")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsWhatIsWrittenBesideTheMessage) {
  send(0);
  const std::uint64_t it = receive(kBytes + 1);
  ledger_->memory(it)[kBytes] = std::byte{0};
  deliver(it, 0);
  EXPECT_TRUE(says("where no message is")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsMemoryThatIsWrittenAfterItsCompletion) {
  send(0);
  const std::uint64_t it = receive();
  deliver(it, 0);
  end_send(0);
  ledger_->memory(it)[0] ^= std::byte{1};
  EXPECT_NE(in_the_end(), "");
  EXPECT_TRUE(says("after it had completed")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsWhatIsCutShortAndDoesNotSaySo) {
  send(0);
  const std::uint64_t it = receive(kBytes / 2);
  tests::fill_content(0, ledger_->memory(it));
  end_receive(result(it, 0));
  EXPECT_TRUE(says("is truncated, or should be")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsAPeerThatIsSaidToHaveFailedAndLives) {
  send(0);
  end_send(0, Outcome::peer_failed);
  EXPECT_TRUE(says("which is alive")) << ledger_->failure();
}

TEST_F(LedgerTest, AllowsWhatFailsWithItsPeer) {
  send(0);
  life_.reset();
  end_send(0, Outcome::peer_failed);
  EXPECT_EQ(ledger_->failure(), "");
}

// A message of an earlier life was lost with it; the next life's looks the same, and was received.
TEST_F(LedgerTest, TakesWhatWasLostWithALifeForMissingAndNotWhatLooksLikeIt) {
  const Incarnation next = first_incarnation_of_boot(1);
  send(4);
  ledger_->ended(kA, kLife);
  ledger_->content(5);
  ledger_->sent(5, {5}, next, kLife);
  deliver(receive(0, {kA, kContext, kTag + 2}), 5);
  end_send(5);
  const std::array lives{next, kLife};
  ledger_->check_in_the_end(lives);
  EXPECT_EQ(ledger_->failure(), "");
}

TEST_F(LedgerTest, FindsACancelledReceiveThatNobodyCancelled) {
  const std::uint64_t it = receive();
  Completed cancelled = result(it, 0);
  cancelled.outcome = Outcome::cancelled;
  end_receive(cancelled);
  EXPECT_TRUE(says("nobody wanted")) << ledger_->failure();
}

TEST_F(LedgerTest, FindsAMessageThatWaitsAndWasNotSent) {
  ledger_->waiting(kB, kLife, {{kA, kContext, kTag}, kBytes});
  EXPECT_TRUE(says("nobody has sent")) << ledger_->failure();
}

}  // namespace
}  // namespace holdfast::messages
