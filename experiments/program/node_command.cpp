// holdfast node and holdfast replay: one process of a launched job, live and out of its recording.
#include <cstdio>

#include "experiments/program/commands.hpp"
#include "experiments/runner/node_program.hpp"
#include "hw/launch/node.hpp"

namespace holdfast::program {
namespace {

int node(const Arguments&) {
  return hw::node_main(runner::make_node_program);
}

int replay(const Arguments& arguments) {
  const std::string& file = arguments.operands()[0];
  hw::NodeReplay replayed;
  const Status status = hw::replay_node(file, runner::make_node_program, replayed);
  if (!status.is_ok()) {
    std::fprintf(stderr, "holdfast replay: %s\n", status.message().c_str());
    return kRefused;
  }
  std::printf("process %u, boot %u: %llu turns replayed, every call equal\n", replayed.self.value,
              replayed.boot, static_cast<unsigned long long>(replayed.turns));
  if (replayed.difference) {
    std::printf("then a difference: %s\n", replayed.difference->message.c_str());
    return kFailed;
  }
  if (replayed.truncated)
    std::printf("the recording ends within a turn, as it does after kill -9\n");
  return kDone;
}

}  // namespace

const Command kNodeCommand = {"node",
                              "",
                              "one process of an experiment; started by run, not by hand",
                              "Takes its place in a job from the launcher that started it.",
                              {},
                              0,
                              0,
                              node};

const Command kReplayCommand = {
    "replay",
    "FILE [options]",
    "run a recorded process again and compare",
    "Gives the engine of a recorded process everything that it was given then, and compares every\n"
    "call that it makes, byte for byte. Exit status 1 and the turn, the call and the byte if one\n"
    "differs.\n\n"
    "example:\n"
    "  holdfast run my.json --set fabric.kind=udp --record recordings\n"
    "  holdfast replay recordings/0-0/process-3.boot-0.recording",
    {},
    1,
    1,
    replay};

}  // namespace holdfast::program
