// The simulated fabric in the conformance suite: two processes of two nodes, and of one node, where
// they can watch each other. Between two nodes also at packet fidelity: with each kind of switching
// and flow control, with the collapse and without, and amid traffic that goes before the frames at
// every port.
#include <optional>

#include "sim/fabric/message_network.hpp"
#include "sim/fabric/packet_carrier.hpp"
#include "sim/fabric/sim_event.hpp"
#include "sim/topology/dmodk.hpp"
#include "stack/base/assert.hpp"
#include "tests/conformance/fabric_pair.hpp"

namespace holdfast::conformance {
namespace {

constexpr ProcessId kA{0}, kB{1};

constexpr sim::LinkSpec kLink{100'000'000'000, nanoseconds(150)};

class SimulatedPair final : public FabricPair {
 public:
  explicit SimulatedPair(std::uint32_t nodes) {
    const Status status = sim::Pgft::create({{2}, {1}, {1}}, tree_);
    HOLDFAST_ASSERT(status.is_ok());
    paths_.emplace(tree_, kLink, nanoseconds(90));
    network_.emplace(
        sim::MessageNetworkOptions{
            .nodes = nodes, .per_node = 2 / nodes, .local_latency = {50'000}},
        *paths_, queue_);
  }

  // Two nodes whose frames are packets.
  explicit SimulatedPair(const sim::PacketCarrierOptions& packets) : SimulatedPair(2) {
    const sim::FabricGraph graph = sim::build_pgft(tree_, kLink);
    forwarding_.emplace(tree_, 1);
    carrier_.emplace(packets, graph, *forwarding_, 1);
    network_->set_carrier(*carrier_);
  }

  Fabric& a() override { return network_->fabric(kA); }
  Fabric& b() override { return network_->fabric(kB); }

  // What was posted goes on the wire, and the clock jumps to the last arrival.
  void settle() override {
    network_->set_now(now_, now());
    network_->flush(kA);
    network_->flush(kB);
    while (network_->frames_under_way() > 0 || !queue_.empty()) {
      if (carrier_ && step_packets()) continue;
      const sim::QueuedEvent event = queue_.pop();
      set_now({event.time});
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
    network_->set_now(now_, now());
    network_->stop(kB);
  }

 private:
  void set_now(sim::SimTime instant) {
    now_ = instant;
    network_->set_now(now_, now());
  }

  // False if an event of the queue comes first.
  bool step_packets() {
    const auto outside = queue_.empty() ? sim::SimTime::never() : sim::SimTime{queue_.next_time()};
    if (!carrier_->precedes(outside)) return false;
    carrier_->step();
    for (const sim::CarriedFrame& carried : carrier_->done()) {
      set_now(carried.at);
      network_->deliver(carried);
    }
    carrier_->clear_done();
    return true;
  }

  sim::Pgft tree_;
  sim::EventQueue queue_;
  std::optional<sim::PathTimes> paths_;
  std::optional<sim::DmodkForwarding> forwarding_;  // of packets only, as is the carrier
  std::optional<sim::PacketCarrier> carrier_;
  std::optional<sim::MessageNetwork> network_;
  sim::SimTime now_{};
};

const RegisteredFabric kMessage({"Message", true, false, []() -> std::unique_ptr<FabricPair> {
                                   return std::make_unique<SimulatedPair>(2);
                                 }});
const RegisteredFabric kMessageOneNode({"MessageOneNode", true, true,
                                        []() -> std::unique_ptr<FabricPair> {
                                          return std::make_unique<SimulatedPair>(1);
                                        }});

std::unique_ptr<FabricPair> packets(sim::Switching switching, sim::FlowControl flow_control,
                                    bool collapse) {
  sim::PacketCarrierOptions options;
  options.wire.switching = switching;
  options.wire.flow_control = flow_control;
  options.wire.collapse = collapse;
  return std::make_unique<SimulatedPair>(options);
}

const RegisteredFabric kPacket({.name = "Packet", .datagram = true, .make = []() {
                                  return packets(sim::Switching::cut_through,
                                                 sim::FlowControl::credits, true);
                                }});
const RegisteredFabric kPacketHopByHop({.name = "PacketHopByHop",
                                        .datagram = true,
                                        .make =
                                            []() {
                                              return packets(sim::Switching::cut_through,
                                                             sim::FlowControl::credits, false);
                                            },
                                        .variant = true});
const RegisteredFabric kPacketStored({.name = "PacketStored",
                                      .datagram = true,
                                      .make =
                                          []() {
                                            return packets(sim::Switching::store_and_forward,
                                                           sim::FlowControl::drop_tail, true);
                                          },
                                      .variant = true});

// Both hosts send each other traffic of a higher lane, nine tenths of their links.
std::unique_ptr<FabricPair> amid_traffic() {
  sim::PacketCarrierOptions options;
  options.wire.lane_of_service_level = {0, 1};
  options.traffic.push_back(
      {.pattern = sim::TrafficPattern::permutation, .load = 0.9, .service_level = 1});
  return std::make_unique<SimulatedPair>(options);
}

const RegisteredFabric kPacketAmidTraffic(
    {.name = "PacketAmidTraffic", .datagram = true, .make = amid_traffic, .variant = true});

}  // namespace
}  // namespace holdfast::conformance
