// What the events of a pipe network mean. The target is a process, counted from the network's first
// target, so that several networks and their driver may share one queue.
#pragma once

#include <cstdint>

namespace holdfast::sim {

// In the upper bit of the payload: an arrival, with the frame below, or a departure, with the count
// of the port's lives. The driver's own events have targets outside of the network's.
constexpr std::uint32_t kPipeArrival = 0x8000'0000;

}  // namespace holdfast::sim
