// hw/tcp in the conformance suite: two listeners on loopback.
#include "hw/tcp/tcp_fabric.hpp"
#include "tests/conformance/real_pair.hpp"

namespace holdfast::conformance {
namespace {

std::unique_ptr<FabricPair> make() {
  hw::TcpOptions options;
  options.frame_bytes_max = 1'472;
  return make_real_pair(hw::TcpFabric::open, options, options);
}

const RegisteredFabric registered({.name = "tcp", .datagram = true, .make = make});

}  // namespace
}  // namespace holdfast::conformance
