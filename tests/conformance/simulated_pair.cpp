// The simulated fabric in the conformance suite: two processes of two nodes, and of one node, where
// they can watch each other; and under the wrapper that loses frames, here none.
#include <optional>

#include "sim/fabric/message_network.hpp"
#include "sim/fabric/sim_event.hpp"
#include "sim/faults/lossy_fabric.hpp"
#include "stack/base/assert.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

constexpr ProcessId kA{0}, kB{1};

class SimulatedPair final : public FabricPair {
 public:
  SimulatedPair(std::uint32_t nodes, bool wrapped) {
    sim::Pgft tree;
    const Status status = sim::Pgft::create({{2}, {1}, {1}}, tree);
    HOLDFAST_ASSERT(status.is_ok());
    paths_.emplace(tree, sim::LinkSpec{100'000'000'000, nanoseconds(150)}, nanoseconds(90));
    network_.emplace(
        sim::MessageNetworkOptions{
            .nodes = nodes, .per_node = 2 / nodes, .local_latency = {50'000}},
        *paths_, queue_);
    if (!wrapped) return;
    for (const ProcessId id : {kA, kB}) {
      wrappers_[id.value].emplace(network_->fabric(id), 0.0, Random(1, 1, id.value));
    }
  }

  Fabric& a() override { return fabric(kA); }
  Fabric& b() override { return fabric(kB); }

  // What was posted goes on the wire, and the clock jumps to the last arrival.
  void settle() override {
    network_->set_now(now_);
    network_->flush(kA);
    network_->flush(kB);
    while (!queue_.empty()) {
      const sim::QueuedEvent event = queue_.pop();
      now_ = {event.time};
      network_->set_now(now_);
      const std::uint32_t number = event.payload & sim::kSimEventNumberMask;
      if (sim::sim_event_kind(event.payload) == sim::SimEventKind::deliver) {
        network_->deliver({event.target}, number);
      } else {
        network_->tell_ended({event.target}, {number});
      }
    }
  }

  Time now() override { return Time{} + round_up(now_); }

  void end_b() override {
    network_->set_now(now_);
    network_->stop(kB);
  }

 private:
  Fabric& fabric(ProcessId id) {
    auto& wrapper = wrappers_[id.value];
    return wrapper ? static_cast<Fabric&>(*wrapper) : network_->fabric(id);
  }

  sim::EventQueue queue_;
  std::optional<sim::PathTimes> paths_;
  std::optional<sim::MessageNetwork> network_;
  std::optional<sim::LossyFabric> wrappers_[2];
  sim::SimTime now_{};
};

const RegisteredFabric kMessage({"Message", true, false, []() -> std::unique_ptr<FabricPair> {
                                   return std::make_unique<SimulatedPair>(2, false);
                                 }});
const RegisteredFabric kMessageOneNode({"MessageOneNode", true, true,
                                        []() -> std::unique_ptr<FabricPair> {
                                          return std::make_unique<SimulatedPair>(1, false);
                                        }});
const RegisteredFabric kLossyWithoutLoss({"LossyWithoutLoss", true, true,
                                          []() -> std::unique_ptr<FabricPair> {
                                            return std::make_unique<SimulatedPair>(1, true);
                                          }});

}  // namespace
}  // namespace holdfast::conformance
