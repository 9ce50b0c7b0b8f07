// One picture out of several views: who disagrees with whom, and what it comes to.
#include "hw/status/job_status.hpp"

#include <gtest/gtest.h>

namespace holdfast::hw {
namespace {

Answer answer(std::uint32_t process, std::vector<Belief> beliefs) {
  Answer answer;
  answer.place.process = {process};
  answer.kind = Answer::Kind::shown;
  answer.status.self = {process};
  answer.status.processes = 3;
  answer.status.nodes = 3;
  answer.status.beliefs = std::move(beliefs);
  return answer;
}

const Belief kDead{{2}, {{0}, MemberState::failed}, Time{5}};

TEST(JobStatus, IsWellWhenAllAliveAgreeAndAnswer) {
  EXPECT_TRUE(job_status(1, {answer(0, {}), answer(1, {}), answer(2, {})}).well());
  // Processes of other machines need not answer here.
  EXPECT_TRUE(job_status(1, {answer(0, {})}).well());
  const Belief left{{2}, {{0}, MemberState::left}, Time{5}};
  EXPECT_TRUE(job_status(1, {answer(0, {left}), answer(1, {left})}).well());
  const Belief restarted{{2}, {{65536}, MemberState::alive}, Time{5}};
  EXPECT_TRUE(job_status(1, {answer(0, {restarted}), answer(1, {restarted})}).well());
  EXPECT_FALSE(job_status(1, {}).well());
}

TEST(JobStatus, AFailureIsNotWellThoughAllAgree) {
  const JobStatus job = job_status(1, {answer(0, {kDead}), answer(1, {kDead})});
  EXPECT_FALSE(job.well());
  EXPECT_FALSE(job.members[2].disputed());
  EXPECT_EQ(job.members[2].record().state, MemberState::failed);
  EXPECT_EQ(job.members[2].since, Time{5});
}

TEST(JobStatus, SaysWhoBelievesWhat) {
  const Belief refuted{{2}, {{1}, MemberState::alive}, Time{9}};
  const JobStatus job = job_status(1, {answer(0, {kDead}), answer(1, {}), answer(2, {refuted})});
  EXPECT_FALSE(job.well());
  const MemberStatus& member = job.members[2];
  ASSERT_EQ(member.opinions.size(), 3u);
  EXPECT_EQ(member.record(), refuted.record);  // the greatest, which all will come to believe
  EXPECT_EQ(member.opinions[1].record, kDead.record);
  EXPECT_EQ(member.opinions[1].by, std::vector<ProcessId>{{0}});
  EXPECT_EQ(member.opinions[2].by, std::vector<ProcessId>{{1}});
  EXPECT_FALSE(job.members[0].disputed());
}

TEST(JobStatus, WhoDoesNotAnswerIsNotWell) {
  Answer silent = answer(1, {});
  for (const Answer::Kind kind : {Answer::Kind::silent, Answer::Kind::odd}) {
    silent.kind = kind;
    const JobStatus job = job_status(1, {answer(0, {}), silent});
    EXPECT_FALSE(job.well());
    EXPECT_EQ(job.silent, std::vector<ProcessId>{{1}});
    EXPECT_EQ(job.view_of({1}), nullptr);
  }
}

TEST(JobStatus, NodesFollowFromThePlacement) {
  Answer one = answer(0, {});
  one.status.processes = 4;
  one.status.nodes = one.status.per_node = 2;
  EXPECT_EQ(job_status(1, {one}).members[1].node.value, 0u);
  EXPECT_EQ(job_status(1, {one}).members[2].node.value, 1u);
  one.status.by_node = true;
  EXPECT_EQ(job_status(1, {one}).members[1].node.value, 1u);
  EXPECT_EQ(job_status(1, {one}).members[2].node.value, 0u);
}

TEST(Rates, AreThoseBetweenTwoLooksAtOneLife) {
  ProcessStatus before;
  before.started = Time{} + seconds(10);
  before.taken = Time{} + seconds(20);
  before.turns = 1000;
  ProcessStatus after = before;
  after.taken = Time{} + seconds(22);
  after.turns = 1100;
  EXPECT_DOUBLE_EQ(rates(&before, after).turns_per_s, 50);
  EXPECT_EQ(rates(&before, after).over, seconds(2));
  EXPECT_DOUBLE_EQ(rates(nullptr, after).turns_per_s, 1100.0 / 12);
  before.pid = 7;  // an earlier life
  EXPECT_DOUBLE_EQ(rates(&before, after).turns_per_s, 1100.0 / 12);
}

}  // namespace
}  // namespace holdfast::hw
