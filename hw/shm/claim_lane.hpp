// Which lane of a segment a sender may write.
//
// A lane names the process that has claimed it. One whose claimant has ended, and was not able to
// give it back, is free as well; its frames that were published stay, and who claims it next goes
// on behind them.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/shm/shm_segment.hpp"
#include "hw/watch/process_identity.hpp"

namespace holdfast::hw {

// Absent if every lane is another's, or no memory is left for this one.
std::optional<std::uint32_t> claim_lane(const ShmSegment& segment, const ProcessIdentity& claimant);

void give_back_lane(const ShmSegment& segment, std::uint32_t lane);

}  // namespace holdfast::hw
