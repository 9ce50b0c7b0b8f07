// BMG, the binomial graph of Angskun, Bosilca and Dongarra (ISPA 2007) with the offsets of Open
// MPI's reliable broadcast: from position p to p ± 2^i for all 2^i <= N/2. Where both signs meet,
// at the antipode of an even ring, one message is sent.
//
// Both directions at every power of two up to half the ring.
#include "stack/base/never_destroyed.hpp"
#include "stack/propagate/circulant.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {

namespace {

class Bmg final : public Propagation {
 public:
  void targets(const Ring& ring, Position from, const Course&,
               std::vector<Target>& to) const override {
    for (std::uint32_t offset = 1; offset <= ring.size() / 2; offset *= 2) {
      add_circulant_target(ring, from, offset, Direction::forward, to);
      add_circulant_target(ring, from, offset, Direction::backward, to);
    }
  }
};

}  // namespace

const Propagation& bmg_propagation() {
  static const NeverDestroyed<Bmg> only;
  return only.get();
}

}  // namespace holdfast
