// Two real fabrics of this machine.
#pragma once

#include <time.h>

#include <memory>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "stack/base/status.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {

class RealPair final : public FabricPair {
 public:
  // Neither is null.
  RealPair(std::unique_ptr<Fabric> a, std::unique_ptr<Fabric> b)
      : a_(std::move(a)), b_(std::move(b)) {}

  Fabric& a() override { return *a_; }
  Fabric& b() override { return *b_; }
  void settle() override {
    const timespec nap{0, 1'000'000};
    ::nanosleep(&nap, nullptr);
  }
  Time now() override { return hw::monotonic_now(); }
  void end_b() override { b_.reset(); }

 private:
  std::unique_ptr<Fabric> a_;
  std::unique_ptr<Fabric> b_;
};

// Null if one cannot be opened.
template <class RealFabric, class Options>
std::unique_ptr<FabricPair> make_real_pair(Status (*open)(const Options&,
                                                          std::unique_ptr<RealFabric>&),
                                           Options of_a, Options of_b) {
  std::unique_ptr<RealFabric> a, b;
  for (Options* const options : {&of_a, &of_b}) options->send_depth = options->receive_depth = 40;
  if (!open(of_a, a).is_ok() || !open(of_b, b).is_ok()) return nullptr;
  return std::make_unique<RealPair>(std::move(a), std::move(b));
}

}  // namespace holdfast::conformance
