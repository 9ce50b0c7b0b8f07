// Links are as slow as the job bears, so that few packets of others are enough to fill them.
//
// Units: bytes with their headers, where nothing else is said.
#include "tests/swarm/draw_packets.hpp"

#include <algorithm>
#include <cmath>

#include "sim/topology/path_times.hpp"

namespace holdfast::swarm {

namespace {

using sim::FlowControl;
using sim::PacketWireOptions;
using sim::TrafficOptions;
using sim::TrafficPattern;

constexpr double kPackets = 12'000;          // of others, about, in one scenario
constexpr std::int64_t kFrame = 512 + 34;    // the largest one
constexpr std::uint32_t kPayloadMax = 4096;  // of others' packets
constexpr std::uint8_t kOwnLevel = 15;
constexpr std::int64_t kBufferMax = 0xffff * std::int64_t{sim::kBlockBytes};

class PacketDraw {
 public:
  PacketDraw(Dice& dice, Duration window, Scenario& scenario)
      : dice_(dice),
        window_(window),
        scenario_(scenario),
        period_(scenario.simulation.engine.membership.detection.period) {}

  bool draw() {
    kinds_ = dice_.below(4);
    link();
    lanes();
    wire();
    for (std::uint64_t i = 0; i < kinds_; ++i) packets_.traffic.push_back(traffic());
    scenario_.packets = packets_;
    scenario_.message_time = period_ / 4;
    return (own_ || kinds_ == 0) && !scenario_.discards;
  }

 private:
  // What the job may have to send at one moment: notices to all targets, and as much again.
  std::int64_t burst() const {
    const std::int64_t processes = std::int64_t{scenario_.roster.nodes} * scenario_.roster.per_node;
    const bool flood = scenario_.simulation.engine.membership.propagation == "flood";
    const std::int64_t targets = flood ? processes : std::min<std::int64_t>(processes, 16);
    return std::max<std::int64_t>(processes * targets * 2 * kFrame, 32'768);
  }

  // One link carries the burst in an eighth of a period. Then the largest packet of others takes
  // less than a 60th of it, and a frame with a lane of its own waits for one at each of four ports:
  // in all less than a quarter, which is the message time. With three levels there are six ports,
  // and links are faster by as much.
  void link() {
    sim::LinkSpec& link = scenario_.link;
    const std::int64_t share = scenario_.pods > 1 ? 96 : 64;  // bits of the burst, in a period
    link.bits_per_second = burst() * share * 1'000'000'000 / period_.ns << dice_.below(5);
    link.latency = dice_.one_in(6) ? Duration{0} : dice_.up_to(microseconds(1));
  }

  void lanes() {
    PacketWireOptions& wire = packets_.wire;
    wire.lanes.clear();
    const std::uint32_t lanes = dice_.between(1, 3);
    own_ = lanes > 1 && dice_.one_in(2);
    for (std::uint32_t i = 0; i < lanes; ++i) {
      const bool high = own_ ? i + 1 == lanes : dice_.one_in(3);
      wire.lanes.push_back({.high = high, .weight = dice_.between(1, 20)});
    }
    for (std::uint32_t i = 0; i < sim::kServiceLevels; ++i) {
      wire.lane_of_service_level[i] = static_cast<std::uint8_t>(i % (own_ ? lanes - 1 : lanes));
    }
    if (own_) wire.lane_of_service_level[kOwnLevel] = static_cast<std::uint8_t>(lanes - 1);
    packets_.service_level = own_ ? kOwnLevel : other_level();
  }
  std::uint8_t other_level() { return static_cast<std::uint8_t>(dice_.below(kOwnLevel)); }

  void wire() {
    PacketWireOptions& wire = packets_.wire;
    wire.switching =
        dice_.one_in(3) ? sim::Switching::store_and_forward : sim::Switching::cut_through;
    wire.flow_control = dice_.one_in(3) ? FlowControl::drop_tail : FlowControl::credits;
    wire.switch_latency = dice_.up_to(nanoseconds(300));
    wire.collapse = !dice_.one_in(3);
    // At least what keeps a link busy while credits come home, and with drop-tail the burst.
    const Duration away = scenario_.link.latency * 2 + wire.switch_latency;
    const std::int64_t under_way = scenario_.link.bits_per_second / 8 * away.ns / 1'000'000'000;
    payload_max_ = dice_.between(64, kPayloadMax);
    const std::int64_t largest =
        std::max<std::int64_t>(kFrame, payload_max_ + sim::kPacketOverheadBytes);
    if (dice_.one_in(4)) {
      wire.head_lifetime = Duration{0};
    } else if (!dice_.one_in(3)) {
      wire.head_lifetime = lifetime(largest);
    }
    std::int64_t buffer = (under_way + 3 * largest) << dice_.below(4);
    if (wire.flow_control == FlowControl::drop_tail) {
      buffer = std::max(buffer, burst());
      scenario_.discards = true;  // a storm of those who were away may be more than any buffer
    }
    wire.buffer_bytes = static_cast<std::uint32_t>(std::min(buffer, kBufferMax));
  }

  // No frame of the job is at the head of its queue for longer than all of them take. A shorter
  // life ends that of some in an incast, and perhaps when everybody speaks at once.
  Duration lifetime(std::int64_t largest) {
    const Duration few = takes(largest * dice_.between(1, 8));
    scenario_.discards = !dice_.one_in(3);
    return scenario_.discards ? few : few + takes(burst());
  }
  Duration takes(std::int64_t bytes) const {
    return nanoseconds(bytes * 8'000'000'000 / scenario_.link.bits_per_second + 1);
  }

  // Either for good, with so little that it ends some time, or for a part of the window.
  TrafficOptions traffic() {
    TrafficOptions traffic;
    const std::uint32_t hosts = scenario_.tree().host_count();
    traffic.pattern = static_cast<TrafficPattern>(dice_.below(hosts < 3 ? 3 : 4));
    traffic.load = dice_.one_in(3) ? 1.0 : 0.01 + 0.99 * dice_.unit();
    traffic.bytes = dice_.between(0, payload_max_);
    traffic.service_level = other_level();
    traffic.victim_service_level = other_level();
    traffic.shift = dice_.between(1, hosts - 1);
    traffic.target = NodeId{dice_.between(0, hosts - 1)};
    if (hosts > 2) traffic.senders = dice_.between(1, hosts - 2);
    const bool incast = traffic.pattern == TrafficPattern::incast;
    const double senders = incast ? traffic.senders + 1.0 : hosts;
    // With all its senders at full rate the traffic has had its packets after that many ns.
    const double bits = 8.0 * (double{1} * traffic.bytes + sim::kPacketOverheadBytes);
    const double full_rate = kPackets / static_cast<double>(kinds_) / senders * bits * 1e9 /
                             static_cast<double>(scenario_.link.bits_per_second);
    if (own_ && dice_.one_in(3)) {
      traffic.load = std::min(traffic.load, full_rate / static_cast<double>(horizon().ns));
      return traffic;
    }
    const double most = std::min(full_rate / traffic.load, static_cast<double>(window_.ns));
    const Duration lasts = nanoseconds(static_cast<std::int64_t>(most));
    traffic.from = Time{} + dice_.up_to(window_ * 3 / 4);
    // Half of it while some fault comes.
    const auto& events = scenario_.faults.events;
    if (!events.empty() && dice_.one_in(2)) {
      const Time fault = events[dice_.below(events.size())].at;
      traffic.from = std::max(Time{}, fault - dice_.up_to(lasts));
    }
    traffic.until = traffic.from + lasts;
    return traffic;
  }

  // By when most scenarios are over.
  Duration horizon() const {
    const auto& events = scenario_.faults.events;
    Duration last = window_;
    for (const sim::FaultEvent& event : events) last = std::max(last, event.at - Time{});
    return last + scenario_.simulation.engine.membership.detection.timeout * 50;
  }

  Dice& dice_;
  Duration window_;
  Scenario& scenario_;
  Duration period_;
  sim::PacketCarrierOptions packets_;
  std::uint64_t kinds_ = 0;  // of traffic
  std::uint32_t payload_max_ = 0;
  bool own_ = false;  // the frames have a lane of their own, which goes first
};

}  // namespace

bool draw_packets(Dice& dice, Duration window, Scenario& scenario) {
  return PacketDraw(dice, window, scenario).draw();
}

Time end_of_traffic(const Scenario& scenario) {
  Time end;
  if (!scenario.packets) return end;
  for (const TrafficOptions& kind : scenario.packets->traffic) {
    if (kind.until == Time::never()) continue;
    end = std::max(end, kind.until + scenario.simulation.engine.membership.detection.period * 4);
  }
  return end;
}

}  // namespace holdfast::swarm
