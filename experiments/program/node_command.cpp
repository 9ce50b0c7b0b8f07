// holdfast node: one process of a job.
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

}  // namespace holdfast::program
