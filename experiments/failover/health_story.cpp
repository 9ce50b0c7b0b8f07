// A change belongs to the fault if it lies between the break and the moment when all were back.
#include "experiments/failover/health_story.hpp"

#include <algorithm>

namespace holdfast::failover {

void add_changes(std::span<const HealthChange> of_one_end, const FaultTimes& times,
                 HealthStory& story) {
  for (const HealthChange& change : of_one_end) {
    const bool is_after = times.all_back && change.at > *times.all_back;
    if (change.at < times.broken || is_after) {
      story.left_well += change.carries ? 0u : 1u;
    } else if (!change.carries) {
      const Duration after = change.at - times.broken;
      story.noticed_after = std::min(story.noticed_after.value_or(after), after);
    } else if (times.all_back) {
      const Duration after = std::max(change.at - times.mended, Duration{});
      story.back_after = std::max(story.back_after.value_or(after), after);
    }
  }
}

}  // namespace holdfast::failover
