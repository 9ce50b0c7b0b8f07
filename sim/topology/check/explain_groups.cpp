// Groups with fewer switches than their like. A switch of a middle level is missing above in one
// group and below in another; both are one finding. So are all that are missing in the same place.
#include <algorithm>
#include <map>

#include "sim/topology/check/explain.hpp"
#include "sim/topology/check/words.hpp"

namespace holdfast::sim {

namespace {

// With fewer groups, none is usual.
constexpr std::size_t kGroupsMin = 3;

// Where switches are missing.
struct Gap {
  std::uint32_t level = 0;  // of the missing switches
  std::uint32_t group = 0;  // index; of level - 1 if `above`, else of `level`
  bool above = false;       // they are among its upper nodes, else its lower ones
  std::size_t has = 0, usual = 0, like = 0, groups = 0;
  std::size_t missing = 0;  // that have no finding yet
};

class Explainer {
 public:
  explicit Explainer(const Pattern& pattern) : pattern_(pattern) {}

  std::vector<Finding> explain() {
    for (std::uint32_t level = 1; level < pattern_.levels().top; ++level) {
      find_gaps(level, false);
      find_gaps(level, true);
    }
    for (Gap& above : gaps_) {
      for (Gap& below : gaps_) {
        const std::size_t both = std::min(above.missing, below.missing);
        if (both == 0 || !meet(above, below)) continue;
        above.missing -= both;
        below.missing -= both;
        findings_.push_back(describe({above, below}, both));
      }
    }
    for (const Gap& gap : gaps_) {
      if (gap.missing > 0) findings_.push_back(describe({gap}, gap.missing));
    }
    return std::move(findings_);
  }

 private:
  static std::size_t members(const Group& group, bool above) {
    return (above ? group.uppers : group.lowers).size();
  }

  void find_gaps(std::uint32_t level, bool above) {
    const std::vector<Group>& groups = pattern_.groups(level);
    std::map<std::size_t, std::size_t> sizes;
    std::size_t all = 0;
    for (const Group& group : groups) {
      if (group.lowers.empty() || group.uppers.empty()) continue;
      ++sizes[members(group, above)];
      ++all;
    }
    for (const auto& [usual, like] : sizes) {
      if (all < kGroupsMin || 2 * like <= all) continue;
      for (std::uint32_t g = 0; g < groups.size(); ++g) {
        const std::size_t has = members(groups[g], above);
        if (groups[g].lowers.empty() || groups[g].uppers.empty() || has >= usual) continue;
        gaps_.push_back({above ? level + 1 : level, g, above, has, usual, like, all, usual - has});
      }
    }
  }

  const Group& group_of(const Gap& gap) const {
    return pattern_.groups(gap.above ? gap.level - 1 : gap.level)[gap.group];
  }

  // Whether it can be the same switches that are missing above one group and below the other: no
  // switch is above the one and below the other, and where both are whole, one is.
  bool meet(const Gap& above, const Gap& below) const {
    if (!above.above || below.above || above.level != below.level) return false;
    const std::vector<std::uint32_t>& there = group_of(above).uppers;
    return std::none_of(there.begin(), there.end(), [&](std::uint32_t node) {
      return pattern_.group_above(node) == below.group;
    });
  }

  Finding describe(const std::vector<Gap>& sides, std::size_t count) const {
    Finding finding{FindingKind::missing_switch, Severity::degraded, {}, {}, "", "", ""};
    const std::string level = std::to_string(sides.front().level);
    finding.what = count == 1
                       ? "a switch of level " + level + " is missing"
                       : std::to_string(count) + " switches of level " + level + " are missing";
    for (std::size_t s = 0; s < sides.size(); ++s) {
      const Gap& gap = sides[s];
      const Group& group = group_of(gap);
      std::vector<std::string> ports;
      for (const std::uint32_t node : gap.above ? group.lowers : group.uppers) {
        const LinkEnd port = free_port(node, gap.above);
        finding.ports.push_back(port);
        ports.push_back(finding_part(pattern_.graph(), port));
      }
      finding.what += std::string(s == 0 ? "" : " and") + (gap.above ? " above " : " below ") +
                      list_text(ports);
      finding.expected += (s == 0 ? "" : "; ") + std::to_string(gap.usual) + " switches of level " +
                          level + " there, as in " + std::to_string(gap.like) + " of " +
                          std::to_string(gap.groups) + " groups, not " + std::to_string(gap.has);
    }
    finding.remedy = count == 1 ? "look whether a switch is off; or the group was built smaller"
                                : "look whether switches are off; or the group was built smaller";
    return finding;
  }

  // The only free port that is usual on this level; port 0: there are none or several.
  LinkEnd free_port(std::uint32_t node, bool up) const {
    LinkEnd found{node, 0};
    const std::vector<Port>& ports = pattern_.graph().device(node).ports;
    for (std::uint32_t p = 1; p < ports.size(); ++p) {
      if (ports[p].link != kNone || !pattern_.is_usual(pattern_.level_of(node), p, up)) continue;
      if (found.port != 0) return {node, 0};
      found.port = p;
    }
    return found;
  }

  const Pattern& pattern_;
  std::vector<Gap> gaps_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> explain_groups(const Pattern& pattern) {
  return Explainer(pattern).explain();
}

}  // namespace holdfast::sim
