// What a job needs of the limits of this system, compared with them before anything starts: who
// runs out of them half-way has started thousands of processes for nothing, and hears of it in the
// words of whichever call was refused.
#pragma once

#include <cstdint>

#include "stack/base/status.hpp"

namespace holdfast::hw {

struct JobNeeds {
  std::uint64_t processes = 0;    // of this machine, beside the launcher
  std::uint64_t threads = 0;      // of these, at the least
  std::uint64_t descriptors = 0;  // of the launcher, beside what it has open
};

// Raises the soft limits of this process where the job needs more: of open files (RLIMIT_NOFILE) to
// what it needs, of threads (RLIMIT_NPROC) as far as the hard limit, because the kernel counts all
// threads of the user, and how many there will be is not known here. What this process starts
// inherits them. An error names the hard limit that is too low, what is needed, and how it is
// raised; of threads that is what the job takes alone.
Status make_room(const JobNeeds& needs);

}  // namespace holdfast::hw
