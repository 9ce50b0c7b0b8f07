// What the published code of Rosso and Francesquini (ERAD-SP 2021) calls HBA: the nearest
// neighbours each way, p ± 1 … max(1, k-1), with k = floor(log2 N). It is no hypercube: news creeps
// along the ring, so the rounds grow with N / log N. Known dead are skipped.
//
// The nearest positions on both sides.
#include <algorithm>
#include <bit>

#include "stack/base/never_destroyed.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {

namespace {

class Neighbours final : public Propagation {
 public:
  void targets(const Ring& ring, Position from, const Course&,
               std::vector<Target>& to) const override {
    const auto k = static_cast<std::uint32_t>(std::bit_width(ring.size())) - 1;
    // Small rings close before the reach ends: 2 * reach < N from N = 3 on.
    const std::uint32_t reach = std::max(2u, k) - 1;
    for (std::uint32_t offset = 1; offset <= reach; ++offset) {
      add(ring, from, offset, to);
      if (2 * offset != ring.size()) add(ring, from, ring.size() - offset, to);
    }
  }

 private:
  static void add(const Ring& ring, Position from, std::uint32_t offset, std::vector<Target>& to) {
    const Position target = ring.moved(from, offset);
    if (target != from) add_if_live(ring, target, to);
  }
};

}  // namespace

const Propagation& neighbours_propagation() {
  static const NeverDestroyed<Neighbours> only;
  return only.get();
}

}  // namespace holdfast
