// One target of a circulant graph, if it is to be sent to.
#include "stack/propagate/circulant.hpp"

#include <algorithm>

namespace holdfast {

void add_circulant_target(const Ring& ring, Position from, std::uint32_t offset,
                          Direction direction, std::vector<Target>& to) {
  const bool forward = direction == Direction::forward;
  Position target = ring.moved(from, forward ? offset : ring.size() - offset);
  if (offset == 1) target = forward ? ring.next_live(from) : ring.previous_live(from);
  // Where two offsets meet, one message is enough.
  const auto is_it = [=](const Target& known) { return known.position == target; };
  if (target == from || std::any_of(to.begin(), to.end(), is_it)) return;
  add_if_live(ring, target, to);
}

}  // namespace holdfast
