// How ports are joined; see the header. The arithmetic of the trees is explained in pgft.cpp.
#include "sim/topology/wiring.hpp"

#include "stack/base/assert.hpp"

namespace holdfast::sim {

std::uint32_t GraphWiring::devices() const {
  return static_cast<std::uint32_t>(graph_->devices().size());
}

std::uint32_t GraphWiring::links() const {
  return static_cast<std::uint32_t>(graph_->links().size());
}

bool GraphWiring::is_switch(std::uint32_t device) const {
  return graph_->device(device).kind == DeviceKind::switch_chip;
}

std::uint32_t GraphWiring::ports(std::uint32_t device) const {
  return static_cast<std::uint32_t>(graph_->device(device).ports.size()) - 1;
}

std::uint32_t GraphWiring::link_at(LinkEnd port) const {
  return graph_->device(port.device).ports[port.port].link;
}

std::array<LinkEnd, 2> GraphWiring::ends(std::uint32_t link) const {
  return graph_->links()[link].ends;
}

LinkEnd GraphWiring::endpoint(NodeId node) const {
  const std::uint32_t link = graph_->endpoint_link(node);
  if (link == kNone) return {kNone, 0};
  const std::array<LinkEnd, 2>& both = graph_->links()[link].ends;
  const Device& first = graph_->device(both[0].device);
  return first.kind == DeviceKind::adapter && first.host == node ? both[0] : both[1];
}

PgftWiring::PgftWiring(const Pgft& tree) : tree_(tree), first_link_{0}, switches_below_{1} {
  first_device_ = {0, tree.host_count() * tree.up(1)};
  for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
    first_device_.push_back(first_device_.back() + tree.nodes(level));
    first_link_.push_back(first_link_.back() + static_cast<std::uint32_t>(tree.links(level)));
    switches_below_.push_back(switches_below_.back() * tree.up(level));
  }
}

std::uint32_t PgftWiring::level_of(std::uint32_t device) const {
  HOLDFAST_ASSERT(device < first_device_.back());
  std::uint32_t level = 0;
  while (device >= first_device_[level + 1]) ++level;
  return level;
}

std::uint32_t PgftWiring::ports(std::uint32_t device) const {
  const std::uint32_t level = level_of(device);
  if (level == 0) return tree_.parallel(1);
  const std::uint32_t down = tree_.down(level) * tree_.parallel(level);
  if (level == tree_.levels()) return down;
  return down + tree_.up(level + 1) * tree_.parallel(level + 1);
}

std::uint32_t PgftWiring::link_at(LinkEnd port) const {
  const std::uint32_t level = level_of(port.device);
  const std::uint32_t index = port.device - first_device_[level];
  std::uint32_t number = port.port - 1;
  if (level > 0) {
    const std::uint32_t down = tree_.down(level) * tree_.parallel(level);
    if (number < down) {
      return link_number(level, index, number / tree_.parallel(level),
                         number % tree_.parallel(level));
    }
    number -= down;
  }
  // Up. An adapter is a port group of its host: its own number is the digit of its parent.
  const std::uint32_t host = index / tree_.up(1);
  const std::uint32_t lower = level == 0 ? host : index;
  const std::uint32_t own = level == 0 ? index % tree_.up(1) : number / tree_.parallel(level + 1);
  const std::uint32_t below = switches_below_[level];
  const std::uint32_t child = lower / below % tree_.down(level + 1);
  const std::uint32_t high = lower / below / tree_.down(level + 1);
  const std::uint32_t upper = lower % below + below * (own + tree_.up(level + 1) * high);
  return link_number(level + 1, upper, child, number % tree_.parallel(level + 1));
}

std::uint32_t PgftWiring::level_above(std::uint32_t link) const {
  HOLDFAST_ASSERT(link < first_link_.back());
  std::uint32_t level = 1;
  while (link >= first_link_[level]) ++level;
  return level;
}

std::array<LinkEnd, 2> PgftWiring::ends(std::uint32_t link) const {
  const std::uint32_t level = level_above(link);
  const std::uint32_t number = link - first_link_[level - 1];
  const std::uint32_t parallel = number % tree_.parallel(level);
  const std::uint32_t child = number / tree_.parallel(level) % tree_.down(level);
  const std::uint32_t upper = number / tree_.parallel(level) / tree_.down(level);
  const std::uint32_t below = switches_below_[level - 1];
  const std::uint32_t own = upper / below % tree_.up(level);
  const std::uint32_t high = upper / below / tree_.up(level);
  const std::uint32_t lower = upper % below + below * (child + tree_.down(level) * high);
  const LinkEnd top{first_device_[level] + upper, child * tree_.parallel(level) + parallel + 1};
  if (level == 1) return {LinkEnd{lower * tree_.up(1) + own, parallel + 1}, top};
  const std::uint32_t down = tree_.down(level - 1) * tree_.parallel(level - 1);
  return {
      LinkEnd{first_device_[level - 1] + lower, down + own * tree_.parallel(level) + parallel + 1},
      top};
}

}  // namespace holdfast::sim
