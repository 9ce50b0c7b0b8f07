// Sliding windows, as receivers of datagrams use them against replays.
#include "stack/propagate/heard_broadcasts.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/random.hpp"

namespace holdfast {

namespace {

constexpr std::uint64_t kWindow = 64;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Broadcasts of a later boot come after all of an earlier one.
std::uint64_t ordinal(const Broadcast& broadcast) {
  return std::uint64_t{boot_of(broadcast.incarnation)} << 32 | broadcast.number;
}

}  // namespace

HeardBroadcasts::Starter* HeardBroadcasts::find(ProcessId process) {
  const auto found = std::find_if(starters_.begin(), starters_.end(),
                                  [=](const Starter& one) { return one.process == process; });
  return found == starters_.end() ? nullptr : &*found;
}

HeardBroadcasts::Starter& HeardBroadcasts::make(ProcessId process, std::uint64_t highest,
                                                std::uint64_t heard) {
  if (starters_.size() == kStartersMax) starters_.erase(starters_.begin());
  return starters_.emplace_back(Starter{process, highest, {heard, heard}});
}

bool HeardBroadcasts::first_copy(const Broadcast& broadcast, bool news) {
  HOLDFAST_ASSERT(broadcast.named() && broadcast.cube < kCubesMax);
  const std::uint64_t number = ordinal(broadcast);
  Starter* starter = find(broadcast.starter);
  if (starter == nullptr) {
    const bool trusted = starters_.size() < kStartersMax;
    if (!trusted && !news) return false;
    // Where an entry may have been forgotten, all before this one counts as heard.
    starter = &make(broadcast.starter, number, trusted ? 0 : kAll - 1);
  }
  if (number > starter->highest) {
    const std::uint64_t ahead = number - starter->highest;
    for (std::uint64_t& heard : starter->heard) heard = ahead < kWindow ? heard << ahead : 0;
    starter->highest = number;
  }
  const std::uint64_t behind = starter->highest - number;
  if (behind >= kWindow) return false;
  std::uint64_t& heard = starter->heard[broadcast.cube];
  const std::uint64_t bit = std::uint64_t{1} << behind;
  const bool first = (heard & bit) == 0;
  heard |= bit;
  return first;
}

std::uint64_t HeardBroadcasts::hash() const {
  std::uint64_t h = starters_.size();
  for (const Starter& starter : starters_) {
    h = mix64(h ^ starter.process.value);
    h = mix64(h ^ starter.highest);
    for (const std::uint64_t heard : starter.heard) h = mix64(h ^ heard);
  }
  return h;
}

}  // namespace holdfast
