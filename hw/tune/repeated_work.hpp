// Work that is called again and again, so that it can be timed.
#pragma once

#include <cstddef>
#include <functional>

namespace holdfast::hw {

// Of processor time (thread_time.hpp), for so many calls.
double seconds_of(const std::function<void()>& work, std::size_t calls);

// How many calls, >= 1, take about `seconds`, > 0, of processor time if nothing disturbs them. On a
// shared machine a call may seem to take much longer than it does; that counts only if it happens
// each time. Calls it three times at least.
std::size_t calls_that_take(const std::function<void()>& work, double seconds);

}  // namespace holdfast::hw
