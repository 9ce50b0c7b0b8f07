// What a job needs of the limits of this system, compared with them before anything starts: who
// runs out of them half-way has started thousands of processes for nothing, and hears of it in the
// words of whichever call was refused.
#pragma once

#include <cstdint>

#include "stack/base/status.hpp"

namespace holdfast::hw {

struct JobNeeds {
  std::uint64_t processes = 0;    // of this machine, beside the launcher
  std::uint64_t descriptors = 0;  // of the launcher, beside what it has open
};

// Raises the soft limits of this process (RLIMIT_NOFILE, RLIMIT_NPROC) where the job needs more;
// what it starts inherits them. An error names the hard limit that is too low, what is needed, and
// how it is raised.
Status make_room(const JobNeeds& needs);

}  // namespace holdfast::hw
