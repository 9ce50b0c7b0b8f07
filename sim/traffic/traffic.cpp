// Times and destinations; see the header.
#include "sim/traffic/traffic.hpp"

#include <string>

#include "sim/topology/path_times.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/elementary.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint64_t kTrafficStream = 0x74726166;  // and the index of the traffic above it

}  // namespace

Status Traffic::check(const TrafficOptions& options, std::uint32_t hosts) {
  const bool incast = options.pattern == TrafficPattern::incast;
  const std::uint32_t least = incast ? 3 : 2;
  const auto found = [hosts](const std::string& what, std::uint32_t most) {
    return Status::error("found " + what + " among " + std::to_string(hosts) +
                         " hosts; expected at most " + std::to_string(most));
  };
  if (hosts < least) {
    return Status::error("found traffic among " + std::to_string(hosts) +
                         " hosts; expected at least " + std::to_string(least) + " of them");
  }
  if (options.pattern == TrafficPattern::permutation && options.shift >= hosts) {
    return found("a shift of " + std::to_string(options.shift), hosts - 1);
  }
  if (incast && options.target.value >= hosts) {
    return found("the target " + std::to_string(options.target.value), hosts - 1);
  }
  if (incast && options.senders > hosts - 2) {
    return found(std::to_string(options.senders) + " senders", hosts - 2);
  }
  return Status::ok();
}

Traffic::Traffic(const TrafficOptions& options, std::uint64_t seed, std::uint32_t index,
                 const FabricGraph& graph)
    : options_(options),
      index_(index),
      hosts_(graph.host_count()),
      until_(options.until == Time::never() ? SimTime::never()
                                            : to_sim_time(options.until - Time{})) {
  HOLDFAST_ASSERT(options.load > 0.0 && options.load <= 1.0 && index <= kIndexMask);
  HOLDFAST_ASSERT(check(options, hosts_).is_ok());
  if (options.pattern != TrafficPattern::incast) {
    for (std::uint32_t host = 0; host < hosts_; ++host) add_sender({host}, false, seed, graph);
    return;
  }
  // Every step-th host behind the target. With two hosts or more between them the victim is the
  // one behind the first; else the last host of all, which is none of them.
  const std::uint32_t step = (hosts_ - 1) / options.senders;
  const auto behind_target = [&](std::uint32_t count) {
    return NodeId{(options.target.value + count) % hosts_};
  };
  for (std::uint32_t i = 1; i <= options.senders; ++i) {
    add_sender(behind_target(i * step), false, seed, graph);
  }
  const bool dense = step == 1;
  add_sender(behind_target(dense ? hosts_ - 1 : step + 1), true, seed, graph);
}

void Traffic::add_sender(NodeId host, bool victim, std::uint64_t seed, const FabricGraph& graph) {
  const std::uint32_t link = graph.endpoint_link(host);
  if (link == kNone) return;
  const double bits = 8.0 * (double{1} * options_.bytes + kPacketOverheadBytes);
  const double units = bits * static_cast<double>(kSimUnitsPerSecond) /
                       static_cast<double>(graph.links()[link].bits_per_second);
  const std::uint64_t purpose = std::uint64_t{index_} << 32 | kTrafficStream;
  senders_.push_back({Random(seed, purpose, host.value), units / options_.load, host, 0, victim});
  plan_next(static_cast<std::uint32_t>(senders_.size() - 1), to_sim_time(options_.from - Time{}));
}

// Gaps of a Poisson process are exponential.
void Traffic::plan_next(std::uint32_t index, SimTime after) {
  Sender& sender = senders_[index];
  const double gap = -natural_log(1.0 - sender.random.unit()) * sender.mean_gap;
  const SimTime next = after + SimTime{static_cast<std::int64_t>(gap + 0.5)};
  if (next < until_) due_.push(next.value, index, 0);
}

std::pair<NodeId, std::uint32_t> Traffic::destination(Sender& sender) const {
  std::uint32_t shift = options_.shift;
  std::uint32_t address = sender.turn;
  bool ends_turn = true;
  switch (options_.pattern) {
    case TrafficPattern::uniform:
      shift = 1 + static_cast<std::uint32_t>(sender.random.below(hosts_ - 1));
      break;
    case TrafficPattern::permutation:
      break;
    case TrafficPattern::all_to_all:
      shift = 1 + sender.next;
      address += sender.next;
      sender.next = (sender.next + 1) % (hosts_ - 1);
      ends_turn = sender.next == 0;
      break;
    case TrafficPattern::incast:
      shift = options_.target.value + (sender.victim ? 1 : 0) + hosts_ - sender.host.value;
      break;
  }
  if (ends_turn) ++sender.turn;
  return {NodeId{(sender.host.value + shift) % hosts_}, address};
}

std::optional<Shipment> Traffic::take(const PacketWire& wire) {
  const QueuedEvent event = due_.pop();
  const SimTime now{event.time};
  Sender& sender = senders_[event.target];
  PacketCounts& counts = sender.victim ? victim_ : counts_;
  // Drawn even if it is not sent, so that what follows does not depend on the fabric.
  const auto [to, address] = destination(sender);
  plan_next(event.target, now);
  if (wire.waiting_at(sender.host) >= kDepth) {
    ++counts.skipped;
    return std::nullopt;
  }
  ++counts.sent;
  Shipment shipment{.from = sender.host, .to = to, .bytes = options_.bytes};
  shipment.path = static_cast<std::uint8_t>(address % wire.paths());
  shipment.service_level = sender.victim ? options_.victim_service_level : options_.service_level;
  shipment.token = kTokenBit | (sender.victim ? kVictimBit : 0) |
                   std::uint64_t{index_} << kIndexShift |
                   (static_cast<std::uint64_t>(now.value) & kTimeMask);
  return shipment;
}

void Traffic::account(const PacketReport& report) {
  PacketCounts& counts = (report.token & kVictimBit) != 0 ? victim_ : counts_;
  const std::uint64_t delay =
      (static_cast<std::uint64_t>(report.at.value) - report.token) & kTimeMask;
  counts.finish(report.fate, {static_cast<std::int64_t>(delay)});
}

}  // namespace holdfast::sim
