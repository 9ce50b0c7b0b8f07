// Packet fidelity and background traffic of a scenario.
#pragma once

#include "stack/base/time.hpp"
#include "tests/swarm/dice.hpp"
#include "tests/swarm/scenario.hpp"

namespace holdfast::swarm {

// Makes the frames of a scenario packets, with traffic beside them in most cases: some during the
// `window` in which things break, some for good. True if no frame can be lost or come late for the
// traffic. To be called when everything else is drawn.
bool draw_packets(Dice& dice, Duration window, Scenario& scenario);

// When the traffic that ends has ended and what it left in the fabric has drained; the start of the
// run if there is none.
Time end_of_traffic(const Scenario& scenario);

}  // namespace holdfast::swarm
