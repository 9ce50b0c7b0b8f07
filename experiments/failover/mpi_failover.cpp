// The stream of messages as Open MPI's, for `holdfast bench failover`, which has mpirun start it on
// two hosts that are network namespaces.
//
// usage: mpi_failover LOG MESSAGE_BYTES BATCH
//        mpi_failover enter NAMESPACE HOST WORD...     runs the words there, by a shell, under
//                                                      another host name, as mpirun's agent
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "experiments/failover/message_ring.hpp"

namespace {

using holdfast::failover::kUnderWay;
using holdfast::failover::MessageRing;
using holdfast::failover::SharedLog;

constexpr int kTag = 7;

// A process that hangs in the library could not end.
void wait_or_end(MPI_Request& request, const SharedLog& log) {
  for (int done = 0; done == 0;) {
    if (log->stop.load(std::memory_order_relaxed) != 0) ::_exit(0);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

[[noreturn]] void run(int rank, const SharedLog& log, std::size_t bytes, std::uint64_t batch) {
  MessageRing ring(bytes, batch);
  std::array<MPI_Request, kUnderWay> requests;
  const auto begin = [&](std::uint64_t number) {
    const auto message = ring.of(number);
    MPI_Request& request = requests[number % kUnderWay];
    if (rank == 0) {
      ring.fill(number);
      MPI_Isend(message.data(), static_cast<int>(bytes), MPI_BYTE, 1, kTag, MPI_COMM_WORLD,
                &request);
    } else {
      MPI_Irecv(message.data(), static_cast<int>(bytes), MPI_BYTE, 0, kTag, MPI_COMM_WORLD,
                &request);
    }
  };
  for (std::uint64_t number = 0; number < kUnderWay; ++number) begin(number);
  log->ends[static_cast<std::size_t>(rank)].is_ready.store(1);
  for (std::uint64_t number = 0;; ++number) {
    wait_or_end(requests[number % kUnderWay], log);
    if (rank == 1) ring.check(number, *log);
    begin(number + kUnderWay);
  }
}

int enter(char** words, int count) {
  const int name_space = ::open(words[0], O_RDONLY | O_CLOEXEC);
  const std::string host = "holdfast-host-1";
  if (::setns(name_space, CLONE_NEWNET) != 0 || ::unshare(CLONE_NEWUTS) != 0 ||
      ::sethostname(host.data(), host.size()) != 0) {
    std::perror("mpi_failover: cannot enter a host");
    return 1;
  }
  std::string command;
  for (int i = 2; i < count; ++i) command += (i == 2 ? "" : " ") + std::string(words[i]);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  std::perror("mpi_failover: there is no shell");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 4 && std::string(argv[1]) == "enter") return enter(argv + 2, argc - 2);
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (argc != 4 || processes != 2) {
    std::fputs("mpi_failover: it is started on two processes, by holdfast bench failover\n",
               stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  try {
    const SharedLog log = SharedLog::open(argv[1]);
    run(rank, log, std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_failover: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
