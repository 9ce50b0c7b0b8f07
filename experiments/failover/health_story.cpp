// A change of the broken rail belongs to the fault if it lies between the break and the moment when
// all were back.
#include "experiments/failover/health_story.hpp"

#include <algorithm>

namespace holdfast::failover {
namespace {

bool belongs_to(const Fault& fault, const HealthChange& change) {
  return fault.rail == change.rail && change.at >= fault.broken &&
         (!fault.all_back || change.at <= *fault.all_back);
}

}  // namespace

bool carries_all(std::span<const HealthChange> of_one_end) {
  std::uint32_t off = 0;
  for (const HealthChange& change : of_one_end) {
    const std::uint32_t bit = 1u << change.rail;
    off = change.carries ? off & ~bit : off | bit;
  }
  return off == 0;
}

void add_changes(std::span<const HealthChange> of_one_end, const Fault& fault, HealthStory& story) {
  for (const HealthChange& change : of_one_end) {
    if (!belongs_to(fault, change)) {
      story.left_well += change.carries ? 0u : 1u;
    } else if (!change.carries) {
      const Duration after = change.at - fault.broken;
      story.noticed_after = std::min(story.noticed_after.value_or(after), after);
    } else if (fault.all_back) {
      const Duration after = std::max(change.at - fault.mended, Duration{});
      story.back_after = std::max(story.back_after.value_or(after), after);
    }
  }
}

}  // namespace holdfast::failover
