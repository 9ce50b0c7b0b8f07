// A fabric as JSON, for drawing; the form is in summary.hpp.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/topology/part_names.hpp"
#include "sim/topology/summary.hpp"

namespace holdfast::sim {

namespace {

using Json = nlohmann::ordered_json;

class Picture {
 public:
  Picture(const FabricGraph& graph, const std::vector<std::uint32_t>& levels,
          const Modules& modules)
      : graph_(graph), levels_(levels), modules_(modules) {}

  std::string text() {
    id_of_device_.assign(graph_.devices().size(), 0);
    add_hosts();
    add_others();
    add_modules();
    add_links();
    Json root;
    root["nodes"] = std::move(nodes_);
    root["links"] = std::move(links_);
    // Descriptions are bytes from elsewhere: what is not UTF-8 is replaced.
    return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  void add_hosts() {
    for (const Host& host : graph_.hosts()) {
      const Device& first = graph_.device(host.adapters.front());
      for (const std::uint32_t adapter : host.adapters) id_of_device_[adapter] = nodes_.size();
      nodes_.push_back({{"id", nodes_.size()},
                        {"kind", "host"},
                        {"level", 0},
                        {"name", host.name},
                        {"guid", guid_text(first.guid)},
                        {"description", first.description}});
    }
  }

  void add_others() {
    std::set<std::uint32_t> slow;
    for (const SlowSwitch& entry : find_slow_switches(graph_)) slow.insert(entry.device);
    for (std::uint32_t d = 0; d < graph_.devices().size(); ++d) {
      const Device& device = graph_.device(d);
      if (device.kind == DeviceKind::adapter) continue;
      id_of_device_[d] = nodes_.size();
      const bool is_switch = device.kind == DeviceKind::switch_chip;
      nodes_.push_back({{"id", nodes_.size()},
                        {"kind", is_switch ? "switch" : "router"},
                        {"level", levels_[d]},
                        {"name", device.name},
                        {"guid", guid_text(device.guid)},
                        {"description", device.description}});
      if (is_switch) nodes_.back()["slow_hosts"] = slow.count(d) > 0;
    }
  }

  void add_modules() {
    for (const auto& [kind, modules] :
         {std::pair{"board", &modules_.boards}, std::pair{"chassis", &modules_.chassis}}) {
      for (const Module& module : *modules) {
        for (const std::uint32_t chip : module.chips) {
          nodes_[id_of_device_[chip]][kind] = module.name;
        }
      }
    }
  }

  void add_links() {
    std::set<std::uint32_t> slow;
    for (const SlowLink& entry : find_slow_links(graph_)) slow.insert(entry.link);
    std::map<std::tuple<std::size_t, std::size_t, std::int64_t, bool>, Json> bundles;
    for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
      const Link& link = graph_.links()[i];
      const bool in_order =
          id_of_device_[link.ends[0].device] <= id_of_device_[link.ends[1].device];
      const LinkEnd& a = link.ends[in_order ? 0 : 1];
      const LinkEnd& b = link.ends[in_order ? 1 : 0];
      Json& ports = bundles[{id_of_device_[a.device], id_of_device_[b.device], link.bits_per_second,
                             slow.count(i) > 0}];
      ports.push_back(Json::array({a.port, b.port}));
    }
    for (auto& [key, ports] : bundles) {
      const auto& [a, b, rate, is_slow] = key;
      const std::size_t count = ports.size();
      links_.push_back({{"a", a},
                        {"b", b},
                        {"bits_per_second", rate},
                        {"count", count},
                        {"ports", std::move(ports)},
                        {"slow", is_slow}});
    }
  }

  const FabricGraph& graph_;
  const std::vector<std::uint32_t>& levels_;
  const Modules& modules_;
  Json nodes_ = Json::array();
  Json links_ = Json::array();
  std::vector<std::size_t> id_of_device_;
};

}  // namespace

std::string topology_json(const FabricGraph& graph, const std::vector<std::uint32_t>& levels,
                          const Modules& modules) {
  return Picture(graph, levels, modules).text();
}

}  // namespace holdfast::sim
