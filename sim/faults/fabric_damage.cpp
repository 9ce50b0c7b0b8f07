// Ways are walked only while something is wrong.
#include "sim/faults/fabric_damage.hpp"

#include <algorithm>
#include <map>

#include "sim/topology/path_times.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint64_t kImpairmentStream = 0x696d706169723031;

FabricPart part_of(const FaultEvent& fault) {
  const bool is_link = fault.target == FaultTarget::link;
  return {is_link ? FabricPart::Kind::link : FabricPart::Kind::device, fault.index};
}

}  // namespace

FabricDamage::FabricDamage(const Routing& routing, const SubnetManagerOptions& options,
                           std::uint32_t nodes, std::uint64_t seed)
    : routing_(routing),
      manager_(routing, options),
      nodes_(nodes),
      random_(seed, kImpairmentStream, 0) {}

void FabricDamage::play(const FaultEvent& fault, const FaultSchedule& schedule, SimTime now) {
  const bool begins = fault.action == FaultAction::crash;
  HOLDFAST_ASSERT(begins || fault.action == FaultAction::repair);
  harmless_.reset();
  if (fault.target != FaultTarget::impairment) {
    if (begins) {
      manager_.part_down(part_of(fault), now);
    } else {
      manager_.part_up(part_of(fault), now);
    }
  } else if (begins) {
    impairments_.push_back({fault.index, schedule.impairments.at(fault.index)});
  } else {
    std::erase_if(impairments_, [&](const Active& active) { return active.index == fault.index; });
  }
}

void FabricDamage::apply(SimTime now) {
  harmless_.reset();
  manager_.apply(now);
}

std::vector<std::uint32_t> FabricDamage::links_of(const FaultEvent& fault) const {
  if (fault.target == FaultTarget::impairment) return {};
  const FabricPart part = part_of(fault);
  if (part.kind == FabricPart::Kind::link) return {part.index};
  const Wiring& wiring = routing_.wiring();
  std::vector<std::uint32_t> links;
  for (std::uint32_t port = 1; port <= wiring.ports(part.index); ++port) {
    const std::uint32_t link = wiring.link_at({part.index, port});
    if (link != kNone) links.push_back(link);
  }
  return links;
}

bool FabricDamage::takes(NodeId from, NodeId to, std::uint32_t bytes) {
  if (impairments_.empty()) return !manager_.reaches(from, to, 0);
  const FabricPath path = manager_.path(from, to, 0);
  if (!path.arrives) return true;
  double share = 1.0;
  std::uint32_t device = routing_.wiring().endpoint(from).device;
  for (const std::uint32_t link : path.links) {
    const auto ends = routing_.wiring().ends(link);
    const std::uint32_t direction = ends[0].device == device ? 0 : 1;
    share *= quality(link, direction).passes(bytes + kPacketOverheadBytes);
    device = ends[1 - direction].device;
  }
  return share < 1.0 && random_.unit() >= share;
}

LinkQuality FabricDamage::quality(std::uint32_t link, std::uint32_t direction) const {
  LinkQuality quality;
  for (const auto& [index, impairment] : impairments_) {
    if (impairment.link != link) continue;
    if (impairment.direction && *impairment.direction != direction) continue;
    quality.frames *= 1.0 - impairment.share;
    quality.bits *= 1.0 - impairment.per_bit;
  }
  return quality;
}

void FabricDamage::remember(NodeId from, NodeId to, SimTime now) {
  ++lost_;
  last_losses_[pair_key(from, to)] = now;
}

std::optional<SimTime> FabricDamage::last_loss_between(NodeId a, NodeId b) const {
  const auto found = last_losses_.find(pair_key(a, b));
  if (found == last_losses_.end()) return std::nullopt;
  return found->second;
}

bool FabricDamage::harmless() {
  if (!harmless_) {
    harmless_ = impairments_.empty() && (manager_.pristine() || everyone_reaches_everyone());
  }
  return *harmless_;
}

// Tables go by the destination, so what one host of a switch can reach, every other of it can that
// gets as far as the switch. Two hosts of each switch stand for all, since none is asked to reach
// itself; and every host is the destination of somebody on another switch or of its neighbour.
bool FabricDamage::everyone_reaches_everyone() const {
  const Wiring& wiring = routing_.wiring();
  std::map<std::uint32_t, std::vector<NodeId>> examples;  // by switch
  for (std::uint32_t i = 0; i < nodes_; ++i) {
    const LinkEnd end = wiring.endpoint({i});
    if (end.device == kNone) return false;
    const bool lives = !manager_.dead().device(end.device);
    if (!lives || !manager_.dead().passes(wiring, end)) return false;
    std::vector<NodeId>& hosts = examples[wiring.far_end(end).device];
    if (hosts.size() < 2) hosts.push_back({i});
  }
  for (std::uint32_t to = 0; to < nodes_; ++to) {
    for (const auto& [chip, hosts] : examples) {
      const NodeId from = hosts.front().value == to ? hosts.back() : hosts.front();
      if (from.value != to && !manager_.reaches(from, {to}, 0)) return false;
    }
  }
  return true;
}

}  // namespace holdfast::sim
