// What the C functions have in common: the handle, the sentence of an error, times.
#pragma once

#include <holdfast/holdfast.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <memory>

#include "hw/library/place.hpp"
#include "hw/library/session.hpp"
#include "hw/monotonic_clock.hpp"

struct holdfast_job {
  std::unique_ptr<holdfast::hw::Session> session;
  pid_t owner = ::getpid();
};

namespace holdfast::hw {

// Keeps the sentence for this thread, unless all is well; returns the code.
holdfast_status say(holdfast_status code, const char* what);

inline holdfast_status invalid(const char* what) {
  return say(HOLDFAST_INVALID, what);
}

// Memory may run out; no exception passes into C.
template <class Call>
holdfast_status guarded(const Call& call) noexcept {
  try {
    const Outcome outcome = call();
    return say(outcome.code, outcome.message.c_str());
  } catch (const std::exception& error) {
    return say(HOLDFAST_SYSTEM, error.what());
  }
}

inline Time after(std::int32_t timeout_ms) {
  return monotonic_now() + milliseconds(timeout_ms);
}

// -1: it waits as long as it takes; less is refused before.
inline Time until(std::int32_t timeout_ms) {
  return timeout_ms < 0 ? Time::never() : after(timeout_ms);
}

}  // namespace holdfast::hw
