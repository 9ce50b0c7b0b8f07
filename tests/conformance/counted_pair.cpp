// The fabric that counts, around UDP: it must not be noticed.
#include "hw/status/counting_fabric.hpp"

#include <memory>
#include <utility>

#include "hw/udp/udp_fabric.hpp"
#include "tests/conformance/real_pair.hpp"

namespace holdfast::conformance {
namespace {

class CountedPair final : public FabricPair {
 public:
  explicit CountedPair(std::unique_ptr<FabricPair> udp)
      : udp_(std::move(udp)), a_(udp_->a()), b_(udp_->b()) {}

  Fabric& a() override { return a_; }
  Fabric& b() override { return b_; }
  void settle() override { udp_->settle(); }
  Time now() override { return udp_->now(); }
  void end_b() override { udp_->end_b(); }

 private:
  std::unique_ptr<FabricPair> udp_;
  hw::CountingFabric a_;
  hw::CountingFabric b_;
};

std::unique_ptr<FabricPair> make() {
  auto udp = make_real_pair(hw::UdpFabric::open, hw::UdpOptions{}, hw::UdpOptions{});
  if (!udp) return nullptr;
  return std::make_unique<CountedPair>(std::move(udp));
}

const RegisteredFabric registered(
    {.name = "counted_udp", .datagram = true, .make = make, .variant = true});

}  // namespace
}  // namespace holdfast::conformance
