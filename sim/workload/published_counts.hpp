// Published counts of messages, to compare with.
//
// Liu, Chandrasekaran, Wu, Jiang, Kini, Yu, Buntinas, Wyckoff, Panda: Performance comparison of MPI
// implementations over InfiniBand, Myrinet and Quadrics, SC 2003, the table of message sizes: class
// B on 8 processes (BT and SP, which want a square number, on 4). It counts calls by the size of
// their buffers; its numbers are those of process 0. They are quoted from memory: the paper's text
// was not at hand to look them up again. That they are right is to be seen from their agreement
// with what follows from the programs, digit by digit (experiments/nas-skeletons).
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

}  // namespace holdfast::sim
