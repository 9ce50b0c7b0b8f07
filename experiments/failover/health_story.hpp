// What the two ends wrote down of their rails, read as the story of one fault.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "experiments/failover/stream_log.hpp"
#include "stack/base/time.hpp"

namespace holdfast::failover {

struct FaultTimes {
  Time broken, mended;
  std::optional<Time> all_back;  // when all rails were seen to carry again; empty: they never did
};

struct HealthStory {
  std::optional<Duration> noticed_after;  // until one end no longer used a rail; empty: never
  std::optional<Duration> back_after;     // mended, until the last of those that were left was used
                                          // again; empty: never, or none was left
  std::uint32_t left_well = 0;  // times that an end left a rail that was well: before the fault, or
                                // when all were back
};

// Of all that one end wrote down, to what is known already.
void add_changes(std::span<const HealthChange> of_one_end, const FaultTimes& times,
                 HealthStory& story);

}  // namespace holdfast::failover
