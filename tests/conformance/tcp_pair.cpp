// hw/tcp in the conformance suite: two listeners on loopback.
#include <time.h>

#include "hw/monotonic_clock.hpp"
#include "hw/tcp/tcp_fabric.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

class TcpPair final : public FabricPair {
 public:
  TcpPair() {
    hw::TcpOptions options;
    options.frame_bytes_max = 1'472;
    options.send_depth = 40;
    options.receive_depth = 40;
    if (!hw::TcpFabric::open(options, a_).is_ok()) a_.reset();
    if (!hw::TcpFabric::open(options, b_).is_ok()) b_.reset();
  }
  bool opened() const { return a_ != nullptr && b_ != nullptr; }

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override {
    const timespec nap{0, 1'000'000};
    ::nanosleep(&nap, nullptr);
  }
  Time now() override { return hw::monotonic_now(); }
  void end_b() override { b_.reset(); }

 private:
  std::unique_ptr<hw::TcpFabric> a_;
  std::unique_ptr<hw::TcpFabric> b_;
};

std::unique_ptr<FabricPair> make() {
  auto pair = std::make_unique<TcpPair>();
  if (!pair->opened()) return nullptr;
  return pair;
}

const RegisteredFabric registered({.name = "tcp", .datagram = true, .make = make});

}  // namespace
}  // namespace holdfast::conformance
