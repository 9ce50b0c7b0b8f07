// Where in its run a benchmark is. All seven have the same course: they read and hand out their
// parameters, do one iteration that is not timed, begin anew, do the timed ones, and check the
// result.
#pragma once

#include <cstdint>

namespace holdfast::sim {

enum class Phase : std::uint8_t {
  setup,      // until the iteration that is not timed
  iteration,  // number 0 is the one that is not timed
  start,      // between that one and the first that is timed
  finish,     // after the last
};

struct Place {
  Phase phase = Phase::setup;
  std::uint32_t iteration = 0;  // of Phase::iteration; else 0
  std::uint32_t block = 0;      // within the phase or the iteration
};

}  // namespace holdfast::sim
