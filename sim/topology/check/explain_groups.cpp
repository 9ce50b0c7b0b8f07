// Groups with fewer switches than their like. A switch of a middle level is missing above in one
// group and below in another; both are one finding.
#include <algorithm>
#include <array>
#include <map>

#include "sim/topology/check/explain.hpp"
#include "sim/topology/check/words.hpp"

namespace holdfast::sim {

namespace {

// With fewer groups, none is usual.
constexpr std::size_t kGroupsMin = 3;

// Where one switch is missing.
struct Gap {
  std::uint32_t level = 0;  // of the missing switch
  const Group* group = nullptr;
  bool above = false;  // it is one of the group's upper nodes
  std::size_t has = 0, usual = 0, like = 0, groups = 0;
};

class Explainer {
 public:
  explicit Explainer(const Pattern& pattern) : pattern_(pattern) {}

  std::vector<Finding> explain() {
    for (std::uint32_t level = 1; level < pattern_.levels().top; ++level) {
      find_gaps(level, false);
      find_gaps(level, true);
    }
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      if (gaps_[i].group == nullptr) continue;
      std::vector<Gap> sides = {gaps_[i]};
      for (std::size_t j = i + 1; j < gaps_.size(); ++j) {
        if (gaps_[j].group == nullptr || gaps_[j].level != gaps_[i].level ||
            gaps_[j].above == gaps_[i].above)
          continue;
        sides.push_back(gaps_[j]);
        gaps_[j].group = nullptr;
        break;
      }
      findings_.push_back(describe(sides));
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
      for (const Group& group : groups) {
        if (group.lowers.empty() || group.uppers.empty()) continue;
        for (std::size_t has = members(group, above); has < usual; ++has) {
          gaps_.push_back(
              {above ? level + 1 : level, &group, above, members(group, above), usual, like, all});
          // A group that is much smaller was built so; one line is enough for it.
          if (2 * members(group, above) < usual) break;
        }
      }
    }
  }

  Finding describe(const std::vector<Gap>& sides) const {
    Finding finding{FindingKind::missing_switch, Severity::degraded, {}, {}, "", "", ""};
    const std::string level = std::to_string(sides.front().level);
    finding.what = "a switch of level " + level + " is missing";
    for (const Gap& gap : sides) {
      std::vector<std::string> ports;
      const auto& partners = gap.above ? gap.group->lowers : gap.group->uppers;
      for (const std::uint32_t node : partners) {
        const LinkEnd port = free_port(node, gap.above);
        finding.ports.push_back(port);
        ports.push_back(finding_part(pattern_.graph(), port));
      }
      finding.what += std::string(&gap == &sides.front() ? "" : " and") +
                      (gap.above ? " above " : " below ") + list_text(ports);
      finding.expected += (finding.expected.empty() ? "" : "; ") + std::to_string(gap.usual) +
                          " switches of level " + level + " there, as in " +
                          std::to_string(gap.like) + " of " + std::to_string(gap.groups) +
                          " groups, not " + std::to_string(gap.has);
    }
    finding.remedy = "look whether a switch is off; or the group was built smaller";
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
