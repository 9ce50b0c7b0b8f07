// How long ago a look may have been that a poll need not repeat. To look costs a call of the
// kernel, be it for a second datagram or for other connections, and whoever waits for one answer
// after the other has that call in each of its round trips. A process that has been stopped, or has
// computed, has not looked lately; so who judges by silence has heard all but what came in this
// time, which is no more than a look may take where the processor is lost. Who must have heard all
// says so (Fabric::look_anew).
#pragma once

#include "stack/base/time.hpp"

namespace holdfast::hw {

constexpr Duration kLately = microseconds(20);

}  // namespace holdfast::hw
