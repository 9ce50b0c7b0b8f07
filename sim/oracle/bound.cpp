#include "sim/oracle/bound.hpp"

namespace holdfast::sim {

Duration convergence_bound(const BoundInputs& in) {
  return in.timeout * (4 * in.dead_stretch + 2 * in.domains * in.domain_size + 20);
}

}  // namespace holdfast::sim
