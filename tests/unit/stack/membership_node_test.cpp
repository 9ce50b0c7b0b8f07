// Coming and going: joining a running job, and the processes of a node with their agent.
#include <gtest/gtest.h>

#include "tests/unit/stack/membership_subject.hpp"

namespace holdfast {
namespace {

using Subject = MembershipSubject;

TEST(Membership, JoiningAsksTheOwnNodeFirstThenAlongTheRing) {
  Subject subject({.nodes = 4, .per_node = 3}, options_of(4, true));  // node 1 is 3, 4, 5
  subject.start(at(0));
  EXPECT_TRUE(subject.membership().joining());
  EXPECT_EQ(subject.of(4), (Record{first_incarnation_of_boot(1), MemberState::joining}));
  std::vector<std::uint32_t> asked;
  for (std::int64_t ms = 0; ms < 300; ms += 50) {
    for (const Sent& frame : subject.poll(at(ms))) {
      EXPECT_EQ(frame.type, FrameType::join);
      EXPECT_TRUE(frame.answer_wanted && frame.sender_joining);
      asked.push_back(frame.to);
    }
  }
  // After the two of its node the speakers of nodes 2, 3 and 0; then its own node's again.
  asked.resize(5);
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{3, 5, 6, 9, 0}));
  EXPECT_EQ(subject.watched.size(), 2u);
}

// Not when another one says so, who has not been asked yet: what that one is would be announced
// later.
TEST(Membership, JoiningGoesOnAtOnceWhenWhoWasAskedIsJoiningToo) {
  Subject subject({.nodes = 4, .per_node = 3}, options_of(4, true));
  subject.start(at(0));
  EXPECT_EQ(receivers(subject.poll(at(0), FrameType::join)), std::vector<std::uint32_t>{3});
  subject.hear(at(1), FrameType::difference, 5, {}, false, true);
  EXPECT_TRUE(subject.poll(at(1), FrameType::join).empty());
  subject.hear(at(2), FrameType::difference, 3, {}, false, true);
  EXPECT_EQ(receivers(subject.poll(at(2), FrameType::join)), std::vector<std::uint32_t>{5});
}

TEST(Membership, JoiningEndsWithTheWordOfOneWhoIsNotJoining) {
  Subject subject({.nodes = 4}, options_of(1, true));
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::difference, 2, {run_of(0, failed(0))}, false, true);
  EXPECT_TRUE(subject.membership().joining());
  EXPECT_FALSE(subject.membership().agent());
  EXPECT_TRUE(subject.poll(at(1), FrameType::heartbeat).empty());
  EXPECT_EQ(subject.of(0), failed(0));  // what it says is news all the same
  subject.hear(at(2), FrameType::difference, 3);
  EXPECT_FALSE(subject.membership().joining());
  EXPECT_FALSE(subject.membership().unanswered());
  EXPECT_TRUE(subject.membership().agent());
  EXPECT_EQ(subject.of(1), alive(65536));
  EXPECT_EQ(receivers(subject.poll(at(2), FrameType::heartbeat)), std::vector<std::uint32_t>{2});
}

// What it is told on joining is news to nobody else.
TEST(Membership, JoiningEndsWithTheLastFrameOfADifferenceAndSpreadsNothing) {
  Subject subject({.nodes = 8}, options_of(1, true));
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear_first_part(at(1), 3, {run_of(5, failed(0))});
  EXPECT_TRUE(subject.membership().joining());
  subject.hear(at(1), FrameType::difference, 3, {run_of(6, failed(0))});
  EXPECT_FALSE(subject.membership().joining());
  EXPECT_EQ(subject.of(5), failed(0));
  EXPECT_EQ(subject.of(6), failed(0));
  EXPECT_TRUE(subject.poll(at(1), FrameType::notice).empty());
}

TEST(Membership, JoiningAloneEndsAfterATimeout) {
  Subject subject({.nodes = 4}, options_of(1, true));
  subject.start(at(0));
  for (std::int64_t ms = 0; ms < 1000; ms += 50) subject.poll(at(ms));
  subject.poll(at(1000) - nanoseconds(1));
  EXPECT_TRUE(subject.membership().joining());
  subject.poll(at(1000));
  EXPECT_FALSE(subject.membership().joining());
  EXPECT_TRUE(subject.membership().agent());
  EXPECT_TRUE(subject.membership().unanswered());
}

TEST(Membership, JoinIsAlwaysAnswered) {
  Subject subject = plain(8, 1);
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::join, 5, {}, true, true);  // with our own digest
  EXPECT_EQ(receivers(subject.poll(at(1), FrameType::difference)), std::vector<std::uint32_t>{5});
}

// Two nodes of three: the agent is the lowest that runs, the others watch it.
RosterOptions two_nodes() {
  return {.nodes = 2, .per_node = 3};
}

TEST(Membership, NextProcessTakesOverFromADeadAgent) {
  Subject subject(two_nodes(), options_of(1));
  subject.start(at(0));
  EXPECT_FALSE(subject.membership().agent());
  EXPECT_TRUE(subject.poll(at(0)).empty());
  std::sort(subject.watched.begin(), subject.watched.end());
  EXPECT_EQ(subject.watched, (std::vector<std::uint32_t>{0, 2}));
  subject.membership().process_ended(at(5), {0});
  EXPECT_TRUE(subject.membership().agent());
  EXPECT_EQ(subject.of(0), failed(0));
  EXPECT_EQ(subject.of(2), alive(0));
  const auto sent = subject.poll(at(5));
  const auto count = [&](FrameType type, std::uint32_t to) {
    return std::count_if(sent.begin(), sent.end(),
                         [&](const Sent& frame) { return frame.type == type && frame.to == to; });
  };
  EXPECT_EQ(count(FrameType::heartbeat, 3), 1);
  EXPECT_EQ(count(FrameType::observe, 3), 1);
  EXPECT_EQ(count(FrameType::notice, 3), 1);
  EXPECT_EQ(count(FrameType::difference, 2), 1);
  EXPECT_EQ(count(FrameType::notice, 0) + count(FrameType::difference, 0), 0);
}

TEST(Membership, OthersLeaveTheirNodesDeathsToTheAgent) {
  Subject subject(two_nodes(), options_of(2));
  subject.start(at(0));
  subject.poll(at(0));
  subject.membership().process_ended(at(5), {0});
  EXPECT_EQ(subject.of(0), failed(0));
  EXPECT_FALSE(subject.membership().agent());  // that is process 1 now
  EXPECT_TRUE(subject.poll(at(5)).empty());
  // But what comes to it from elsewhere it passes on to the agent.
  subject.hear(at(6), FrameType::difference, 3, {run_of(4, failed(0))});
  EXPECT_EQ(receivers(subject.poll(at(6), FrameType::notice)), std::vector<std::uint32_t>{1});
}

// Process 1 speaks for its node, and process 0 of it comes back: until it is active there must be
// somebody who speaks. A heartbeat, a request or a difference shows that it is; what anybody may
// send shows nothing.
TEST(Membership, StepsDownWhenALowerProcessIsActiveAgain) {
  for (const FrameType word : {FrameType::heartbeat, FrameType::observe, FrameType::difference,
                               FrameType::notice, FrameType::acknowledgement}) {
    Subject subject(two_nodes(), options_of(1));
    subject.start(at(0));
    subject.membership().process_ended(at(5), {0});
    subject.poll(at(5));
    subject.watched.clear();
    subject.hear(at(40), FrameType::heartbeat, 3);
    subject.hear_life(at(50), FrameType::join, 0, 65536, true);
    EXPECT_TRUE(subject.membership().agent());
    // Others will send to process 0 from now on, so this one asks for what is meant for it.
    std::vector<Sent> requests;
    for (const Sent& frame : subject.poll(at(50))) {
      if (frame.type == FrameType::observe) requests.push_back(frame);
      if (frame.type == FrameType::notice) subject.acknowledge(at(51), frame);
    }
    EXPECT_EQ(receivers(requests), std::vector<std::uint32_t>{3});
    EXPECT_EQ(subject.watched, std::vector<std::uint32_t>{0});
    EXPECT_FALSE(subject.membership().steady());
    // The news of that life stands for the next heartbeat (4.1).
    EXPECT_TRUE(subject.poll(at(150), FrameType::heartbeat).empty());
    EXPECT_EQ(receivers(subject.poll(at(250), FrameType::heartbeat)),
              std::vector<std::uint32_t>{3});
    subject.hear_life(at(260), word, 0, 65536);
    const bool tells = word <= FrameType::observe || word == FrameType::difference;
    EXPECT_EQ(subject.membership().agent(), !tells);
    // Of two in a row one leaves in any case.
    const bool first = subject.poll(at(350), FrameType::heartbeat).empty();
    EXPECT_EQ(first && subject.poll(at(450), FrameType::heartbeat).empty(), tells);
    subject.membership().process_ended(at(600), {0});
    EXPECT_EQ(subject.of(0), failed(65536));
    EXPECT_TRUE(subject.membership().agent());
  }
}

// The next life may be heard of before the end of the last one.
TEST(Membership, ANextLifeOfTheAgentHasToBecomeActiveToo) {
  Subject subject(two_nodes(), options_of(1));
  subject.start(at(0));
  EXPECT_FALSE(subject.membership().agent());
  subject.hear_life(at(50), FrameType::notice, 0, 65536);
  EXPECT_TRUE(subject.membership().agent());
  subject.hear_life(at(60), FrameType::heartbeat, 0, 65536);
  EXPECT_FALSE(subject.membership().agent());
  // Its refutations are the same life.
  subject.hear_life(at(70), FrameType::acknowledgement, 0, 65537);
  EXPECT_FALSE(subject.membership().agent());
}

// What process 2 learns it tells whoever speaks for the node, and that is process 1 for a while.
TEST(Membership, NewsGoesToTheAgentThatIsActive) {
  Subject subject(two_nodes(), options_of(2));
  subject.start(at(0));
  subject.membership().process_ended(at(5), {0});
  subject.hear_life(at(50), FrameType::join, 0, 65536, true);
  subject.poll(at(50));
  subject.hear(at(60), FrameType::difference, 3, {run_of(4, failed(0))});
  EXPECT_EQ(receivers(subject.poll(at(60), FrameType::notice)), std::vector<std::uint32_t>{1});
  subject.hear_life(at(70), FrameType::difference, 0, 65536);
  subject.hear(at(80), FrameType::difference, 3, {run_of(5, failed(0))});
  const auto told = receivers(subject.poll(at(80), FrameType::notice));
  EXPECT_EQ(std::count(told.begin(), told.end(), 0u), 1);
}

// Nobody else would say so of a process that is not the agent.
TEST(Membership, WhoBecomesActiveTellsItsNode) {
  for (const std::uint32_t self : {0u, 2u}) {
    MembershipOptions options = options_of(self);
    options.rejoining = true;
    Subject subject(two_nodes(), options);
    subject.start(at(0));
    subject.poll(at(0));
    subject.hear(at(10), FrameType::difference, 4);
    EXPECT_FALSE(subject.membership().joining());
    EXPECT_EQ(subject.membership().agent(), self == 0);
    std::vector<Sent> told = subject.poll(at(10), FrameType::difference);
    EXPECT_EQ(receivers(told),
              self == 0 ? (std::vector<std::uint32_t>{1, 2}) : (std::vector<std::uint32_t>{0, 1}));
    for (const Sent& frame : told) EXPECT_FALSE(frame.sender_joining);
  }
}

TEST(Membership, AgentPassesNewsOnToItsNodeButNotBack) {
  Subject subject(two_nodes(), options_of(0));
  subject.start(at(0));
  subject.poll(at(0));
  subject.hear(at(1), FrameType::notice, 2, {run_of(4, failed(0))});
  EXPECT_EQ(receivers(subject.poll(at(1), FrameType::notice)), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(subject.membership().counts().notices, 1u);
  EXPECT_EQ(subject.membership().counts().local_notices, 1u);
}

TEST(Membership, VerdictOnANodeFailsAllOfIt) {
  Subject subject(two_nodes(), options_of(0));
  subject.start(at(0));
  for (std::int64_t ms = 0; ms <= 2000; ms += 100) subject.poll(at(ms));
  for (const std::uint32_t process : {3u, 4u, 5u}) EXPECT_EQ(subject.of(process), failed(0));
  for (const std::uint32_t process : {0u, 1u, 2u}) EXPECT_EQ(subject.of(process), alive(0));
}

TEST(Membership, ObserveReachesTheAgentOnly) {
  for (const std::uint32_t self : {0u, 1u}) {
    Subject subject(two_nodes(), options_of(self));
    subject.start(at(0));
    subject.poll(at(0));
    subject.hear(at(10), FrameType::observe, 4);
    // Process 3 speaks for that node as far as the view goes.
    EXPECT_EQ(receivers(subject.poll(at(10), FrameType::heartbeat)),
              self == 0 ? (std::vector<std::uint32_t>{3, 4}) : std::vector<std::uint32_t>{});
  }
}

}  // namespace
}  // namespace holdfast
