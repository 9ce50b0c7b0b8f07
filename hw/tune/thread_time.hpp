// Processor time of this thread, which stands still while another program has the core.
#pragma once

#include <time.h>

namespace holdfast::hw {

inline double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace holdfast::hw
