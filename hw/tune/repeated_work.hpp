// Work that is called again and again, so that it can be timed.
#pragma once

#include <cstddef>
#include <functional>

namespace holdfast::hw {

// Of processor time (thread_time.hpp).
double seconds_of(const std::function<void()>& work, std::size_t calls);

// How many calls, >= 1, take about so long when nothing else disturbs them: a slice of the
// processor that somebody else has, and that is counted as ours, makes no fewer of it.
std::size_t calls_that_take(const std::function<void()>& work, double seconds);

}  // namespace holdfast::hw
