// Everyone tells everyone: one round, N-1 messages a process. What the others are measured against;
// the number of messages grows with the square of the ring.
//
// All other live positions, in ring order.
#include "stack/base/never_destroyed.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {

namespace {

class Flood final : public Propagation {
 public:
  std::uint32_t targets_max(std::uint32_t positions) const override { return positions; }

  void targets(const Ring& ring, Position from, const Course&,
               std::vector<Target>& to) const override {
    for (std::uint32_t offset = 1; offset < ring.size(); ++offset) {
      add_if_live(ring, ring.moved(from, offset), to);
    }
  }
};

}  // namespace

const Propagation& flood_propagation() {
  static const NeverDestroyed<Flood> only;
  return only.get();
}

}  // namespace holdfast
