// The sizes of the benchmarks' problems: facts of NPB 3.3.1 (Bailey et al., NAS technical
// reports RNR-94-007, NAS-95-020, NAS-02-007 and the parameters that come with the programs).
#pragma once

#include <cstdint>

#include "sim/workload/job.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

// BT, SP, LU and MG: points of the cube in each direction.
std::uint32_t cube_points(Benchmark benchmark, ProblemClass problem_class);

// CG: order of the matrix, and nonzero elements of the vectors that it is made of.
struct MatrixSize {
  std::uint32_t order;
  std::uint32_t nonzero;
};
MatrixSize matrix_size(ProblemClass problem_class);

// FT: points in each direction, all powers of two.
struct BoxSize {
  std::uint32_t x, y, z;
};
BoxSize box_size(ProblemClass problem_class);

// IS: logarithms to base two of the number of keys, of their range and of the number of buckets.
struct SortSize {
  unsigned keys;
  unsigned range;
  unsigned buckets;
};
SortSize sort_size(ProblemClass problem_class);

// Timed iterations of the class.
std::uint32_t class_iterations(Benchmark benchmark, ProblemClass problem_class);

// Our assumption: what one process computes in a second. The benchmarks count floating-point
// operations, of IS the keys that are ranked.
constexpr double kOperationsPerSecond = 1e9;
constexpr double kKeysPerSecond = 1e8;

// The time that one iteration computes for on each process: the operations by which NPB rates the
// benchmark, divided evenly among the processes, at the rates above.
Duration iteration_work(const Job& job);

}  // namespace holdfast::sim
