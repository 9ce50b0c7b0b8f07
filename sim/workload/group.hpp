// The processes that take part in a collective operation, and which of them one is: every
// stride-th from the first. All processes, a row and a column of a grid of processes are such.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"

namespace holdfast::sim {

struct Group {
  std::uint32_t first = 0;   // the process with index 0
  std::uint32_t stride = 1;  // at least 1
  std::uint32_t size = 1;    // at least 1
  std::uint32_t self = 0;    // the index of whoever asks, 0 … size-1

  ProcessId member(std::uint32_t index) const { return {first + stride * index}; }
};

constexpr Group all_processes(std::uint32_t processes, ProcessId self) {
  return {0, 1, processes, self.value};
}

}  // namespace holdfast::sim
