// hw/tcp in the conformance suite: two listeners on loopback, of IPv4 and of IPv6.
#include "hw/tcp/tcp_fabric.hpp"
#include "tests/conformance/real_pair.hpp"

namespace holdfast::conformance {
namespace {

std::unique_ptr<FabricPair> make_at(hw::IpAddress ip) {
  hw::TcpOptions options;
  options.local.ip = ip;
  options.frame_bytes_max = 1'472;
  return make_real_pair(hw::TcpFabric::open, options, options);
}

std::unique_ptr<FabricPair> make() {
  return make_at(hw::kLoopback);
}

std::unique_ptr<FabricPair> make_v6() {
  return make_at(hw::kLoopbackV6);
}

const RegisteredFabric registered({.name = "tcp", .datagram = true, .make = make});
const RegisteredFabric registered_v6(
    {.name = "tcp6", .datagram = true, .make = make_v6, .variant = true});

}  // namespace
}  // namespace holdfast::conformance
