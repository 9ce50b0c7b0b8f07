// Switches without most of their cables.
#include <algorithm>
#include <map>
#include <numeric>

#include "sim/topology/check/explain.hpp"
#include "sim/topology/check/words.hpp"

namespace holdfast::sim {

namespace {

struct Side {
  std::uint32_t node = kNone;
  bool up = false;  // its cables to the level above
  friend auto operator<=>(const Side&, const Side&) = default;
};

class Explainer {
 public:
  Explainer(const Pattern& pattern, Deviations& deviations, Explained& explained)
      : pattern_(pattern), deviations_(deviations), explained_(explained) {}

  std::vector<Finding> explain() {
    for (const std::uint32_t node : pattern_.nodes()) add_unconnected(node);
    drop();
    for (Side side = worst(); side.node != kNone; side = worst()) {
      add_unlike(side);
      drop();
    }
    return std::move(findings_);
  }

 private:
  bool is_switch(std::uint32_t node) const {
    return pattern_.graph().device(node).kind == DeviceKind::switch_chip;
  }

  const Group& group_of(const Side& side) const {
    const std::uint32_t level = pattern_.level_of(side.node);
    return side.up ? pattern_.groups(level)[pattern_.group_above(side.node)]
                   : pattern_.groups(level - 1)[pattern_.group_below(side.node)];
  }

  const std::vector<std::uint32_t>& between(const Side& side, std::uint32_t other) const {
    return side.up ? pattern_.cables(side.node, other) : pattern_.cables(other, side.node);
  }

  static std::size_t index_of(const Group& group, std::uint32_t upper) {
    const auto at = std::find(group.uppers.begin(), group.uppers.end(), upper);
    return static_cast<std::size_t>(at - group.uppers.begin());
  }

  std::uint32_t expected(const Side& side) const {
    const Group& group = group_of(side);
    if (side.up && group.sum_of_lower > 0) return group.sum_of_lower;
    if (side.up) return std::accumulate(group.expected.begin(), group.expected.end(), 0u);
    if (group.sum_of_upper > 0) return group.sum_of_upper;
    return group.expected[index_of(group, side.node)] *
           static_cast<std::uint32_t>(group.lowers.size());
  }

  // Switches of its side of the group that have all cables as expected.
  std::size_t count_whole(const Side& side) const {
    const Group& group = group_of(side);
    const auto& like = side.up ? group.lowers : group.uppers;
    const auto& others = side.up ? group.uppers : group.lowers;
    return static_cast<std::size_t>(std::count_if(like.begin(), like.end(), [&](std::uint32_t n) {
      return std::all_of(others.begin(), others.end(), [&](std::uint32_t other) {
        return group.fits(index_of(group, side.up ? other : n),
                          between({n, side.up}, other).size());
      });
    }));
  }

  // The switch that lacks the greatest part of its cables, if that is half of them and, if it has
  // hosts or is above level 1, two or more.
  Side worst() const {
    std::map<Side, std::uint64_t> lacks;
    for (const MissingCable& cable : deviations_.missing) {
      if (is_switch(cable.lower)) ++lacks[{cable.lower, true}];
      if (is_switch(cable.lower)) ++lacks[{cable.upper, false}];
    }
    Side found;
    std::uint64_t most = 0;
    std::uint64_t of = 1;
    for (const auto& [side, count] : lacks) {
      const std::uint64_t all = expected(side);
      const std::uint64_t least = is_bare(side.node) ? 1 : 2;
      if (count < least || 2 * count < all || count * of <= most * all) continue;
      found = side;
      most = count;
      of = all;
    }
    return found;
  }

  // ", [7][8] to spine-2 0x0002020000000002[3][4]": the ports that the missing cables should be in,
  // as far as they are known.
  std::string places_text(const Side& side, std::uint32_t other) const {
    const auto number = [](const LinkEnd& port) {
      return port.port == 0 ? "" : "[" + std::to_string(port.port) + "]";
    };
    std::string here;
    std::string there = node_text(pattern_, other);
    for (const MissingCable& cable : deviations_.missing) {
      if (cable.lower != (side.up ? side.node : other) ||
          cable.upper != (side.up ? other : side.node))
        continue;
      here += number(side.up ? cable.lower_port : cable.upper_port);
      there += number(side.up ? cable.upper_port : cable.lower_port);
    }
    return (here.empty() ? ", to " : ", " + here + " to ") + there;
  }

  void add_unlike(const Side& side) {
    Finding finding{
        FindingKind::unlike_switch, Severity::serious, {{side.node, 0}}, {}, "", "", ""};
    for (const MissingCable& cable : deviations_.missing) {
      const bool its = side.up ? cable.lower == side.node : cable.upper == side.node;
      if (!its || !is_switch(cable.lower)) continue;
      finding.ports.push_back(side.up ? cable.lower_port : cable.upper_port);
      finding.ports.push_back(side.up ? cable.upper_port : cable.lower_port);
      finding.absent.push_back({cable.lower_port, cable.upper_port});
    }
    const Group& group = group_of(side);
    std::vector<std::string> items;
    for (const std::uint32_t other : side.up ? group.uppers : group.lowers) {
      const auto& links = between(side, other);
      finding.links.insert(finding.links.end(), links.begin(), links.end());
      const std::size_t u = index_of(group, side.up ? other : side.node);
      if (!group.fits(u, links.size()))
        items.push_back(std::to_string(links.size()) + ", not " + pair_text(group, u) +
                        places_text(side, other));
    }
    const std::string where = side.up ? " up" : " down";
    finding.what = node_text(pattern_, side.node) + " has " +
                   count_text(finding.links.size(), "cable") + where + without_hosts(side.node) +
                   ": " + list_text(items);
    finding.expected = std::to_string(expected(side)) + " cables" + where +
                       ", spread as on its like; " + std::to_string(count_whole(side)) + " of " +
                       std::to_string((side.up ? group.lowers : group.uppers).size()) +
                       " switches of level " + std::to_string(pattern_.level_of(side.node)) +
                       " in this group have them so";
    finding.remedy = "plug the cables in, or take the switch out if it does not belong here";
    explained_.insert(side.node);
    findings_.push_back(std::move(finding));
  }

  // Where others have hosts.
  bool is_bare(std::uint32_t node) const {
    return pattern_.level_of(node) == 1 && pattern_.neighbours(node, false).empty();
  }

  std::string without_hosts(std::uint32_t node) const {
    return is_bare(node) ? " and no host" : "";
  }

  // No cable at all where most switches of the level have some.
  void add_unconnected(std::uint32_t node) {
    if (!is_switch(node)) return;
    const std::uint32_t level = pattern_.level_of(node);
    const bool no_way_up = level < pattern_.levels().top &&
                           pattern_.neighbours(node, true).empty() &&
                           pattern_.most_have(level, true);
    const bool nothing_below =
        level > 1 && pattern_.neighbours(node, false).empty() && pattern_.most_have(level, false);
    if (level > 0 && !no_way_up && !nothing_below) return;
    Finding finding{FindingKind::unlike_switch, Severity::serious, {{node, 0}}, {}, "", "", ""};
    std::vector<std::string> cables;
    const std::vector<Port>& ports = pattern_.graph().device(node).ports;
    for (std::uint32_t p = 1; p < ports.size(); ++p) {
      if (ports[p].link == kNone) continue;
      const LinkEnd& far = pattern_.graph().links()[ports[p].link].end_away_from(node);
      if (!is_switch(far.device)) continue;
      finding.links.push_back(ports[p].link);
      finding.ports.push_back({node, p});
      finding.ports.push_back(far);
      cables.push_back("[" + std::to_string(p) + "] to " + finding_part(pattern_.graph(), far));
    }
    finding.what = node_text(pattern_, node) +
                   (level == 0  ? " is joined to no host"
                    : no_way_up ? " has no cable up"
                                : " has no cable down") +
                   (cables.empty() ? "; no cable leads to another switch"
                                   : "; its only cables to switches: " + list_text(cables));
    finding.expected = level == 0
                           ? "every switch is part of the tree that joins the hosts"
                           : "most switches of level " + std::to_string(level) + " have some";
    finding.remedy = "cable it like the others of its level, or take it out";
    explained_.insert(node);
    findings_.push_back(std::move(finding));
  }

  void drop() {
    std::erase_if(deviations_.missing, [this](const MissingCable& cable) {
      return explained_.count(cable.lower) + explained_.count(cable.upper) > 0;
    });
    std::erase_if(deviations_.extra, [this](std::uint32_t link) {
      const Link& cable = pattern_.graph().links()[link];
      return explained_.count(cable.ends[0].device) + explained_.count(cable.ends[1].device) > 0;
    });
  }

  const Pattern& pattern_;
  Deviations& deviations_;
  Explained& explained_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> explain_switches(const Pattern& pattern, Deviations& deviations,
                                      Explained& explained) {
  return Explainer(pattern, deviations, explained).explain();
}

}  // namespace holdfast::sim
