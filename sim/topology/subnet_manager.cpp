// Sweeps and walks; see the header.
#include "sim/topology/subnet_manager.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

// Microseconds at the measured sizes; the outer ones are scaled by the bring-up times there.
struct Measured {
  std::int64_t hosts;
  std::int64_t link_us;
  std::int64_t switch_us;
};
constexpr std::array<Measured, 4> kMeasured{{
    {16, 129'000 * 50 / 300, 315'000 * 50 / 300},
    {324, 129'000, 315'000},
    {1'944, 1'180'000, (1'602'000 + 2'403'000) / 2},
    {8'192, 1'180'000 * 138 / 29, (1'602'000 + 2'403'000) / 2 * 138 / 29},
}};

// Longer than any way without a loop; imported tables may have loops, and what is caught in one is
// lost.
constexpr std::uint32_t kHopsMax = 64;

}  // namespace

Duration sweep_time(std::uint32_t hosts, bool of_switch) {
  std::size_t i = 0;
  while (i + 2 < kMeasured.size() && hosts >= kMeasured[i + 1].hosts) ++i;
  const Measured& low = kMeasured[i];
  const Measured& high = kMeasured[i + 1];
  const std::int64_t from = of_switch ? low.switch_us : low.link_us;
  const std::int64_t to = of_switch ? high.switch_us : high.link_us;
  const std::int64_t us = from + (to - from) * (hosts - low.hosts) / (high.hosts - low.hosts);
  return microseconds(us);
}

SubnetManager::SubnetManager(const Routing& routing, const SubnetManagerOptions& options)
    : routing_(routing), options_(options) {
  HOLDFAST_ASSERT(options.sweep_interval.ns > 0);
}

void SubnetManager::part_down(FabricPart part, SimTime now) {
  begin_if_due(now);
  if (!dead_.add(part)) return;
  count_inner(part, 1);
  changed(part, now);
}

void SubnetManager::part_up(FabricPart part, SimTime now) {
  begin_if_due(now);
  if (!dead_.remove(part)) return;
  count_inner(part, -1);
  changed(part, now);
}

void SubnetManager::count_inner(FabricPart part, int more) {
  if (!routing_.is_at_edge(part)) inner_dead_ += static_cast<std::uint32_t>(more);
}

// What a sweep finds is what is dead when it begins; changes at that very instant belong to it.
void SubnetManager::begin_if_due(SimTime now) {
  HOLDFAST_ASSERT(now <= next_change());
  if (begun_ || begins_ >= now) return;
  begun_ = true;
  found_ = dead_;
  inner_found_ = inner_dead_;
}

void SubnetManager::changed(FabricPart part, SimTime now) {
  ends_.clear();
  const bool of_switch =
      part.kind == FabricPart::Kind::device && routing_.wiring().is_switch(part.index);
  if (begins_ == SimTime::never()) begins_ = options_.sweep_on_trap ? now : next_light_sweep(now);
  if (begun_) {
    again_ = true;
    again_of_switch_ |= of_switch;
  } else {
    of_switch_ |= of_switch;
  }
}

SimTime SubnetManager::next_light_sweep(SimTime after) const {
  const std::int64_t interval = to_sim_time(options_.sweep_interval).value;
  return {(after.value / interval + 1) * interval};
}

SimTime SubnetManager::next_change() const {
  if (begins_ == SimTime::never()) return begins_;
  return begins_ + to_sim_time(sweep_time(routing_.wiring().hosts(), of_switch_));
}

void SubnetManager::apply(SimTime now) {
  const SimTime end = next_change();
  HOLDFAST_ASSERT(now >= end);
  if (!begun_) {
    found_ = dead_;
    inner_found_ = inner_dead_;
  }
  if (found_ != known_) {
    known_ = std::move(found_);
    ends_.clear();
    inner_known_ = inner_found_;
    swept_ = known_.empty() ? nullptr : routing_.tables_around(known_);
  }
  found_ = {};
  ++sweeps_;
  begun_ = false;
  begins_ = SimTime::never();
  if (again_) begins_ = options_.sweep_on_trap ? end : next_light_sweep(end);
  of_switch_ = std::exchange(again_of_switch_, false);
  again_ = false;
}

template <class Visit>
bool SubnetManager::walk(NodeId from, NodeId to, std::uint32_t path, LinkEnd& lost_at,
                         Visit visit) const {
  const Wiring& wiring = routing_.wiring();
  const Forwarding& tables = forwarding();
  const LinkEnd target = wiring.endpoint(to);
  LinkEnd port = wiring.endpoint(from);
  lost_at = {port.device, 0};
  if (port.device == kNone || target.device == kNone || dead_.device(port.device)) return false;
  for (std::uint32_t hops = 0; hops < kHopsMax; ++hops) {
    lost_at = port;
    const std::uint32_t link = wiring.link_at(port);
    if (link == kNone || !dead_.passes(wiring, port)) return false;
    visit(link);
    const LinkEnd far = wiring.far_end(port);
    lost_at = {far.device, 0};
    if (!wiring.is_switch(far.device))
      return far.device == target.device && far.port == target.port;
    const std::uint16_t out = tables.port(far.device, to, path);
    if (out == 0 || out > wiring.ports(far.device)) return false;
    port = {far.device, out};
  }
  return false;
}

FabricPath SubnetManager::path(NodeId from, NodeId to, std::uint32_t path) const {
  FabricPath result;
  result.arrives = walk(from, to, path, result.lost_at,
                        [&result](std::uint32_t link) { result.links.push_back(link); });
  return result;
}

std::uint8_t SubnetManager::end_of(NodeId host) const {
  if (ends_.empty()) ends_.resize(wiring().hosts());
  std::uint8_t& end = ends_[host.value];
  if (end == 0) {
    const bool sends = dead_.reaches_switch(wiring(), host);
    const bool is_reached = sends && known_.reaches_switch(wiring(), host);
    end = static_cast<std::uint8_t>(kAsked | (sends ? kSends : 0) | (is_reached ? kIsReached : 0));
  }
  return end;
}

// Where only the edge is dead, the two ends say it all; every frame asks, for as long as something
// is dead. Tables of a healthy fabric may have been written by anybody, and lack a way.
bool SubnetManager::reaches(NodeId from, NodeId to, std::uint32_t path) const {
  if (!pristine() && inner_dead_ == 0 && inner_known_ == 0) {
    return (end_of(from) & kSends) != 0 && (end_of(to) & kIsReached) != 0;
  }
  LinkEnd lost_at;
  return walk(from, to, path, lost_at, [](std::uint32_t) {});
}

}  // namespace holdfast::sim
