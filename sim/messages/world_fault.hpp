// What may befall a world of processes and rails.
#pragma once

#include <cstdint>

#include "sim/pipe/pipe_network.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

enum class WorldFaultKind : std::uint8_t {
  cut,    // the way from `process` to `other` on `rail` loses everything, and nobody is told
  port,   // the port of `process` on `rail` is in `state`
  pause,  // `process` takes no turn
  crash,  // `process` ends; when that is mended it begins another life
};

constexpr std::uint32_t kAllRails = 0xffff'ffff;

struct WorldFault {
  Time at;
  WorldFaultKind kind = WorldFaultKind::cut;
  std::uint32_t rail = kAllRails;
  ProcessId process = kNoProcess;  // kNoProcess: each of them
  ProcessId other = kNoProcess;    // likewise
  PortState state = PortState::down;
  Duration lasts = {};  // > 0; then it is mended
  // It does not begin before something has been sent again after `at`, and then this much later:
  // while messages recover from another fault.
  bool in_recovery = false;
  Duration after_resending = {};
  Time latest = Time::never();  // nor if that happens later
};

// Everything between everybody on all rails.
inline WorldFault cut_all(Time at, Duration lasts, std::uint32_t rail = kAllRails) {
  return {.at = at, .rail = rail, .lasts = lasts};
}

}  // namespace holdfast::sim
