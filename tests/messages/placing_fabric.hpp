// A simulated rail that asks a placer where long frames go, as a connection over which frames come
// piece by piece does (hw/tcp): the rest of a frame is written in one go or in two, with other
// frames told of between them, and is lost if its place has changed by then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/outer_fabric.hpp"

namespace holdfast::messages {

struct PlacingCounts {
  std::uint64_t placed = 0;     // frames whose rest was written where it belongs
  std::uint64_t displaced = 0;  // that were lost because that had changed by then
};

class PlacingFabric final : public OuterFabric {
 public:
  // `inner` and `counts` must outlive it; how frames are cut follows from `seed`.
  PlacingFabric(Fabric& inner, std::uint64_t seed, PlacingCounts& counts);

  void set_placer(FramePlacer* placer, std::uint32_t beginning_bytes) override;
  void set_lending(bool) override {}  // events wait here for longer than a poll
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  std::size_t poll(std::span<Event> events) override;

 private:
  static constexpr std::size_t kWaitingMax = 64;

  bool fetch();
  Event take_first();
  bool is_for_placer() const;
  bool place_first(Event& event);

  FramePlacer* placer_ = nullptr;
  std::uint32_t beginning_bytes_ = 0;
  Random random_;
  PlacingCounts& counts_;
  std::vector<ReceiveSlot> slots_;  // by cookie, as they were offered
  // Told by the inner fabric and not by this one, the oldest first. Where one says `placed`, half
  // of its rest is there.
  std::array<Event, kWaitingMax> waiting_;
  std::size_t waiting_count_ = 0;
};

}  // namespace holdfast::messages
