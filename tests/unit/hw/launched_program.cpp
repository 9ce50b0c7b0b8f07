// The main function of the launcher's tests: the tests, or one process of a job, or a launcher that
// a test will kill.
#include "tests/unit/hw/launched_program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace holdfast::hw {
namespace {

// The whole "experiment": how many processes a node has. Periods are long for a busy machine.
class TestProgram final : public NodeProgram {
 public:
  TestProgram(const NodeStart& start, std::uint32_t per_node)
      : workspace_(start.addresses),
        roster_({.nodes = start.processes / per_node, .per_node = per_node}),
        engine_(options(start), roster_, start.rails, workspace_) {}

  Engine& engine() override { return engine_; }
  std::string notes() override {
    return "heartbeats " + std::to_string(engine_.membership().counts().heartbeats) + "\n";
  }

 private:
  static EngineOptions options(const NodeStart& start) {
    EngineOptions options;
    options.membership.self = start.self;
    options.membership.incarnation = start.incarnation();
    options.membership.rejoining = start.rejoining();
    options.membership.detection.period = milliseconds(50);
    options.membership.detection.timeout = milliseconds(1500);
    options.job = start.job;
    options.key = start.key;
    options.seal = "siphash128";
    options.receive_slots = 8;
    return options;
  }

  Workspace workspace_;
  Roster roster_;
  Engine engine_;
};

}  // namespace

Status make_program(const NodeStart& start, std::unique_ptr<NodeProgram>& program) {
  const int per_node = std::atoi(std::string(start.configuration).c_str());
  if (per_node < 1) return Status::error("per_node: expected a whole number of at least 1");
  program = std::make_unique<TestProgram>(start, static_cast<std::uint32_t>(per_node));
  return Status::ok();
}

LaunchPlan plan_of(std::uint32_t processes, const std::string& per_node, Duration duration) {
  LaunchPlan plan;
  plan.program = "/proc/self/exe";
  plan.arguments = {"node"};
  plan.configuration = per_node;
  plan.processes = processes;
  plan.duration = duration;
  return plan;
}

bool not_possible_here(const Status& status) {
  return status.message().find("expected root") != std::string::npos ||
         status.message().find("install the Debian package") != std::string::npos;
}

bool believed(const ProcessLife& life, std::uint32_t process, std::uint32_t boot,
              MemberState state) {
  return std::any_of(life.events.begin(), life.events.end(), [&](const BeliefEvent& event) {
    return event.process.value == process && event.incarnation.value >> 16 == boot &&
           event.state == state;
  });
}

namespace {

// For the tests of a launcher that is killed.
int launch_until_killed(const std::string& mode) {
  LaunchPlan plan = plan_of(4, "1", seconds(600));
  plan.arguments = {"node", mode};
  plan.actions = {{milliseconds(100), LaunchAction::pause, {1}, 0}};
  LaunchResult result;
  return launch(plan, result).is_ok() ? 0 : 1;
}

// Of a process that this program starts as one of a job.
int run_node(const std::string& mode) {
  if (!mode.empty()) {
    std::printf("%d\n", static_cast<int>(::getpid()));
    std::fflush(stdout);
  }
  while (mode == "hang") ::pause();
  if (mode == "die") ::alarm(1);  // its signal ends the process
  return node_main(make_program);
}

}  // namespace
}  // namespace holdfast::hw

int main(int count, char** arguments) {
  const std::string role = count > 1 ? arguments[1] : "";
  const std::string mode = count > 2 ? arguments[2] : "";
  if (role == "node") return holdfast::hw::run_node(mode);
  if (role == "launch") return holdfast::hw::launch_until_killed(mode);
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
