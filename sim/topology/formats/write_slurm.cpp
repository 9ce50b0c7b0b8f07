// A fabric for Slurm. Source: topology.conf(5) and the topology guide of Slurm's documentation.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "sim/topology/formats/form_text.hpp"
#include "sim/topology/formats/formats.hpp"
#include "sim/topology/part_names.hpp"
#include "sim/topology/tree_levels.hpp"

namespace holdfast::sim {

namespace {

constexpr std::size_t kGuidSize = 16;

// What Slurm's lists of hosts can hold without meaning something else.
bool is_plain(const std::string& name) {
  return !name.empty() && name.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789.-_") == std::string::npos;
}

// host-0, host-1, host-2, host-7 as host-[0-2,7]. Leading zeros are part of a number's width.
class HostList {
 public:
  void add(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::string number = name.substr(digits);
    // Nobody counts with GUIDs and serial numbers.
    const bool is_guid = name.size() >= kGuidSize && parse_part(name).has_value();
    if (number.empty() || number.size() > 9 || is_guid) {
      singles_.push_back(name);
    } else {
      const bool padded = number.size() > 1 && number.front() == '0';
      numbers_[{name.substr(0, digits), padded ? number.size() : 0}].insert(std::stoul(number));
    }
  }

  std::string text() const {
    std::string all;
    for (const auto& [place, numbers] : numbers_) {
      const auto& [prefix, width] = place;
      std::string runs;
      std::size_t count = 0;
      for (auto at = numbers.begin(); at != numbers.end();) {
        const unsigned long first = *at;
        unsigned long last = first;
        while (++at != numbers.end() && *at == last + 1) ++last;
        runs += (count++ == 0 ? "" : ",") + padded(first, width);
        if (last != first) runs += "-" + padded(last, width);
      }
      all += (all.empty() ? "" : ",") + prefix + (numbers.size() > 1 ? "[" + runs + "]" : runs);
    }
    for (const std::string& name : singles_) all += (all.empty() ? "" : ",") + name;
    return all;
  }

 private:
  static std::string padded(unsigned long number, std::size_t width) {
    const std::string digits = std::to_string(number);
    return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
  }

  std::map<std::pair<std::string, std::size_t>, std::set<unsigned long>> numbers_;
  std::vector<std::string> singles_;
};

class Writer {
 public:
  explicit Writer(const FabricGraph& graph)
      : graph_(graph), levels_(tree_levels(graph)), group_(graph.devices().size()) {
    std::iota(group_.begin(), group_.end(), 0u);
  }

  Status write(std::string& text) {
    if (levels_.top == 0) return Status::error("no host is on any switch; Slurm needs nodes");
    add_leaves();
    for (std::uint32_t level = 2; level <= levels_.top; ++level) add_level(level);
    std::set<std::uint32_t> roots;
    for (const auto& [switches, name] : name_of_group_) roots.insert(find(switches));
    text = "# Written by holdfast for Slurm's topology/tree.\n";
    if (guids_ > 0) {
      text += "# " + std::to_string(guids_) +
              " nodes have a GUID for a name, because the fabric does not say theirs; a node-name "
              "map\n# (--names) can.\n";
    }
    if (roots.size() > 1) {
      text += "# " + std::to_string(roots.size()) +
              " switches have no common one above them; a job stays below one of them.\n";
    }
    text += lines_;
    return Status::ok();
  }

 private:
  std::uint32_t find(std::uint32_t device) {
    while (group_[device] != device) device = group_[device] = group_[group_[device]];
    return device;
  }

  std::string host_name(const Host& host) {
    if (is_plain(host.name) && host.name.substr(0, 2) != "0x") return host.name;
    ++guids_;
    return node_id(graph_.device(host.adapters.front()));
  }

  void add_leaves() {
    std::map<std::uint32_t, HostList> hosts_of;  // by switch, on whatever level
    for (std::uint32_t h = 0; h < graph_.host_count(); ++h) {
      const std::uint32_t link = graph_.endpoint_link(NodeId{h});
      if (link == kNone) continue;
      for (const LinkEnd& end : graph_.links()[link].ends) {
        if (levels_.of_device[end.device] > 0)
          hosts_of[end.device].add(host_name(graph_.hosts()[h]));
      }
    }
    std::set<std::string> used;
    for (const auto& [device, hosts] : hosts_of) {
      const Device& it = graph_.device(device);
      std::string name = it.name;
      std::replace(name.begin(), name.end(), '/', '-');  // chassis-0/leaf-3
      if (!is_plain(name) || !used.insert(name).second) name = node_id(it);
      lines_ += "SwitchName=" + name + " Nodes=" + hosts.text() + "\n";
      name_of_group_[device] = name;
    }
  }

  // Joins what hangs together by switches up to this level; where that puts several under one, they
  // get a line.
  void add_level(std::uint32_t level) {
    for (const Link& link : graph_.links()) {
      const std::uint32_t a = levels_.of_device[link.ends[0].device];
      const std::uint32_t b = levels_.of_device[link.ends[1].device];
      if (a == 0 || b == 0 || std::max(a, b) > level) continue;
      group_[find(link.ends[0].device)] = find(link.ends[1].device);
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> groups;  // by new root: the old ones
    for (const auto& [root, name] : name_of_group_) groups[find(root)].push_back(root);
    std::map<std::uint32_t, std::string> names;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // by lowest child
    for (const auto& [root, children] : groups) order.emplace_back(children.front(), root);
    std::sort(order.begin(), order.end());
    std::uint32_t number = 0;
    for (const auto& [child, root] : order) {
      const std::vector<std::uint32_t>& children = groups[root];
      if (children.size() == 1) {
        names[root] = name_of_group_[children.front()];
        continue;
      }
      HostList list;
      for (const std::uint32_t old : children) list.add(name_of_group_[old]);
      names[root] = "level" + std::to_string(level) + "-group-" + std::to_string(number++);
      lines_ += "SwitchName=" + names[root] + " Switches=" + list.text() + "\n";
    }
    name_of_group_ = std::move(names);
  }

  const FabricGraph& graph_;
  const TreeLevels levels_;
  std::vector<std::uint32_t> group_;                    // union-find over the devices
  std::map<std::uint32_t, std::string> name_of_group_;  // what has no parent yet, by a device of it
  std::string lines_;
  std::size_t guids_ = 0;
};

}  // namespace

Status write_slurm(const FabricGraph& graph, std::string& text) {
  return Writer(graph).write(text);
}

}  // namespace holdfast::sim
