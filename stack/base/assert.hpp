// Assertions for our own bugs: on in every build, since a stack that keeps going after a broken
// invariant corrupts what it was meant to protect. What the world does wrong is a Status instead.
#pragma once

namespace holdfast {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace holdfast

#define HOLDFAST_ASSERT(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::holdfast::assertion_failed(#condition, __FILE__, __LINE__))
