// Whether another thread computes on the same core. Hyper-threads share what executes instructions,
// and on a virtual machine the other one is perhaps somebody else's: neither processor time nor the
// clock shows it, but all that computes is slower, and what waits for other processors is not.
#pragma once

namespace holdfast::hw {

// Additions that this processor does in a cycle, of at most four that do not wait for one another.
// A cycle is taken to be a third of how long a multiplication of 64 bits waits for the one before,
// which holds for x86-64 processors since 2008; elsewhere only two values of one machine may be
// compared. Near four where the core is this thread's alone. Takes some 40 µs.
double additions_per_cycle();

}  // namespace holdfast::hw
