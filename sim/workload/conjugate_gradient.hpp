// CG: the smallest eigenvalue of a sparse matrix, by inverse iteration with conjugate gradients.
// The matrix lies on a grid of processes with as many columns as rows, or twice as many.
//
// An iteration solves a system in 25 steps. A step multiplies the matrix with a vector: the
// processes of a row add up their parts, halving the distance to their partners each time, and the
// sum goes to the process at the transposed place, whose columns it belongs to. Two scalar products
// follow, each added up along the row. (NPB's own exchanges; none of them is an MPI collective.)
#pragma once

#include <cstdint>

#include "sim/workload/block.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/place.hpp"

namespace holdfast::sim {

class ConjugateGradient {
 public:
  ConjugateGradient(const Job& job, ProcessId self);

  bool fill(const Place& place, Block& block) const;

 private:
  bool iteration(std::uint32_t number, Block& block) const;
  // Round 0 … log2(columns): the sums along the row and the transposition.
  void matrix_times_vector(std::uint32_t round, Block& block) const;
  void row_sum(std::uint32_t round, std::uint64_t bytes, Block& block) const;
  ProcessId row_partner(std::uint32_t distance) const;
  std::uint64_t rows_of(std::uint32_t row) const;

  std::uint32_t order_;
  std::uint32_t rows_, columns_;  // of the grid of processes, powers of two
  std::uint32_t doublings_;       // log2 of the columns
  ProcessId self_;
  std::uint32_t row_, column_;
  Group all_;
  Duration work_;  // of each multiplication
};

}  // namespace holdfast::sim
