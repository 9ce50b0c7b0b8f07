// Published counts of messages, to compare with.
//
// Liu, Chandrasekaran, Wu, Jiang, Kini, Yu, Buntinas, Wyckoff, Panda: Performance comparison of MPI
// implementations over InfiniBand, Myrinet and Quadrics, SC 2003, the table of message sizes: class
// B on 8 processes (BT and SP, which want a square number, on 4). It counts calls by the size of
// their buffers; its numbers are those of process 0. They are quoted from memory: the paper's text
// was not at hand to look them up again. That they are right is to be seen from their agreement
// with what follows from the programs, digit by digit (experiments/nas-skeletons).
//
// https://github.com/CNCA-CeNAT/comm-patterns-clustering, commit
// d0da74bf81ccb203b9079778b66f12c8a01c8824: reports of mpiP 3.4.1 on runs of class C on 64
// processes, of 2017. Under ProxyApps/NPB:
//   bt_results/64_ranks/bt.C.64.64.164174.1.mpiP
//   cg_results/64_ranks/cg.C.64.64.164885.1.mpiP
//   ft_results/64_ranks/ft.C.64.64.166968.1.mpiP
//   is_results/64_ranks/is.C.64.64.196005.1.mpiP
//   lu_results/C_64_ranks/lu.C.64.64.197517.1.mpiP
//   mg_results/64_ranks/mg.C.64.64.198315.1.mpiP
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/workload/counts.hpp"
#include "sim/workload/job.hpp"

namespace holdfast::sim {

struct PublishedCounts {
  Job job;
  std::array<std::uint64_t, Counts::kSizes> calls;  // as Counts::calls
};

std::span<const PublishedCounts> published_counts();

// From the communication matrix at the end of a report. Its diagonal has the sum of a row, with a
// collective operation as one message to each process that it leads to; these are taken off here:
// of all ranks the all-reduces (one message to each of the 63 others), of rank 0 the broadcasts
// (the same), of the others the reduction (one message). What a process sends to itself is in the
// lists of call sites only.
struct MeasuredRank {
  Job job;
  ProcessId rank;
  std::uint64_t sends, sent_bytes, to_itself;  // as those of Counts
};

std::span<const MeasuredRank> measured_ranks();

// From the list of call sites: the sums over all processes.
struct MeasuredJob {
  Job job;
  std::uint64_t sends;        // those of a process to itself among them
  std::uint64_t collectives;  // as Counts::collectives
};

std::span<const MeasuredJob> measured_jobs();

}  // namespace holdfast::sim
