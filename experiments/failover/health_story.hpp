// What the two ends wrote down of their rails, read as the story of one fault.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "experiments/failover/stream_log.hpp"
#include "stack/base/time.hpp"

namespace holdfast::failover {

struct Fault {
  std::optional<std::uint32_t> rail;  // that is broken; empty: none is
  Time broken, mended;
  std::optional<Time> all_back;  // when all rails were first seen to carry again; empty: never
};

struct HealthStory {
  std::optional<Duration> noticed_after;  // until one end no longer used the rail; empty: never
  std::optional<Duration> back_after;     // mended, until both ends used it again; empty: never, or
                                          // both did all the time
  std::uint32_t left_well = 0;            // times that an end left a rail that was well
};

// Whether, by all that one end wrote down, all of its rails carry.
bool carries_all(std::span<const HealthChange> of_one_end);

// Of all that one end wrote down, to what is known already. The broken rail is well before the
// fault and once all are back, another one always.
void add_changes(std::span<const HealthChange> of_one_end, const Fault& fault, HealthStory& story);

}  // namespace holdfast::failover
