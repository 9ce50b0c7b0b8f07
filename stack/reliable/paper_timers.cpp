// The timers of the original (Shipman et al., section 3.3; the defaults are those of its code): a
// virtual fragment goes on one rail. Its acknowledgement timer starts when its last fragment has
// been scheduled, as the paper has it (its code: when all have completed locally). When it runs
// out, the fragments that the mask does not have are sent again, and it starts anew, linearly
// longer. The last of so many times the rail is given up instead, and never taken back. The timer
// of local completion is the port's (Endpoint::Parts::watch_completions), as it is reset by each
// completion.
#include <algorithm>

#include "stack/reliable/sending.hpp"

namespace holdfast::reliable {

void Sending::schedule_as_in_paper(VirtualFragment& fragment, std::size_t rail, Time now) {
  if (fragment.rail != rail) fragment.retries = 0;
  fragment.rail = static_cast<std::uint8_t>(rail);
  if (fragment.waiting != 0) return;
  fragment.acknowledge_by =
      now + core_.options.paper.acknowledgement * (1 + std::int64_t{fragment.retries});
}

void Sending::expire_as_in_paper(Connection& connection, Time now) {
  for (std::uint32_t i = connection.outbound->fragments.first; i != kNone;
       i = Fragments::after(core_.fragments, i)) {
    VirtualFragment& fragment = core_.fragments[i];
    if (fragment.acknowledge_by > now) continue;
    fragment.acknowledge_by = Time::never();
    ++fragment.retries;
    if (fragment.retries >= core_.options.paper.acknowledgements_missed) {
      // What is under way on it is sent elsewhere (PeerRails::poll).
      connection.ways->handle(fragment.rail, RailEvent::failed_here, now);
      continue;
    }
    while (fragment.under_way != 0) give_up(connection, fragment.copy(fragment.under_way));
  }
}

Time Sending::next_deadline_as_in_paper(const Connection& connection) const {
  Time next = Time::never();
  for (std::uint32_t i = connection.outbound->fragments.first; i != kNone;
       i = Fragments::after(core_.fragments, i)) {
    next = std::min(next, core_.fragments[i].acknowledge_by);
  }
  return next;
}

}  // namespace holdfast::reliable
