// Every power of two below the size of the ring.
#include "stack/propagate/chord.hpp"

#include "stack/propagate/circulant.hpp"

namespace holdfast {

namespace {

class Chord final : public Propagation {
 public:
  void targets(const Ring& ring, Position from, const Course&,
               std::vector<Position>& to) const override {
    for (std::uint32_t offset = 1; offset < ring.size(); offset *= 2) {
      add_circulant_target(ring, from, offset, Direction::forward, to);
    }
  }
};

}  // namespace

const Propagation& chord_propagation() {
  static const Chord only;
  return only;
}

}  // namespace holdfast
