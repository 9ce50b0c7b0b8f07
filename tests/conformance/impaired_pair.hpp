// Every fabric of the suite once more, under the wrapper that loses, doubles, corrupts, delays and
// reorders frames. At rates of zero it must not be noticed.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "stack/impair/impaired_fabric.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {

class ImpairedPair final : public FabricPair {
 public:
  ImpairedPair(std::unique_ptr<FabricPair> pair, const FrameFaults& faults)
      : pair_(std::move(pair)),
        a_(pair_->a(), options(faults, 0)),
        b_(pair_->b(), options({}, 1)) {}

  // Only what a sends is impaired.
  ImpairedFabric& a() override { return a_; }
  ImpairedFabric& b() override { return b_; }
  // Also what is late: its clock goes on though no clock of a simulation does.
  void settle() override {
    pair_->settle();
    passed_ = passed_ + milliseconds(1);
  }
  Time now() override { return pair_->now(); }
  Time clock_of_late_frames() { return pair_->now() + passed_; }
  void end_b() override { pair_->end_b(); }
  Address watched_address() override { return pair_->watched_address(); }

 private:
  ImpairedOptions options(const FrameFaults& faults, std::uint64_t life) {
    return {.faults = faults, .seed = 1, .life = life, .clock = [this] {
              return clock_of_late_frames();
            }};
  }

  std::unique_ptr<FabricPair> pair_;
  Duration passed_;
  ImpairedFabric a_;
  ImpairedFabric b_;
};

inline std::vector<FabricFactory> without_faults(std::vector<FabricFactory> factories) {
  for (FabricFactory& factory : factories) {
    factory.make = [make = factory.make]() -> std::unique_ptr<FabricPair> {
      std::unique_ptr<FabricPair> pair = make();
      if (pair == nullptr) return nullptr;
      return std::make_unique<ImpairedPair>(std::move(pair), FrameFaults{});
    };
  }
  return factories;
}

}  // namespace holdfast::conformance
