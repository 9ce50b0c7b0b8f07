// Whether another thread computes on the same core. Hyper-threads share what executes instructions,
// and on a virtual machine the other one is perhaps somebody else's: neither processor time nor the
// clock shows it, but all that computes is slower, and what waits for other processors is not.
#pragma once

namespace holdfast::hw {

// Additions that this processor does in a cycle, of four that do not wait for one another. A cycle
// is taken to be a third of how long a multiplication of 64 bits waits for the one before; where it
// is another part, the value is another one. Only values of one machine may be compared: 3.70 where
// the core was this thread's alone, and 2.8 to 3.6 where it was not, on an AMD EPYC of the family
// Zen 5. Takes some 40 µs.
double additions_per_cycle();

}  // namespace holdfast::hw
