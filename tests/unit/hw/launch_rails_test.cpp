// Real processes with two rails each (PROTOCOL.md, section 12), on hosts that are network
// namespaces and on this machine's loopback. Skipped where namespaces are not allowed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stack/outer_fabric.hpp"
#include "tests/unit/hw/launched_program.hpp"

namespace holdfast::hw {
namespace {

LaunchTarget rail_of(std::uint32_t host, std::uint32_t rail, RailFault fault) {
  return {host, LaunchTarget::Kind::rail, fault, rail};
}

// What became of the port of a rail, as its engine heard it.
class PortListener final : public OuterFabric {
 public:
  using OuterFabric::OuterFabric;
  std::size_t poll(std::span<Event> events) override {
    const std::size_t count = inner_.poll(events);
    for (const Event& event : events.first(count))
      if (event.kind == EventKind::port_down || event.kind == EventKind::port_up)
        heard_.push_back(event);
    return count;
  }
  const std::vector<Event>& heard() const { return heard_; }

 private:
  std::vector<Event> heard_;
};

// The news of the ports of one process, by rail, with the program that was replayed.
class HeardPorts {
 public:
  Status make(const NodeStart& start, std::unique_ptr<NodeProgram>& program) {
    for (Fabric* const rail : start.rails) {
      listeners_.push_back(std::make_unique<PortListener>(*rail));
      rails_.push_back(listeners_.back().get());
    }
    return make_program({start.configuration, start.self, start.processes, start.boot, start.seed,
                         start.job, start.key, rails_, start.addresses},
                        program);
  }
  const std::vector<Event>& of(std::size_t rail) const { return listeners_[rail]->heard(); }

 private:
  std::vector<std::unique_ptr<PortListener>> listeners_;
  std::vector<Fabric*> rails_;
};

class LaunchRailsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "launch_rails_test." + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // `looks` is called with what each process heard of its ports.
  template <class Looks>
  void expect_replays(const LaunchResult& result, const Looks& looks) {
    for (const ProcessLife& life : result.lives) {
      NodeReplay replay;
      HeardPorts ports;
      const Status status = replay_node(
          folder_ + "/process-" + std::to_string(life.process.value) + ".boot-0.recording",
          [&](const NodeStart& start, std::unique_ptr<NodeProgram>& program) {
            return ports.make(start, program);
          },
          replay);
      ASSERT_TRUE(status.is_ok()) << status.message();
      EXPECT_FALSE(replay.difference) << replay.difference->message;
      SCOPED_TRACE(life.process.value);
      looks(life.process, ports);
    }
  }

  std::string folder_;
};

bool anyone_judged(const ProcessLife& life, Time before) {
  return std::any_of(life.events.begin(), life.events.end(), [&](const BeliefEvent& event) {
    return event.state == MemberState::failed && event.at < before;
  });
}

// The timeout is 1.5 s. For 4 s one rail of host 1 is cut, which its port tells, and nothing comes
// to host 2 on it, which none does. Then host 1 has none.
TEST_F(LaunchRailsTest, WithOneRailOfTwoNobodyIsJudgedAndWithNoneTheHostIs) {
  LaunchPlan plan = plan_of(6, "2", seconds(8));
  plan.host_of = {0, 0, 1, 1, 2, 2};
  plan.separate_hosts = true;
  plan.rails = 2;
  plan.folder = folder_;
  plan.record = true;
  const Duration all_cut = milliseconds(4500);
  plan.actions = {{milliseconds(500), LaunchAction::fail, rail_of(1, 0, RailFault::cut), 0},
                  {milliseconds(500), LaunchAction::fail, rail_of(2, 0, RailFault::silent_to), 0},
                  {all_cut, LaunchAction::fail, rail_of(1, 1, RailFault::cut), 0}};
  LaunchResult result;
  const Status status = launch(plan, result);
  if (not_possible_here(status)) GTEST_SKIP() << status.message();
  ASSERT_TRUE(status.is_ok()) << status.message();
  ASSERT_EQ(result.lives.size(), 6u);
  ASSERT_EQ(result.actions.size(), 3u);
  for (const ProcessLife& life : result.lives) {
    SCOPED_TRACE(life.process.value);
    EXPECT_FALSE(anyone_judged(life, result.actions[2].at));
    if (life.process.value / 2 == 1) {
      EXPECT_TRUE(anyone_judged(life, result.end));
      continue;
    }
    for (std::uint32_t other = 0; other < 6; ++other) {
      EXPECT_EQ(believed(life, other, 0, MemberState::failed), other / 2 == 1) << other;
    }
  }
  expect_replays(result, [&](ProcessId process, const HeardPorts& ports) {
    for (std::size_t rail = 0; rail < 2; ++rail) {
      SCOPED_TRACE(rail);
      const std::size_t cuts = process.value / 2 == 1 ? 1 : 0;
      ASSERT_EQ(ports.of(rail).size(), cuts);
      if (cuts == 0) continue;
      EXPECT_EQ(ports.of(rail)[0].kind, EventKind::port_down);
      EXPECT_GE(ports.of(rail)[0].at, result.actions[rail == 0 ? 0 : 2].at);
    }
  });
}

TEST_F(LaunchRailsTest, OnOneMachineEachProcessHasTwoSocketsAndADeathIsLearnedByAll) {
  LaunchPlan plan = plan_of(4, "1", seconds(4));
  plan.rails = 2;
  plan.folder = folder_;
  plan.record = true;
  plan.actions = {{milliseconds(500), LaunchAction::crash, {2}, 0}};
  LaunchResult result;
  const Status status = launch(plan, result);
  ASSERT_TRUE(status.is_ok()) << status.message();
  ASSERT_EQ(result.lives.size(), 4u);
  for (const ProcessLife& life : result.lives) {
    if (life.process.value == 2) continue;
    EXPECT_TRUE(believed(life, 2, 0, MemberState::failed));
    for (const std::uint32_t alive : {0u, 1u, 3u}) {
      EXPECT_FALSE(believed(life, alive, 0, MemberState::failed)) << alive;
    }
  }
  expect_replays(result, [](ProcessId, const HeardPorts& ports) {
    EXPECT_TRUE(ports.of(0).empty() && ports.of(1).empty());
  });
}

}  // namespace
}  // namespace holdfast::hw
