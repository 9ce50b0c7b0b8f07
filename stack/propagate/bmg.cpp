// Both directions at every power of two up to half the ring.
#include "stack/propagate/bmg.hpp"

#include "stack/propagate/circulant.hpp"

namespace holdfast {

namespace {

class Bmg final : public Propagation {
 public:
  void targets(const Ring& ring, Position from, const Course&,
               std::vector<Position>& to) const override {
    for (std::uint32_t offset = 1; offset <= ring.size() / 2; offset *= 2) {
      add_circulant_target(ring, from, offset, Direction::forward, to);
      add_circulant_target(ring, from, offset, Direction::backward, to);
    }
  }
};

}  // namespace

const Propagation& bmg_propagation() {
  static const Bmg only;
  return only;
}

}  // namespace holdfast
