// How many messages and bytes all processes of a job send, in closed form: derived from the
// decompositions by hand, in sums over the whole grid (so that a remainder of a division does not
// matter), and with nothing of the product's code.
#pragma once

#include <cstdint>

#include "sim/workload/job.hpp"

namespace holdfast::sim {

struct Totals {
  std::uint64_t messages = 0;  // those of a process to itself among them
  std::uint64_t to_itself = 0;
  std::uint64_t bytes = 0;  // of messages to others

  void add(std::uint64_t more_messages, std::uint64_t more_bytes, std::uint64_t times = 1) {
    messages += times * more_messages;
    bytes += times * more_bytes;
  }
};

// For so many timed iterations.
Totals closed_form(const Job& job, std::uint64_t iterations);

}  // namespace holdfast::sim
