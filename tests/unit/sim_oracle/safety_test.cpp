// The oracle of safety must object to everything that it is there for, and to nothing else.
#include "sim/oracle/safety.hpp"

#include <gtest/gtest.h>

namespace holdfast::sim {
namespace {

constexpr Incarnation kFirstBoot = first_incarnation_of_boot(1);

class Oracle {
 public:
  explicit Oracle(bool accurate = true) : safety_({accurate}, 4) {}

  Oracle& believes(std::uint32_t observer, std::uint32_t process, Incarnation incarnation,
                   MemberState state) {
    const Membership::Change change{{process}, {incarnation, state}};
    safety_.believed(Time{}, {observer}, {&change, 1});
    return *this;
  }
  Oracle& crash(std::uint32_t process) {
    const ProcessId id{process};
    safety_.crashed(Time{}, 0, {&id, 1});
    return *this;
  }
  Oracle& repair(std::uint32_t process, Incarnation boot) {
    const ProcessId id{process};
    safety_.repaired(Time{}, 0, {&id, 1}, boot);
    return *this;
  }
  bool objects() const { return !safety_.violation().empty(); }
  const Safety& safety() const { return safety_; }

 private:
  Safety safety_;
};

TEST(Safety, WhatIsTrueIsFine) {
  Oracle oracle;
  oracle.crash(2).believes(0, 2, {0}, MemberState::failed);
  oracle.repair(2, kFirstBoot).believes(2, 2, kFirstBoot, MemberState::joining);
  oracle.believes(0, 2, kFirstBoot, MemberState::alive);
  // Of its earlier life it may still be said that it is over.
  oracle.believes(1, 2, {0}, MemberState::failed);
  EXPECT_FALSE(oracle.objects()) << oracle.safety().violation();
  EXPECT_EQ(oracle.safety().beliefs(), 4u);
  EXPECT_EQ(oracle.safety().false_verdicts(), 0u);
}

TEST(Safety, NoViewGoesBack) {
  Oracle oracle;
  oracle.crash(2).believes(0, 2, {0}, MemberState::failed);
  EXPECT_TRUE(oracle.believes(0, 2, {0}, MemberState::suspected).objects());
  Oracle repeated;
  repeated.crash(2).believes(0, 2, {0}, MemberState::failed);
  EXPECT_TRUE(repeated.believes(0, 2, {0}, MemberState::failed).objects());
}

TEST(Safety, SuspicionsLeaveTheViewAsItIsAndAreTakenBackOnce) {
  Oracle oracle;
  oracle.believes(0, 2, {0}, MemberState::suspected).believes(0, 2, {0}, MemberState::alive);
  oracle.believes(0, 2, {0}, MemberState::suspected);
  oracle.crash(2).believes(0, 2, {0}, MemberState::failed);
  EXPECT_FALSE(oracle.objects()) << oracle.safety().violation();
  EXPECT_EQ(oracle.safety().beliefs(), 1u);
  Oracle twice;
  EXPECT_FALSE(twice.believes(0, 2, {0}, MemberState::suspected).objects());
  EXPECT_TRUE(twice.believes(0, 2, {0}, MemberState::suspected).objects());
  EXPECT_TRUE(Oracle().believes(0, 2, {0}, MemberState::alive).objects());
  EXPECT_TRUE(Oracle().believes(0, 2, {1}, MemberState::suspected).objects());
  EXPECT_TRUE(Oracle().believes(0, 0, {0}, MemberState::suspected).objects());
}

TEST(Safety, NewLifeOfAnObserverStartsFromNothing) {
  Oracle oracle;
  oracle.crash(2).believes(0, 2, {0}, MemberState::failed);
  oracle.crash(0).repair(0, kFirstBoot).believes(0, 2, {0}, MemberState::failed);
  EXPECT_FALSE(oracle.objects()) << oracle.safety().violation();
}

TEST(Safety, NobodyBelievesInALifeThatNeverWas) {
  EXPECT_TRUE(Oracle().believes(0, 2, {1}, MemberState::alive).objects());
  Oracle refuted;
  refuted.believes(2, 2, {1}, MemberState::alive).believes(0, 2, {1}, MemberState::alive);
  EXPECT_FALSE(refuted.objects());
  EXPECT_TRUE(refuted.believes(0, 2, {2}, MemberState::failed).objects());
}

TEST(Safety, FalseVerdictsAreObjectedToUnlessExcused) {
  for (const bool accurate : {true, false}) {
    Oracle oracle(accurate);
    oracle.believes(0, 2, {0}, MemberState::failed);
    EXPECT_EQ(oracle.objects(), accurate);
    EXPECT_EQ(oracle.safety().false_verdicts(), 1u);
  }
}

// Across a cut whoever is judged is unreachable, also for those who only repeat it. In his next
// incarnation a verdict of somebody whom he reaches is false, but what is left of the cut excuses
// it; without a cut nothing does.
TEST(Safety, VerdictsAcrossACutAreNotFalse) {
  const auto kept_apart = [](ProcessId observer, ProcessId) { return observer.value == 0; };
  Safety safety({true, kept_apart}, 4);
  const auto believes = [&](std::uint32_t observer, Incarnation incarnation) {
    const Membership::Change change{{2}, {incarnation, MemberState::failed}};
    safety.believed(Time{}, {observer}, {&change, 1});
  };
  const auto refutes = [&](Incarnation incarnation) {
    const Membership::Change change{{2}, {incarnation, MemberState::alive}};
    safety.believed(Time{}, {2}, {&change, 1});
  };
  believes(0, {0});
  believes(1, {0});
  EXPECT_EQ(safety.violation(), "");
  EXPECT_EQ(safety.unreachable_verdicts(), 1u);
  EXPECT_EQ(safety.false_verdicts(), 0u);
  refutes({1});
  believes(1, {1});
  EXPECT_EQ(safety.violation(), "");
  EXPECT_EQ(safety.false_verdicts(), 1u);
  Safety whole({true, kept_apart}, 4);
  const Membership::Change change{{2}, {{0}, MemberState::failed}};
  whole.believed(Time{}, {1}, {&change, 1});
  EXPECT_NE(whole.violation(), "");
}

// A verdict across a cut on the life before is true, but leaves the same behind: what follows is
// excused. One on a life that is over anyway, or that no cut explains, excuses nothing.
TEST(Safety, AVerdictAcrossACutOnTheLifeBeforeExcusesToo) {
  const auto kept_apart = [](ProcessId observer, ProcessId) { return observer.value == 0; };
  for (const std::uint32_t first : {0u, 1u}) {
    for (const bool comes_back : {true, false}) {
      Safety safety({true, kept_apart}, 4);
      const ProcessId two{2};
      safety.crashed(Time{}, 0, {&two, 1});
      if (comes_back) safety.repaired(Time{}, 0, {&two, 1}, kFirstBoot);
      const Membership::Change before{{2}, {{0}, MemberState::failed}};
      safety.believed(Time{}, {first}, {&before, 1});
      EXPECT_EQ(safety.violation(), "");
      EXPECT_EQ(safety.unreachable_verdicts(), 0u);
      const Membership::Change other{{3}, {{0}, MemberState::failed}};
      safety.believed(Time{}, {1}, {&other, 1});
      EXPECT_EQ(safety.violation().empty(), first == 0 && comes_back);
    }
  }
}

TEST(Safety, NobodyHoldsItselfForDead) {
  EXPECT_TRUE(Oracle(false).believes(2, 2, {0}, MemberState::failed).objects());
}

TEST(Safety, NobodyTakesTheIncarnationOfAnotherBoot) {
  EXPECT_TRUE(Oracle().believes(2, 2, kFirstBoot, MemberState::alive).objects());
  Oracle oracle;
  EXPECT_TRUE(oracle.crash(2).repair(2, {0}).objects());
}

TEST(Safety, CommittedTakesAnAgreement) {
  Oracle oracle;
  EXPECT_TRUE(oracle.crash(2).believes(0, 2, {0}, MemberState::committed).objects());
}

}  // namespace
}  // namespace holdfast::sim
