// Times of uncontended messages; see the header.
#include "sim/topology/path_times.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace holdfast::sim {

namespace {

__extension__ using Wide = unsigned __int128;

Wide common_divisor(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

// Adds up a route link by link. The serialisation of one bit is kept as an exact fraction of a
// second.
class PathTimes::Sum {
 public:
  explicit Sum(Duration switch_latency) : switch_latency_(switch_latency) {}

  void add(std::int64_t bits_per_second, Duration link_latency) {
    const Wide rate = static_cast<Wide>(bits_per_second);
    if (rate_ != 0) {
      fixed_ = fixed_ + switch_latency_;
      // s(i) - s(i+1), if positive; s(n) follows in profile().
      if (rate > rate_) add_fraction(rate - rate_, rate * rate_);
    }
    fixed_ = fixed_ + link_latency;
    rate_ = rate;
  }

  Profile profile() {
    add_fraction(1, rate_);
    const Wide units = numerator_ * (8 * static_cast<Wide>(kSimUnitsPerSecond));
    const Wide divisor = common_divisor(units, denominator_);
    return {to_sim_time(fixed_).value, units / divisor, denominator_ / divisor};
  }

 private:
  void add_fraction(Wide numerator, Wide denominator) {
    const Wide own = common_divisor(numerator, denominator);
    numerator /= own;
    denominator /= own;
    const Wide shared = common_divisor(denominator, denominator_);
    Wide left = 0;
    Wide right = 0;
    const bool too_large =
        __builtin_mul_overflow(numerator_, denominator / shared, &left) ||
        __builtin_mul_overflow(numerator, denominator_ / shared, &right) ||
        __builtin_mul_overflow(denominator_, denominator / shared, &denominator_);
    HOLDFAST_ASSERT(!too_large);
    numerator_ = left + right;
    const Wide reduced = common_divisor(numerator_, denominator_);
    numerator_ /= reduced;
    denominator_ /= reduced;
    HOLDFAST_ASSERT(denominator_ >> 76 == 0);
  }

  const Duration switch_latency_;
  Duration fixed_;
  Wide rate_ = 0;  // of the link before
  Wide numerator_ = 0;
  Wide denominator_ = 1;
};

PathTimes::PathTimes(const Pgft& tree, const LinkSpec& link, Duration switch_latency)
    : tree_(tree) {
  Sum sum(switch_latency);
  for (std::uint32_t level = 1; level <= tree.levels(); ++level) {
    sum.add(link.bits_per_second, link.latency);  // one link more up,
    sum.add(link.bits_per_second, link.latency);  // and one more down
    profiles_.push_back(Sum(sum).profile());
  }
}

PathTimes::PathTimes(const FabricGraph& graph, const Routes& routes, Duration switch_latency)
    : graph_hosts_(graph.host_count()) {
  std::map<std::tuple<std::int64_t, Wide, Wide>, std::uint32_t> index_of;
  for (const auto& [first, second] : classify_sources(graph, routes)) {
    for (std::uint32_t to = 0; to < graph_hosts_; ++to) {
      const NodeId from = first.value == to ? second : first;
      Sum sum(switch_latency);
      const auto add = [&](std::uint32_t index, std::uint32_t) {
        sum.add(graph.links()[index].bits_per_second, graph.links()[index].latency);
      };
      const bool routed = from.value != to && routes.walk(from, NodeId{to}, add);
      const Profile profile = routed ? sum.profile() : Profile{};
      const auto [entry, is_new] =
          index_of.emplace(std::tuple{profile.fixed, profile.numerator, profile.denominator},
                           static_cast<std::uint32_t>(profiles_.size()));
      if (is_new) profiles_.push_back(profile);
      table_.push_back(entry->second);
    }
  }
}

PathTimes::Examples PathTimes::classify_sources(const FabricGraph& graph, const Routes& routes) {
  // Hosts of one switch whose own links are alike send alike. One without a switch is alone.
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>;
  std::map<Key, std::uint32_t> class_of;
  Examples examples;
  for (std::uint32_t h = 0; h < graph_hosts_; ++h) {
    const NodeId node{h};
    Key key{kNone, h, 0, 0};
    if (const std::uint32_t device = routes.switch_of(node); device != kNone) {
      const Link& link = graph.links()[graph.endpoint_link(node)];
      key = {device, 0, link.bits_per_second, link.latency.ns};
    }
    const auto [entry, is_new] = class_of.emplace(key, static_cast<std::uint32_t>(examples.size()));
    source_class_.push_back(entry->second);
    if (is_new) examples.push_back({node, node});
    examples[entry->second][1] = node;
  }
  return examples;
}

}  // namespace holdfast::sim
