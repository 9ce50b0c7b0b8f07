// When accept() fails for want of descriptors or memory, the next one would fail alike, and at
// once: poll says again and again that somebody is there.
#pragma once

#include <cerrno>

#include "stack/base/time.hpp"

namespace holdfast::hw {

// How long a listener that is exhausted lets nobody in.
constexpr Duration kListenerRest = milliseconds(100);

// Of accept's errno: not just that nobody is there (any more), or that a signal came.
inline bool is_exhausted(int error) {
  return error != EAGAIN && error != EINTR && error != ECONNABORTED;
}

}  // namespace holdfast::hw
