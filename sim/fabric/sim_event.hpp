// What the simulator's events mean. The queue carries two 32-bit numbers; here they get names.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"

namespace holdfast::sim {

enum class SimEventKind : std::uint32_t {
  wake = 0,     // a deadline of the target process; payload: to whom it will speak, a guess
  deliver = 1,  // a frame reaches the target process; payload: the frame
  ended = 2,    // the target process is told that another of its node has ended; payload: which
  fault = 3,    // an entry of the fault schedule; payload: which, or kNewTables
};

// Kind in the upper two bits of the payload, the number below.
constexpr std::uint32_t kSimEventNumberMask = 0x3fff'ffff;
// Instead of a fault's number: the subnet manager may put new tables into force.
constexpr std::uint32_t kNewTables = kSimEventNumberMask;
constexpr std::uint32_t sim_payload(SimEventKind kind, std::uint32_t number) {
  return static_cast<std::uint32_t>(kind) << 30 | number;
}
constexpr SimEventKind sim_event_kind(std::uint32_t payload) {
  return static_cast<SimEventKind>(payload >> 30);
}

}  // namespace holdfast::sim
