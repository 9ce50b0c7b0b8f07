// Which beliefs were mistakes, and since when they are held.
#include "hw/status/belief_history.hpp"

#include <gtest/gtest.h>

namespace holdfast::hw {
namespace {

constexpr ProcessId kSelf{0};

BeliefChange change(std::uint32_t process, std::uint32_t incarnation, MemberState state,
                    bool own = false) {
  return {{process}, {{incarnation}, state}, own};
}

class History : public ::testing::Test {
 protected:
  void note(std::int64_t at, const BeliefChange& what) { history.note(Time{at}, {&what, 1}); }
  BeliefHistory history{kSelf, 4};
};

TEST_F(History, AVerdictThatIsRefutedWasAMistakeOfWhoMadeIt) {
  note(1, change(1, 0, MemberState::failed, true));
  note(2, change(2, 0, MemberState::failed));
  EXPECT_EQ(history.verdicts(), (VerdictCounts{1, 0, 1, 0, 0}));
  note(3, change(1, 1, MemberState::alive));
  note(4, change(2, 1, MemberState::alive));
  EXPECT_EQ(history.verdicts(), (VerdictCounts{1, 1, 1, 1, 0}));
}

TEST_F(History, WhoIsStartedAnewWasDead) {
  note(1, change(1, 0, MemberState::failed, true));
  note(2, change(1, 65536, MemberState::alive));
  EXPECT_EQ(history.verdicts(), (VerdictCounts{1, 0, 0, 0, 0}));
}

TEST_F(History, ASuspicionIsNoVerdictAndPassesWithoutOne) {
  note(1, change(1, 0, MemberState::suspected));
  EXPECT_TRUE(history.suspected({1}));
  note(2, change(1, 0, MemberState::alive));
  EXPECT_FALSE(history.suspected({1}));
  EXPECT_EQ(history.verdicts(), VerdictCounts{});
}

TEST_F(History, OurOwnRefutationsAreThoseOfThisBoot) {
  note(1, change(0, 65536, MemberState::joining));
  note(2, change(0, 65537, MemberState::alive));
  note(3, change(0, 65538, MemberState::alive));
  EXPECT_EQ(history.verdicts(), (VerdictCounts{0, 0, 0, 0, 2}));
}

TEST_F(History, KeepsTheLastMomentsInOrder) {
  EXPECT_EQ(history.since({3}), std::nullopt);
  constexpr auto kMost = static_cast<std::int64_t>(BeliefHistory::kMomentsMax);
  for (std::int64_t at = 0; at < kMost + 5; ++at) note(at, change(3, 0, MemberState::failed));
  std::vector<BeliefMoment> moments;
  history.copy_moments(moments);
  ASSERT_EQ(moments.size(), BeliefHistory::kMomentsMax);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    EXPECT_EQ(moments[i].at.ns, static_cast<std::int64_t>(i) + 5);
  }
  EXPECT_EQ(history.since({3}), Time{kMost + 4});
}

}  // namespace
}  // namespace holdfast::hw
