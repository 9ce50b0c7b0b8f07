// From which answers a process learns to leave its acknowledgements to the next one, and for how
// long it no longer does when one has not come.
#include <gtest/gtest.h>

#include <algorithm>

#include "stack/reliable/answer_habit.hpp"

namespace holdfast::reliable {
namespace {

constexpr ProcessId kPeer{1}, kOther{2};

class AnswerHabitTest : public ::testing::Test {
 protected:
  // A call returns, and after so long the program answers.
  void answer(Duration after) {
    habit_.returned(kPeer, habit_.expects_answer(), now_);
    now_ += after;
    habit_.sent(kPeer, now_);
  }
  // How many answers at once it takes until one is expected.
  std::uint32_t until_expected() {
    std::uint32_t answers = 0;
    while (!habit_.expects_answer() && answers < 1000) {
      answer(microseconds(1));
      ++answers;
    }
    return answers;
  }

  AnswerHabit habit_;
  Time now_;
};

TEST_F(AnswerHabitTest, AnAnswerIsExpectedAfterSome) {
  EXPECT_EQ(until_expected(), AnswerHabit::kFirst);
  for (int i = 0; i < 1000; ++i) answer(AnswerHabit::kAtOnce);
  EXPECT_TRUE(habit_.expects_answer());
}

TEST_F(AnswerHabitTest, NothingIsLearnedFromWhatWasNotOwed) {
  for (int i = 0; i < 100; ++i) habit_.sent(kPeer, now_);
  EXPECT_FALSE(habit_.expects_answer());
}

TEST_F(AnswerHabitTest, OneThatComesALittleLateIsNeitherForNorAgainst) {
  for (int i = 0; i < 100; ++i) answer(AnswerHabit::kInVain);
  EXPECT_FALSE(habit_.expects_answer());
  EXPECT_EQ(until_expected(), AnswerHabit::kFirst);
  answer(AnswerHabit::kInVain);
  EXPECT_TRUE(habit_.expects_answer());
}

TEST_F(AnswerHabitTest, WhoWasWrongNeedsTwiceAsMany) {
  std::uint32_t enough = AnswerHabit::kFirst;
  EXPECT_EQ(until_expected(), enough);
  for (int i = 0; i < 10; ++i) {
    habit_.returned(kPeer, true, now_);
    habit_.gave_up();
    enough = std::min(enough * 2, AnswerHabit::kMost);
    EXPECT_EQ(until_expected(), enough);
  }
  EXPECT_EQ(enough, AnswerHabit::kMost);
}

TEST_F(AnswerHabitTest, OneThatComesTooLateIsAsGoodAsNone) {
  EXPECT_EQ(until_expected(), AnswerHabit::kFirst);
  answer(AnswerHabit::kInVain + nanoseconds(1));
  EXPECT_EQ(until_expected(), 2 * AnswerHabit::kFirst);
}

// Nobody has waited for it: only the row ends.
TEST_F(AnswerHabitTest, WithoutAnExpectationNobodyWasWrong) {
  for (std::uint32_t i = 1; i < AnswerHabit::kFirst; ++i) answer(microseconds(1));
  answer(seconds(1));
  EXPECT_EQ(until_expected(), AnswerHabit::kFirst);
}

TEST_F(AnswerHabitTest, ToAnotherPeerIsNoAnswer) {
  EXPECT_EQ(until_expected(), AnswerHabit::kFirst);
  habit_.returned(kPeer, true, now_);
  habit_.sent(kOther, now_);
  EXPECT_FALSE(habit_.keeps());
  EXPECT_FALSE(habit_.expects_answer());
}

// Calls in between do not make it younger.
TEST_F(AnswerHabitTest, WhatIsKeptHasBeenSinceTheFirstReturn) {
  habit_.returned(kPeer, true, now_);
  habit_.returned(kPeer, true, now_ + microseconds(3));
  EXPECT_EQ(habit_.since(), now_);
  EXPECT_TRUE(habit_.keeps());
  habit_.sent(kPeer, now_);
  EXPECT_FALSE(habit_.keeps());
}

}  // namespace
}  // namespace holdfast::reliable
