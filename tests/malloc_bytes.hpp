// What malloc has given out and not got back.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <vector>

namespace holdfast::tests {

inline std::size_t malloc_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// A sanitizer has a malloc of its own, which does not say.
inline bool malloc_counts() {
  const std::size_t before = malloc_bytes();
  const std::vector<char> some(1 << 20);
  return malloc_bytes() >= before + some.size();
}

}  // namespace holdfast::tests
