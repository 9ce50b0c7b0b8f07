// Which of the changes that were written down belong to a fault, and which to no fault at all.
#include "experiments/failover/health_story.hpp"

#include <gtest/gtest.h>

#include <array>

namespace holdfast::failover {
namespace {

Time at_ms(std::int64_t ms) {
  return Time{} + milliseconds(ms);
}

HealthChange off(std::int64_t ms, std::uint8_t rail = 0) {
  return {at_ms(ms), rail, false};
}

HealthChange on(std::int64_t ms, std::uint8_t rail = 0) {
  return {at_ms(ms), rail, true};
}

const Fault kFault{0, at_ms(100), at_ms(300), at_ms(400)};

TEST(HealthStory, AllCarryIfEachRailsLastChangeSaysSo) {
  EXPECT_TRUE(carries_all({}));
  EXPECT_FALSE(carries_all(std::array{off(1)}));
  EXPECT_FALSE(carries_all(std::array{off(1), off(2, 1), on(3)}));
  EXPECT_TRUE(carries_all(std::array{off(1), off(2, 1), on(3), on(4, 1)}));
}

TEST(HealthStory, HasTheFirstEndThatNoticesAndTheLastThatIsBack) {
  HealthStory story;
  add_changes(std::array{off(115), on(350)}, kFault, story);
  add_changes(std::array{off(108), on(330)}, kFault, story);
  EXPECT_EQ(story.noticed_after, milliseconds(8));
  EXPECT_EQ(story.back_after, milliseconds(50));
  EXPECT_EQ(story.left_well, 0u);
}

TEST(HealthStory, WhatOneEndLeavesAgainWhileTheOtherIsNotBackBelongsToTheFault) {
  HealthStory story;
  add_changes(std::array{off(115), on(340), off(350), on(380)}, kFault, story);
  add_changes(std::array{off(115), on(390)}, kFault, story);
  EXPECT_EQ(story.back_after, milliseconds(90));
  EXPECT_EQ(story.left_well, 0u);
}

TEST(HealthStory, RailsThatAreLeftWithoutAFaultAreCountedAndAreNoPartOfIt) {
  HealthStory story;
  add_changes(std::array{off(20, 1), on(70, 1), off(115), on(350), off(500), on(560)}, kFault,
              story);
  add_changes(std::array{off(90)}, kFault, story);
  EXPECT_EQ(story.noticed_after, milliseconds(15));
  EXPECT_EQ(story.back_after, milliseconds(50));
  EXPECT_EQ(story.left_well, 3u);
}

TEST(HealthStory, NothingIsBackIfNotAllCameBack) {
  HealthStory story;
  add_changes(std::array{off(115), on(350)}, {0, at_ms(100), at_ms(300), {}}, story);
  add_changes(std::array{off(116)}, {0, at_ms(100), at_ms(300), {}}, story);
  EXPECT_EQ(story.noticed_after, milliseconds(15));
  EXPECT_EQ(story.back_after, std::nullopt);
  EXPECT_EQ(story.left_well, 0u);
}

TEST(HealthStory, TheOtherRailIsWellAllTheTime) {
  HealthStory story;
  add_changes(std::array{off(102, 1), off(115), on(130, 1), on(350)}, kFault, story);
  EXPECT_EQ(story.noticed_after, milliseconds(15));
  EXPECT_EQ(story.back_after, milliseconds(50));
  EXPECT_EQ(story.left_well, 1u);
}

TEST(HealthStory, WithoutAFaultAllRailsAreWell) {
  HealthStory story;
  add_changes(std::array{off(102), on(130), off(140, 1)}, {{}, at_ms(200), at_ms(200), {}}, story);
  EXPECT_EQ(story.noticed_after, std::nullopt);
  EXPECT_EQ(story.left_well, 2u);
}

// It may have been back before anybody said that it was mended: tools take time to end.
TEST(HealthStory, NobodyIsBackBeforeTheRailIsMended) {
  HealthStory story;
  add_changes(std::array{off(115), on(298)}, kFault, story);
  EXPECT_EQ(story.back_after, Duration{});
}

}  // namespace
}  // namespace holdfast::failover
