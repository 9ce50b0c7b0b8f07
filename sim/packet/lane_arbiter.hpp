// Which lane of a port sends next: the weighted arbitration of InfiniBand (volume 1, 7.6.9) with
// one entry a lane in its table and no limit of high priority.
//
// Lanes that are high go first. Among lanes of one kind the turn goes round: a lane sends while its
// weight lasts, and the packet that exhausts it still goes. A lane that has nothing to send, or no
// credits for it, is passed over and loses the rest of its weight. A port at which nothing waits
// forgets whose turn it was, so what happens at a port depends only on what meets there.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sim/packet/packet_wire_options.hpp"
#include "sim/packet/port.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

constexpr std::uint32_t kNoLane = 0xffff'ffff;

class LaneArbiter {
 public:
  // `lanes` must outlive the arbiter; 1 … kLanesMax.
  explicit LaneArbiter(std::span<const LaneOptions> lanes) : lanes_(lanes) {
    HOLDFAST_ASSERT(!lanes.empty() && lanes.size() <= kLanesMax);
  }

  // The turns of a port at which nothing waits: lane 0 is the next of its kind.
  std::array<LaneTurn, 2> fresh() const {
    const LaneTurn before_first{static_cast<std::uint8_t>(lanes_.size() - 1), 0};
    return {before_first, before_first};
  }

  // The lane that sends, whose turn is then charged for it; kNoLane, and nothing is changed, if
  // none can. blocks(lane): what the lane would send now, in blocks; 0 if it cannot.
  template <class Blocks>
  std::uint32_t choose(std::array<LaneTurn, 2>& turns, Blocks blocks) const {
    const auto count = static_cast<std::uint32_t>(lanes_.size());
    for (const bool high : {true, false}) {
      const LaneTurn turn = turns[high ? 1 : 0];
      // Once round, and back to the one whose turn it was: with a new weight.
      for (std::uint32_t step = 0; step <= count; ++step) {
        const std::uint32_t lane = (turn.lane + step) % count;
        if (lanes_[lane].high != high) continue;
        const std::int32_t left =
            step == 0 ? turn.blocks_left : static_cast<std::int32_t>(lanes_[lane].weight);
        const std::uint32_t wanted = left > 0 ? blocks(lane) : 0;
        if (wanted == 0) continue;
        turns[high ? 1 : 0] = {static_cast<std::uint8_t>(lane),
                               left - static_cast<std::int32_t>(wanted)};
        return lane;
      }
    }
    return kNoLane;
  }

 private:
  std::span<const LaneOptions> lanes_;
};

}  // namespace holdfast::sim
