// The network of cables with a rate in the conformance suite: a fast one with everything inline,
// and one whose rate does not divide, with large frames and little room.
#include "sim/pipe/pipe_network.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

constexpr ProcessId kA{0}, kB{1};

class PipePair final : public FabricPair {
 public:
  explicit PipePair(const sim::PipeOptions& options) : network_(options, queue_, 0) {}

  Fabric& a() override { return network_.fabric(kA); }
  Fabric& b() override { return network_.fabric(kB); }

  void settle() override {
    while (!queue_.empty()) {
      const sim::QueuedEvent event = queue_.pop();
      now_ = {event.time};
      network_.set_now(now_);
      network_.handle(event);
    }
  }

  Time now() override { return Time{} + round_up(now_); }
  void end_b() override { network_.stop(kB); }

 private:
  sim::EventQueue queue_;
  sim::PipeNetwork network_;
  sim::SimTime now_{};
};

const RegisteredFabric kFast({"Pipe", true, false, []() -> std::unique_ptr<FabricPair> {
                                return std::make_unique<PipePair>(sim::PipeOptions{});
                              }});
const RegisteredFabric kSlow({"PipeSlow", true, false, []() -> std::unique_ptr<FabricPair> {
                                return std::make_unique<PipePair>(
                                    sim::PipeOptions{.bits_per_second = 7'000'001,
                                                     .latency = milliseconds(3),
                                                     .frame_bytes_max = 9000,
                                                     .inline_bytes_max = 9000,
                                                     .send_depth = 32,
                                                     .receive_depth = 6});
                              }});

}  // namespace
}  // namespace holdfast::conformance
