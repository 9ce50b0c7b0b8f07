// hw/verbs in the conformance suite, on a machine with adapters: the first two ports, or the only
// one twice.
#include "hw/verbs/verbs.hpp"
#include "tests/conformance/real_pair.hpp"

namespace holdfast::conformance {
namespace {

std::unique_ptr<FabricPair> make() {
  std::vector<hw::VerbsPort> ports;
  if (!hw::find_verbs_ports(ports).is_ok()) return nullptr;
  hw::VerbsOptions of_a{.port = ports.front(), .queue_key = 0x1234};
  of_a.connections_max = 4;
  hw::VerbsOptions of_b = of_a;
  of_b.port = ports[ports.size() > 1 ? 1 : 0];
  return make_real_pair(hw::open_verbs, of_a, of_b);
}

const bool registered = [] {
  std::vector<hw::VerbsPort> ports;
  if (!hw::find_verbs_ports(ports).is_ok()) return false;
  RegisteredFabric({.name = "verbs", .datagram = true, .make = make, .connected = true});
  return true;
}();

}  // namespace
}  // namespace holdfast::conformance
