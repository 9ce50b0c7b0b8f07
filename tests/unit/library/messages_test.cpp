// Messages between real processes through the public interface, over each fabric that has them:
// each byte is compared with what its sender must have sent, and what cannot arrive says why.
#include <gtest/gtest.h>

#include "hw/launch/verbs_rail.hpp"
#include "tests/unit/library/launched_job.hpp"

namespace holdfast::hw {
namespace {

class Messages : public ::testing::TestWithParam<JobFabric> {
 protected:
  static std::vector<int> exit_statuses(const char* role, std::uint32_t processes,
                                        std::uint32_t per_node) {
    ProgramPlan plan = plan_of(role, processes, per_node);
    plan.fabric = GetParam();
    const Done done = run(plan);
    EXPECT_TRUE(done.status.is_ok()) << done.status.message();
    return done.exit_statuses;
  }
};

TEST_P(Messages, OfAllSizesGoRoundARing) {
  EXPECT_EQ(exit_statuses("ring", 4, 4), std::vector<int>(4, 0));
}

TEST_P(Messages, GoFromEachToEach) {
  EXPECT_EQ(exit_statuses("all_to_all", 4, 2), std::vector<int>(4, 0));
}

TEST_P(Messages, AreMetInTheirOrder) {
  EXPECT_EQ(exit_statuses("matching", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, WaitWithinLimits) {
  EXPECT_EQ(exit_statuses("limits", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, OfSegmentsArriveInSegments) {
  EXPECT_EQ(exit_statuses("segments", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, OfSegmentsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(exit_statuses("wrong_segments", 1, 1), std::vector<int>(1, 0));
}

TEST_P(Messages, OfAJobThatWasLeftAreOver) {
  EXPECT_EQ(exit_statuses("outliving_requests", 1, 1), std::vector<int>(1, 0));
}

TEST_P(Messages, ThatNobodyWaitsForAreLimited) {
  EXPECT_EQ(exit_statuses("many_requests", 1, 1), std::vector<int>(1, 0));
}

TEST_P(Messages, WithTheDeadEndAsFailed) {
  EXPECT_EQ(exit_statuses("dead_peer", 4, 4), (std::vector<int>{0, 137, 0, 0}));
}

TEST_P(Messages, WithTheDeadOfAnotherMachineEndAsFailed) {
  EXPECT_EQ(exit_statuses("dead_peer", 4, 1), (std::vector<int>{0, 137, 0, 0}));
}

TEST_P(Messages, ToWhomIsKilledWhileItReceivesEndAsFailed) {
  EXPECT_EQ(exit_statuses("dying_receiver", 3, 3), (std::vector<int>{0, 137, 0}));
}

TEST_P(Messages, AreAcknowledgedBeforeTheirReceiverComputes) {
  EXPECT_EQ(exit_statuses("compute", 6, 6), std::vector<int>(6, 0));
}

TEST_P(Messages, ThatAreNotAnsweredAreAcknowledgedAllTheSame) {
  EXPECT_EQ(exit_statuses("answer", 2, 2), std::vector<int>(2, 0));
}

TEST_P(Messages, WithWhoHasLeftEndAsFailed) {
  EXPECT_EQ(exit_statuses("left_peer", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, OfWhoHasLeftBeforeTheFirstCallAreReceived) {
  if (GetParam() == JobFabric::verbs) GTEST_SKIP() << "adapters take nothing before there is room";
  EXPECT_EQ(exit_statuses("early_leaver", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, AreNotThoseOfAForkedChild) {
  EXPECT_EQ(exit_statuses("forked_child", 2, 2), std::vector<int>(2, 0));
}

TEST_P(Messages, ThatNobodyWaitsForDoNotKeepWhoLeaves) {
  EXPECT_EQ(exit_statuses("leave_sending", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, OfALifeThatWasGivenUpEndAndTheNextOneHasItsOwn) {
  EXPECT_EQ(exit_statuses("new_life", 3, 1), std::vector<int>(3, 0));
}

TEST_P(Messages, ThatHadEndedByTheLastTurnOfALifeEndSo) {
  EXPECT_EQ(exit_statuses("last_turn", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, AsManyAsEndInTheLastTurnOfALifeAreToldAndGiveTheirPlacesBack) {
  EXPECT_EQ(exit_statuses("many_in_last_turn", 3, 1), std::vector<int>(3, 0));
}

TEST_P(Messages, OfALifeThatCannotBeginBeginWithAnotherCall) {
  EXPECT_EQ(exit_statuses("no_descriptors", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, AreGivenUpAfterTheTimeThatTheEnvironmentSays) {
  EXPECT_EQ(exit_statuses("unreachable", 2, 1), std::vector<int>(2, 0));
}

TEST_P(Messages, AreSentAndReceivedByManyThreadsAtOnce) {
  EXPECT_EQ(exit_statuses("threads", 3, 3), std::vector<int>(3, 0));
}

// Verbs join where there are adapters: see tests/vm.
std::vector<JobFabric> fabrics() {
  std::vector<JobFabric> found{JobFabric::udp, JobFabric::tcp, JobFabric::shm};
  std::vector<VerbsPort> ports;
  if (find_verbs_ports(ports).is_ok()) found.push_back(JobFabric::verbs);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Messages, ::testing::ValuesIn(fabrics()), [](const auto& fabric) {
  switch (fabric.param) {
    case JobFabric::tcp:
      return "Tcp";
    case JobFabric::shm:
      return "Shm";
    case JobFabric::verbs:
      return "Verbs";
    default:
      return "Udp";
  }
});

}  // namespace
}  // namespace holdfast::hw
