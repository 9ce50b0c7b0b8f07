// The processor of one process: it does one thing after another, in the order in which it is asked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/topology/sim_time.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

// What handling a frame takes of a processor. Nothing, if nothing is said.
struct FrameWork {
  Duration each = {};                 // >= 0, whatever its length
  std::int64_t bytes_per_second = 0;  // copied, summed up or both, > 0; 0: no byte is touched

  bool any() const { return each > Duration{0} || bytes_per_second > 0; }
  // Rounded up to the simulator's unit.
  SimTime of(std::uint32_t bytes) const {
    SimTime takes = to_sim_time(each);
    if (bytes_per_second > 0) {
      takes.value += (bytes * kSimUnitsPerSecond + bytes_per_second - 1) / bytes_per_second;
    }
    return takes;
  }
};

class Processor {
 public:
  // When work that is asked for now is done: after all that was asked for before.
  SimTime work(SimTime now, SimTime takes) {
    free_at_ = {std::max(free_at_, now).value + takes.value};
    return free_at_;
  }

 private:
  SimTime free_at_{};
};

}  // namespace holdfast::sim
