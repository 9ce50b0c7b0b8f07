// D-Mod-K; see the header.
#include "sim/topology/dmodk.hpp"

#include "stack/base/assert.hpp"

namespace holdfast::sim {

DmodkForwarding::DmodkForwarding(const Pgft& tree, std::uint32_t paths)
    : tree_(tree),
      paths_(paths),
      first_switch_{0},
      switches_below_{1},
      divisor_{1},
      hosts_below_{1},
      radix_{0} {
  HOLDFAST_ASSERT(paths >= 1);
  std::uint32_t device = tree.host_count() * tree.up(1);
  for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
    first_switch_.push_back(device);
    device += tree.nodes(level);
    switches_below_.push_back(switches_below_.back() * tree.up(level));
    divisor_.push_back(level == 1 ? 1 : divisor_.back() * tree.up(level));
    hosts_below_.push_back(hosts_below_.back() * tree.down(level));
    radix_.push_back(level == 1 ? 1 : tree.up(level) * tree.parallel(level));
  }
  first_switch_.push_back(device);
  radix_.push_back(0);  // nothing above the top
}

PgftSwitch DmodkForwarding::switch_of(std::uint32_t device) const {
  HOLDFAST_ASSERT(device >= first_switch_[1] && device < first_switch_.back());
  std::uint32_t level = 1;
  while (device >= first_switch_[level + 1]) ++level;
  return {level, device - first_switch_[level]};
}

bool DmodkForwarding::above(PgftSwitch at, NodeId to) const {
  // The digits above the level are those of the host; digit 1 is the plane of its endpoint.
  return at.index / switches_below_[at.level] == to.value / hosts_below_[at.level] &&
         at.index % tree_.up(1) == 0;
}

std::uint16_t DmodkForwarding::port_up(std::uint32_t level, std::uint32_t way) const {
  const std::uint32_t parents = tree_.up(level + 1);
  return static_cast<std::uint16_t>(tree_.down(level) * tree_.parallel(level) +
                                    way % parents * tree_.parallel(level + 1) + way / parents + 1);
}

std::uint16_t DmodkForwarding::port(std::uint32_t device, NodeId to, std::uint32_t path) const {
  const PgftSwitch at = switch_of(device);
  if (above(at, to)) {
    return port_down(at.level, child(at.level, to), parallel_down(at.level, to, path));
  }
  // A switch of another plane or beside the top leads nowhere.
  if (at.index % tree_.up(1) != 0 || at.level == tree_.levels()) return 0;
  return port_up(at.level, way_up(at.level, to, path));
}

}  // namespace holdfast::sim
