// Which adapters are one host; see the header.
#include "sim/topology/host_grouping.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

namespace {

// More adapters than any board has: what they share is then not a board.
constexpr std::size_t kAdaptersOfBoardMax = 8;

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// HCA-1, mlx5_0, hfi1_0, bnxt_re0: letters (and a generation), perhaps a separator, a number.
bool is_adapter_name(std::string_view text) {
  constexpr std::array<std::string_view, 12> kDrivers = {"HCA-", "mlx5_", "mlx4_", "mthca",
                                                         "qib",  "hfi1_", "ibp",   "ocrdma",
                                                         "cxgb", "rxe",   "siw",   "ehca"};
  return std::any_of(kDrivers.begin(), kDrivers.end(), [text](std::string_view driver) {
    return text.substr(0, driver.size()) == driver && is_digits(text.substr(driver.size()));
  });
}

class Grouper {
 public:
  Grouper(const std::vector<AdapterEvidence>& adapters, std::vector<std::string>& warnings)
      : adapters_(adapters), warnings_(warnings), leader_(adapters.size()) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
    find_names();
  }

  std::vector<HostGroup> group() {
    std::map<std::string_view, std::size_t> first_of_name;
    for (std::size_t i = 0; i < adapters_.size(); ++i) {
      if (!names_[i].empty()) join(first_of_name.emplace(names_[i], i).first->second, i);
    }
    join_boards();
    std::map<std::size_t, HostGroup> groups;  // by leader, which is the lowest adapter
    for (std::size_t i = 0; i < adapters_.size(); ++i) groups[leader(i)].adapters.push_back(i);
    std::vector<HostGroup> result;
    for (auto& [first, group] : groups) result.push_back(std::move(group));
    name_groups(result);
    return result;
  }

 private:
  // The host each adapter says it is in, or nothing.
  void find_names() {
    std::map<std::string_view, int> uses;
    for (const AdapterEvidence& adapter : adapters_) ++uses[adapter.description];
    std::set<std::string_view> repeated;  // host names in descriptions that occur twice
    for (const auto& [description, count] : uses) {
      const std::string_view host = host_part(description);
      if (count > 1 && !host.empty() && repeated.insert(host).second) {
        warnings_.push_back("the description '" + excerpt(description) + "' occurs " +
                            std::to_string(count) +
                            " times, so it says nothing about hosts; a node-name map can");
      }
    }
    for (const AdapterEvidence& adapter : adapters_) {
      std::string_view name = adapter.map_name;
      if (!name.empty()) {
        if (const std::string_view host = host_part(name); !host.empty()) name = host;
      } else {
        name = host_part(adapter.description);
        if (repeated.count(name) > 0) name = {};
      }
      names_.push_back(name);
    }
  }

  void join_boards() {
    std::map<std::uint64_t, std::vector<std::size_t>> boards;
    for (std::size_t i = 0; i < adapters_.size(); ++i) {
      if (adapters_[i].system_guid != 0) boards[adapters_[i].system_guid].push_back(i);
    }
    for (const auto& [guid, members] : boards) {
      std::set<std::string_view> hosts;
      for (const std::size_t i : members) {
        if (!names_[i].empty()) hosts.insert(names_[i]);
      }
      if (hosts.size() > 1 || members.size() > kAdaptersOfBoardMax) {
        warnings_.push_back(
            std::to_string(members.size()) + " adapters have the system image GUID " +
            guid_text(guid) + " but " +
            (hosts.size() > 1 ? "names of several hosts" : "are too many for a board") +
            "; it is not taken as a host");
        continue;
      }
      for (const std::size_t i : members) join(members.front(), i);
    }
  }

  // The name of the map or description if no other group has it, else the first adapter's GUID.
  void name_groups(std::vector<HostGroup>& groups) const {
    std::map<std::string, int> uses;
    for (HostGroup& group : groups) {
      for (const std::size_t i : group.adapters) {
        if (group.name.empty()) group.name = names_[i];
      }
      if (group.name.empty()) group.name = adapters_[group.adapters.front()].description;
      ++uses[group.name];
    }
    for (HostGroup& group : groups) {
      if (group.name.empty() || uses[group.name] > 1) {
        group.name = guid_text(adapters_[group.adapters.front()].guid);
      }
    }
  }

  std::size_t leader(std::size_t i) const {
    while (leader_[i] != i) i = leader_[i];
    return i;
  }

  void join(std::size_t a, std::size_t b) {
    a = leader(a);
    b = leader(b);
    leader_[std::max(a, b)] = std::min(a, b);
  }

  const std::vector<AdapterEvidence>& adapters_;
  std::vector<std::string>& warnings_;
  std::vector<std::size_t> leader_;
  std::vector<std::string_view> names_;
};

}  // namespace

std::string_view host_part(std::string_view text) {
  const std::size_t space = text.rfind(' ');
  if (space == std::string_view::npos || !is_adapter_name(text.substr(space + 1))) return {};
  const std::size_t end = text.find_last_not_of(' ', space);
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

std::vector<HostGroup> group_hosts(const std::vector<AdapterEvidence>& adapters,
                                   std::vector<std::string>& warnings) {
  return Grouper(adapters, warnings).group();
}

}  // namespace holdfast::sim
