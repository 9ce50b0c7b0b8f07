// A claim is a process number and the lower half of its start time, in one word.
#include "hw/shm/claim_lane.hpp"

namespace holdfast::hw {

namespace {

std::uint64_t word_of(const ProcessIdentity& identity) {
  return std::uint64_t{static_cast<std::uint32_t>(identity.pid)} << 32 |
         (identity.start_ticks & 0xffff'ffff);
}

bool has_ended(std::uint64_t word) {
  ProcessIdentity now;
  const Found found = find_process(static_cast<std::int32_t>(word >> 32), now);
  return found == Found::nobody || (found == Found::process && word_of(now) != word);
}

// What a claimant published and could not announce any more.
void follow_published(const ShmSegment& segment, std::uint32_t lane) {
  std::uint32_t tail = segment.lane(lane).tail.load();
  for (std::uint32_t i = 0; i < segment.geometry().frames; ++i) {
    if (segment.cell(lane, tail).published.load(std::memory_order_acquire) != tail + 1) break;
    ++tail;
  }
  // Nor does a tail that cannot be keep the lane from whoever comes next.
  const std::uint32_t head = segment.lane(lane).head.load(std::memory_order_acquire);
  if (tail - head > segment.geometry().frames) tail = head;
  segment.lane(lane).tail.store(tail);
}

}  // namespace

std::optional<std::uint32_t> claim_lane(const ShmSegment& segment,
                                        const ProcessIdentity& claimant) {
  for (const bool of_the_dead : {false, true}) {
    for (std::uint32_t lane = 0; lane < segment.geometry().lanes; ++lane) {
      std::atomic<std::uint64_t>& word = segment.lane(lane).claimant;
      std::uint64_t before = word.load(std::memory_order_relaxed);
      if (before != 0 && !(of_the_dead && has_ended(before))) continue;
      if (!word.compare_exchange_strong(before, word_of(claimant), std::memory_order_acquire)) {
        continue;
      }
      if (segment.reserve(lane)) {
        follow_published(segment, lane);
        return lane;
      }
      give_back_lane(segment, lane);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

void give_back_lane(const ShmSegment& segment, std::uint32_t lane) {
  segment.lane(lane).claimant.store(0, std::memory_order_release);
}

}  // namespace holdfast::hw
