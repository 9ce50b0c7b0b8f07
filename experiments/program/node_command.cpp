// holdfast node and holdfast replay: one process of a job, live and out of its recording.
#include <cstdio>

#include "experiments/program/commands.hpp"
#include "experiments/program/join_node.hpp"
#include "experiments/runner/node_program.hpp"
#include "hw/launch/node.hpp"

namespace holdfast::program {
namespace {

int node(const Arguments& arguments) {
  if (!arguments.operands().empty()) return join_node(arguments);
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
  if (replayed.difference && replayed.difference->damaged) {
    std::fprintf(stderr, "holdfast replay: the recording %s: %s\n", file.c_str(),
                 replayed.difference->message.c_str());
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

const Command kNodeCommand = {
    "node",
    "CONFIG [options]",
    "one process of an experiment, started by mpirun, srun, ssh or by hand",
    "Finds the other processes of its job, through PMIx or at the address of process 0, and runs\n"
    "the experiment's detector with them for its duration. Says on stdout whom it has met, and\n"
    "whom it comes to believe dead and when. The experiment's failures are not played: whoever\n"
    "wants one kills a process. A death ends nobody else, but mpirun ends a job with a dead "
    "process\n"
    "unless it is given --enable-recovery. If mpirun itself ends, so does every process.\n\n"
    "Exit status: 0 at the end of the experiment; 1 if somebody did not come in time or is gone;\n"
    "2 for what you can mend; 130 when a signal stopped it.\n\n"
    "examples:\n"
    "  mpirun -n 8 holdfast node eight.json --set fabric.kind=udp\n"
    "  srun -n 8 --mpi=pmix holdfast node eight.json\n"
    "  holdfast node eight.json --rank 3 --rendezvous node1:7000 --key-file job.key",
    kJoinOptions,
    0,
    1,
    node};

const Command kReplayCommand = {
    "replay",
    "FILE [options]",
    "run a recorded process again and compare",
    "Gives the engine of a recorded process everything that it was given then, and compares every\n"
    "call that it makes, byte for byte. Exit status 1 and the turn, the call and the byte if one\n"
    "differs, 2 and the turn and the call if the recording is damaged.\n\n"
    "example:\n"
    "  holdfast run my.json --set fabric.kind=udp --record recordings\n"
    "  holdfast replay recordings/0-0/process-3.boot-0.recording",
    {},
    1,
    1,
    replay};

}  // namespace holdfast::program
