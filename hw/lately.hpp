// How long ago a look may have been that a poll need not repeat. Where to look costs a call of the
// kernel, as for a second datagram or at other connections, whoever waits for one answer after the
// other has that call in each of its round trips. A process that has been stopped, or has computed,
// has not looked lately, so who judges by silence has heard all but what came in that time, which
// is as much as a look itself may take.
#pragma once

#include "stack/base/time.hpp"

namespace holdfast::hw {

constexpr Duration kLately = microseconds(20);

}  // namespace holdfast::hw
