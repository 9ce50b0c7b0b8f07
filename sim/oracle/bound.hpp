// How long the job may take to know the truth once nothing breaks any more (specification, the
// bound of liveness, with its derivation).
#pragma once

#include <cstdint>

#include "stack/base/time.hpp"

namespace holdfast::sim {

struct BoundInputs {
  std::uint32_t domains = 1;
  std::uint32_t domain_size = 1;
  std::uint32_t dead_stretch = 0;  // most dead domains in a row along the ring
  Duration period;
  Duration timeout;
  Duration hold{0};
  Duration retransmission_timeout;
  Duration message_time;  // most that a frame takes, with the turns before and after it
};

// From the last fault or loss, or the start of the last process, whichever is later, to equal and
// true views everywhere.
Duration convergence_bound(const BoundInputs& inputs);

}  // namespace holdfast::sim
