// When a frame arrived, on the engine's clock.
//
// The kernel stamps a datagram with the wall clock (SO_TIMESTAMPNS) when it arrives; the engine's
// clock is CLOCK_MONOTONIC. Both are read together at each poll, and the age of the datagram on the
// wall clock is taken from the monotonic time of the poll. An administrator or NTP may step the
// wall clock between arrival and poll; the result is therefore confined to what is known without
// it:
//  - not later than the poll that returned the frame,
//  - not before the last poll that found the socket empty (the frame would have been returned
//  there),
//  - not before the frame returned ahead of it (the kernel's queue is in order of arrival).
// A step so costs at most the time between two polls. Slewing (500 parts per million) is below 1 us
// as long as polls are 2 ms apart, and less than 0.05 % of a frame's age otherwise.
#pragma once

#include <algorithm>
#include <cstdint>

#include "stack/base/time.hpp"

namespace holdfast::hw {

// Both clocks at one moment.
struct ClockPair {
  Time monotonic;
  std::int64_t wall_ns = 0;
};

// Reads both clocks; if the thread loses the processor in between it reads again, a few times.
ClockPair read_clocks();

class ArrivalClock {
 public:
  // Frames that arrived before this were not for us.
  explicit ArrivalClock(Time opened) : earliest_(opened) {}

  // The arrival of the next frame of the queue, which bears the wall clock's stamp `wall_ns` and is
  // returned by a poll at `now`.
  Time arrival(std::int64_t wall_ns, const ClockPair& now) {
    const Time by_wall = now.monotonic - Duration{now.wall_ns - wall_ns};
    earliest_ = std::max(earliest_, std::min(by_wall, now.monotonic));
    return earliest_;
  }

  // A read of the socket that began at `at` found no frame or took the last one.
  void emptied(Time at) { earliest_ = std::max(earliest_, at); }

 private:
  Time earliest_;
};

}  // namespace holdfast::hw
