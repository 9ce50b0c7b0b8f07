// Whose connection is read unasked, and for how long.
#include "hw/tcp/dialogue.hpp"

#include <gtest/gtest.h>

namespace holdfast::hw {
namespace {

constexpr std::uint32_t kOne = 3, kOther = 4;
constexpr Time kBegin{1'000'000};

// It has been told of, for the first time and so often since.
Dialogue with_one(std::uint32_t times = Dialogue::kInARow) {
  Dialogue dialogue;
  for (std::uint32_t i = 0; i <= times; ++i) dialogue.told_of(kOne, kBegin);
  return dialogue;
}

TEST(Dialogue, IsWithWhoHasBroughtSomethingAloneForAWhile) {
  EXPECT_EQ(Dialogue().partner(kBegin), Dialogue::kNobody);
  EXPECT_EQ(with_one(Dialogue::kInARow - 1).partner(kBegin), Dialogue::kNobody);
  EXPECT_EQ(with_one().partner(kBegin), kOne);
}

TEST(Dialogue, AsksAgainAfterAMoment) {
  Dialogue dialogue = with_one();
  EXPECT_EQ(dialogue.partner(kBegin + kLately - nanoseconds(1)), kOne);
  EXPECT_EQ(dialogue.partner(kBegin + kLately), Dialogue::kNobody);
  dialogue.told_of_nobody(kBegin + kLately);
  EXPECT_EQ(dialogue.partner(kBegin + kLately), kOne);
}

TEST(Dialogue, EndsWhenOthersHaveSomething) {
  Dialogue dialogue = with_one();
  dialogue.told_of(kOther, kBegin);
  EXPECT_EQ(dialogue.partner(kBegin), Dialogue::kNobody);
  dialogue.told_of(kOne, kBegin);
  EXPECT_EQ(dialogue.partner(kBegin), Dialogue::kNobody);
  dialogue = with_one();
  dialogue.told_of_others(kBegin);
  EXPECT_EQ(dialogue.partner(kBegin), Dialogue::kNobody);
}

TEST(Dialogue, EndsWithALongFrameAndWithTheConnection) {
  Dialogue dialogue = with_one();
  dialogue.end_with(kOther);
  EXPECT_EQ(dialogue.partner(kBegin), kOne);
  dialogue.end_with(kOne);
  EXPECT_EQ(dialogue.partner(kBegin), Dialogue::kNobody);
  dialogue = with_one();
  dialogue.end();
  EXPECT_EQ(dialogue.partner(kBegin), Dialogue::kNobody);
}

}  // namespace
}  // namespace holdfast::hw
