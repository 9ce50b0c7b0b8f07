// A process that has seen something of everything, for tests of what is made of it.
#pragma once

#include "hw/status/process_status.hpp"

namespace holdfast::hw {

// Process 1 of 4, on two nodes; it believes that process 2 has failed and that process 3 is in its
// second boot.
ProcessStatus sample_status();

}  // namespace holdfast::hw
