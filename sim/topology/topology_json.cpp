// A fabric as JSON, for drawing; the form is in summary.hpp. One part a line and written as text,
// not as a tree of JSON values: the picture of 16,384 hosts took longer than simulating them.
#include <algorithm>
#include <charconv>
#include <concepts>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/topology/part_names.hpp"
#include "sim/topology/summary.hpp"

namespace holdfast::sim {

namespace {

void write(std::string& text, std::unsigned_integral auto number) {
  char digits[20];
  char* const end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  text.append(std::begin(digits), end);
}

void write(std::string& text, bool value) {
  text += value ? "true" : "false";
}

// Descriptions are bytes from elsewhere: what is not UTF-8 is replaced.
void write(std::string& text, std::string_view string) {
  const bool plain = std::all_of(string.begin(), string.end(), [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  });
  if (plain) {
    (((text += '"') += string) += '"');
  } else {
    text += nlohmann::json(string).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

class Picture {
 public:
  Picture(const FabricGraph& graph, const std::vector<std::uint32_t>& levels,
          const Modules& modules)
      : graph_(graph),
        levels_(levels),
        boards_(names_of(modules.boards)),
        chassis_(names_of(modules.chassis)) {}

  std::string text() {
    id_of_device_.assign(graph_.devices().size(), 0);
    text_ = "{\"nodes\":[";
    add_hosts();
    add_others();
    text_ += "\n],\"links\":[";
    add_links();
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  // By device: the name of the module that it is part of, or empty.
  std::vector<std::string_view> names_of(const std::vector<Module>& modules) const {
    std::vector<std::string_view> names(graph_.devices().size());
    for (const Module& module : modules) {
      for (const std::uint32_t chip : module.chips) names[chip] = module.name;
    }
    return names;
  }

  // A part is begun, gets its fields and is ended.
  void begin(bool first) { text_ += first ? "\n{" : ",\n{"; }
  void end() { text_.back() = '}'; }
  template <class Value>
  void field(std::string_view key, const Value& value) {
    ((text_ += '"') += key) += "\":";
    write(text_, value);
    text_ += ',';
  }

  void begin_node(std::string_view kind, std::uint32_t level, std::string_view name,
                  const Device& device) {
    begin(nodes_ == 0);
    field("id", nodes_++);
    field("kind", kind);
    field("level", level);
    field("name", name);
    field("guid", std::string_view(guid_text(device.guid)));
    field("description", std::string_view(device.description));
  }

  void add_hosts() {
    for (const Host& host : graph_.hosts()) {
      for (const std::uint32_t adapter : host.adapters) id_of_device_[adapter] = nodes_;
      begin_node("host", 0, host.name, graph_.device(host.adapters.front()));
      end();
    }
  }

  void add_others() {
    std::vector<bool> slow(graph_.devices().size());
    for (const SlowSwitch& entry : find_slow_switches(graph_)) slow[entry.device] = true;
    for (std::uint32_t d = 0; d < graph_.devices().size(); ++d) {
      const Device& device = graph_.device(d);
      if (device.kind == DeviceKind::adapter) continue;
      id_of_device_[d] = nodes_;
      const bool is_switch = device.kind == DeviceKind::switch_chip;
      begin_node(is_switch ? "switch" : "router", levels_[d], device.name, device);
      if (is_switch) field("slow_hosts", static_cast<bool>(slow[d]));
      if (!boards_[d].empty()) field("board", boards_[d]);
      if (!chassis_[d].empty()) field("chassis", chassis_[d]);
      end();
    }
  }

  // A link as its bundle has it: those that agree in all but the ports are drawn as one.
  struct Cable {
    std::size_t a, b;
    std::uint64_t rate;
    bool slow;
    std::uint32_t port_a, port_b;

    auto bundle() const { return std::tie(a, b, rate, slow); }
  };

  std::vector<Cable> cables() const {
    std::vector<bool> slow(graph_.links().size());
    for (const SlowLink& entry : find_slow_links(graph_)) slow[entry.link] = true;
    std::vector<Cable> cables;
    cables.reserve(graph_.links().size());
    for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
      const Link& link = graph_.links()[i];
      const bool in_order =
          id_of_device_[link.ends[0].device] <= id_of_device_[link.ends[1].device];
      const LinkEnd& a = link.ends[in_order ? 0 : 1];
      const LinkEnd& b = link.ends[in_order ? 1 : 0];
      cables.push_back({id_of_device_[a.device], id_of_device_[b.device],
                        static_cast<std::uint64_t>(link.bits_per_second), slow[i], a.port, b.port});
    }
    std::ranges::stable_sort(cables, {}, &Cable::bundle);
    return cables;
  }

  void add_links() {
    const std::vector<Cable> sorted = cables();
    for (auto first = sorted.begin(); first != sorted.end();) {
      const auto last = std::find_if(first, sorted.end(), [&](const Cable& cable) {
        return cable.bundle() != first->bundle();
      });
      begin(first == sorted.begin());
      field("a", first->a);
      field("b", first->b);
      field("bits_per_second", first->rate);
      field("count", static_cast<std::size_t>(last - first));
      text_ += "\"ports\":[";
      for (auto cable = first; cable != last; ++cable) {
        text_ += '[';
        write(text_, cable->port_a);
        text_ += ',';
        write(text_, cable->port_b);
        text_ += "],";
      }
      text_.back() = ']';
      text_ += ',';
      field("slow", first->slow);
      end();
      first = last;
    }
  }

  const FabricGraph& graph_;
  const std::vector<std::uint32_t>& levels_;
  const std::vector<std::string_view> boards_;
  const std::vector<std::string_view> chassis_;
  std::string text_;
  std::size_t nodes_ = 0;
  std::vector<std::size_t> id_of_device_;
};

}  // namespace

std::string topology_json(const FabricGraph& graph, const std::vector<std::uint32_t>& levels,
                          const Modules& modules) {
  return Picture(graph, levels, modules).text();
}

}  // namespace holdfast::sim
