// The chord-like propagation of Rosso and Francesquini (ERAD-SP 2021): from position p to p + 2^i
// for all 2^i < N, forwards only. Half the messages of BMG for about twice its rounds.
//
// Every power of two below the size of the ring.
#include "stack/base/never_destroyed.hpp"
#include "stack/propagate/circulant.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {

namespace {

class Chord final : public Propagation {
 public:
  void targets(const Ring& ring, Position from, const Course&,
               std::vector<Target>& to) const override {
    for (std::uint32_t offset = 1; offset < ring.size(); offset *= 2) {
      add_circulant_target(ring, from, offset, Direction::forward, to);
    }
  }
};

}  // namespace

const Propagation& chord_propagation() {
  static const NeverDestroyed<Chord> only;
  return only.get();
}

}  // namespace holdfast
