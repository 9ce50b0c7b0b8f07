// One target of a circulant graph, if it is to be sent to.
#include "stack/propagate/circulant.hpp"

#include <algorithm>

namespace holdfast {

void add_circulant_target(const Ring& ring, Position from, std::uint32_t offset,
                          Direction direction, std::vector<Position>& to) {
  const bool forward = direction == Direction::forward;
  Position target = ring.moved(from, forward ? offset : ring.size() - offset);
  if (offset == 1) {
    target = forward ? ring.next_live(from) : ring.previous_live(from);
  } else if (!ring.live(target)) {
    return;
  }
  // Where two offsets meet, one message is enough.
  if (target == from || std::find(to.begin(), to.end(), target) != to.end()) return;
  to.push_back(target);
}

}  // namespace holdfast
