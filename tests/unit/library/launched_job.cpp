// Detection is quick enough for a test, and slow enough for a busy machine.
#include "tests/unit/library/launched_job.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "hw/launch/engine_program.hpp"

namespace holdfast::hw {

ProgramPlan plan_of(const char* role, std::uint32_t processes, std::uint32_t per_node) {
  NodeConfiguration configuration;
  configuration.roster = {.nodes = processes / per_node, .per_node = per_node};
  configuration.membership.detection.period = milliseconds(20);
  configuration.membership.detection.timeout = milliseconds(600);
  ProgramPlan plan;
  plan.path = std::filesystem::read_symlink("/proc/self/exe");
  plan.arguments = {"member", role};
  plan.configuration = text_of(configuration);
  plan.processes = processes;
  plan.grace = milliseconds(500);
  return plan;
}

Done run(const ProgramPlan& plan) {
  Done done;
  std::size_t told = 0;
  done.status = run_programs(
      plan, [&](const ProgramEnd&) { ++told; }, done.result);
  EXPECT_EQ(told, done.result.ends.size());
  done.exit_statuses.assign(plan.processes, -1);
  for (const ProgramEnd& end : done.result.ends)
    done.exit_statuses[end.process.value] = end.exit_status();
  return done;
}

}  // namespace holdfast::hw
