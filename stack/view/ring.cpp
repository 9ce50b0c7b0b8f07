// Who speaks for a domain, and who is next around the ring.
#include "stack/view/ring.hpp"

namespace holdfast {

ProcessId Ring::speaker(DomainId domain) const {
  for (std::uint32_t i = 0; i < roster_.domain_size(); ++i) {
    const ProcessId process = roster_.member(domain, i);
    if (view_.live(process)) return process;
  }
  return kNoProcess;
}

Position Ring::walk(Position from, std::uint32_t step) const {
  Position at = moved(from, step);
  while (at != from && !live(at)) at = moved(at, step);
  return at;
}

}  // namespace holdfast
