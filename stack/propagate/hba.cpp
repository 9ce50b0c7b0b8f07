// HBA, the reliable broadcast over hypercubes of Ramanathan and Shin (IEEE Trans. Computers 1988)
// as Bosilca et al. (SC 2016) lay it over a ring: with k = floor(log2 N), one cube of dimension k
// on the 2^k positions from the starter forwards, one on the 2^k from the starter backwards; one
// only when N = 2^k. In each cube, who hears the news for the first time there sends it along all k
// dimensions, so k-1 unknown dead in a cube cannot stop it. Known dead are skipped.
//
// The cubes hang on the starter, so a notice names it and its cube.
//
// Corner numbers count from the starter; neighbours differ in one bit.
#include <bit>

#include "stack/base/never_destroyed.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {

namespace {

class Hba final : public Propagation {
 public:
  std::uint32_t cubes(std::uint32_t positions) const override {
    return std::has_single_bit(positions) ? 1 : 2;
  }

  void targets(const Ring& ring, Position from, const Course& course,
               std::vector<Target>& to) const override {
    const std::uint32_t corners = std::bit_floor(ring.size());
    const std::uint32_t corner = distance(ring, course, from);
    if (corner >= corners) return;  // not of this cube
    for (std::uint32_t bit = 1; bit < corners; bit *= 2) {
      add_if_live(ring, at_distance(ring, course, corner ^ bit), to);
    }
  }

 private:
  static std::uint32_t distance(const Ring& ring, const Course& course, Position position) {
    const std::uint32_t forwards = ring.moved(position, ring.size() - course.starter.value).value;
    return course.cube == 0 || forwards == 0 ? forwards : ring.size() - forwards;
  }

  static Position at_distance(const Ring& ring, const Course& course, std::uint32_t steps) {
    return ring.moved(course.starter, course.cube == 0 ? steps : ring.size() - steps);
  }
};

}  // namespace

const Propagation& hba_propagation() {
  static const NeverDestroyed<Hba> only;
  return only.get();
}

}  // namespace holdfast
