// What the C functions have in common: the handle, the sentence of an error, times.
#pragma once

#include <holdfast/holdfast.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "hw/library/place.hpp"
#include "hw/library/session.hpp"
#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {

// How many forks lie between the process that joined and this one; it takes no system call, as
// getpid does. Nothing of a job may be touched by a child: its threads are not there, its locks may
// be held for ever, and its sockets are the parent's.
extern std::atomic<unsigned> forks;

}  // namespace holdfast::hw

struct holdfast_job {
  std::unique_ptr<holdfast::hw::Session> session;
  unsigned joined_after = holdfast::hw::forks.load(std::memory_order_relaxed);
};

namespace holdfast::hw {

// What is wrong with a handle; null: nothing.
inline const char* check_job(const holdfast_job* job) {
  if (job == nullptr) return "job is NULL";
  const bool is_ours = job->joined_after == forks.load(std::memory_order_relaxed);
  return is_ours ? nullptr : "this is a child of who has joined";
}

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

inline holdfast_status invalid(const char* call, const char* what) {
  return guarded([&] { return Outcome{HOLDFAST_INVALID, std::string(call) + ": " + what}; });
}

inline Time after(std::int32_t timeout_ms) {
  return monotonic_now() + milliseconds(timeout_ms);
}

// -1: it waits as long as it takes; less is refused before.
inline Time until(std::int32_t timeout_ms) {
  return timeout_ms < 0 ? Time::never() : after(timeout_ms);
}

}  // namespace holdfast::hw
