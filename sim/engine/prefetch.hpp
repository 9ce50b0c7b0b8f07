// Fetching memory into the cache before it is needed.
#pragma once

namespace holdfast::sim {

// The line at that address, which will be written. gcc takes a function that does nothing but fetch
// for one without effect and leaves its calls out; the empty assembly is an effect.
inline void prefetch_line(const void* address) {
  asm volatile("");
  __builtin_prefetch(address, 1);
}

}  // namespace holdfast::sim
