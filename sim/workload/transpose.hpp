// FT: a Fourier transform in three dimensions, forward once and backward in each iteration. Lines
// along which a process transforms must be whole, so the box is transposed between two directions:
// each process hands each other one a part of what it has.
//
// The layout follows from the processes, as NPB chooses it: on one process nothing is exchanged
// (0D); up to as many as planes in z each has some planes and there is one transposition among all
// (1D); on more each has some lines, and there are two, along the rows and along the columns of a
// grid of processes (2D).
#pragma once

#include <cstdint>

#include "sim/workload/block.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/place.hpp"

namespace holdfast::sim {

class Transpose {
 public:
  Transpose(const Job& job, ProcessId self);

  bool fill(const Place& place, Block& block) const;

 private:
  void transform(bool backward, Block& block) const;

  Group all_;
  Group row_, column_;                      // of the grid of processes
  std::uint64_t row_bytes_, column_bytes_;  // from one process to each other one of it
  Duration work_;
};

}  // namespace holdfast::sim
