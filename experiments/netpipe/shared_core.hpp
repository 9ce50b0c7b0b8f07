// Whether a benchmark had its cores for itself.
#pragma once

#include <cstdint>
#include <vector>

namespace holdfast::netpipe {

struct SharedCore {
  // Additions that a processor did in a cycle (hw/tune/core_share.hpp): of the steps of a run. The
  // best is what one step in a hundred exceeds at most.
  double best = 0, median = 0;
  std::uint64_t steps = 0;
  // In which it was less than 0.97 of the best, so somebody else computed on the core. If that was
  // so all the time nobody can tell, but for the best of another run on the same kind of machine.
  std::uint64_t shared_steps = 0;
};

// A value for each step.
SharedCore shared_core(std::vector<double> additions_per_cycle);

}  // namespace holdfast::netpipe
