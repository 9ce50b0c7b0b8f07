// The formula; its parts have the names of the derivation.
#include "sim/oracle/bound.hpp"

namespace holdfast::sim {

Duration convergence_bound(const BoundInputs& in) {
  const std::int64_t processes = std::int64_t{in.domains} * in.domain_size;
  const Duration settle = in.timeout + in.period * 2 + in.hold;
  const Duration detect = in.timeout * 2 * in.dead_stretch + in.period + in.hold;
  const Duration contact = in.timeout * processes;
  const Duration spread =
      in.retransmission_timeout + (in.period * 2 + in.message_time * 3) * in.domains;
  return settle + contact + (detect + spread) * 2;
}

}  // namespace holdfast::sim
