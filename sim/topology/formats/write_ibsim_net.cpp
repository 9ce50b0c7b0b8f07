// A fabric as a net file of ibsim. Source: the parser of ibsim's sim_net.c, which knows more than
// its manual: w= and s= behind a port are bits for 1, 4, 8 and 12 lanes, and for SDR, DDR and QDR.
// It takes any '=' on a line of a port for one of these, and # and @ in a node's id as its own.
#include <algorithm>
#include <array>
#include <set>

#include "sim/topology/formats/form_text.hpp"
#include "sim/topology/formats/formats.hpp"
#include "sim/topology/part_names.hpp"

namespace holdfast::sim {

namespace {

constexpr std::size_t kIdMax = 60;           // characters of a node's id
constexpr std::size_t kDescriptionMax = 60;  // NodeDescription has 64 bytes

// Longer names first where one begins with the other.
constexpr std::array<std::pair<std::string_view, const char*>, 4> kWidths = {
    {{"12x", "8"}, {"8x", "4"}, {"4x", "2"}, {"1x", "1"}}};

// "4xDDR" as "w=2 s=2"; empty if ibsim has no such width.
std::string options_of(std::string_view rate) {
  for (const auto& [width, bit] : kWidths) {
    if (rate.substr(0, width.size()) != width) continue;
    const std::string_view speed = rate.substr(width.size());
    return std::string("w=") + bit + " s=" + (speed == "SDR" ? "1" : speed == "DDR" ? "2" : "4");
  }
  return "";
}

class Writer {
 public:
  explicit Writer(const FabricGraph& graph) : graph_(graph) {}

  Status write(std::string& text) {
    if (Status ports = check_port_counts(graph_); !ports.is_ok()) return ports;
    choose_ids();
    text_ =
        "# Written by holdfast for ibsim, which knows no links faster than QDR: these are written "
        "as\n# QDR, with their rate as a comment.\n";
    for (std::uint32_t d = 0; d < graph_.devices().size(); ++d) {
      if (Status section = add_section(d); !section.is_ok()) return section;
    }
    text = std::move(text_);
    return Status::ok();
  }

 private:
  // Names are easier to type for SIM_HOST; without one, or with one that ibsim cannot take, the
  // GUID is the id.
  void choose_ids() {
    std::set<std::string> used;
    for (const Device& device : graph_.devices()) {
      const bool is_good = !device.name.empty() && device.name.size() <= kIdMax &&
                           device.name.find_first_of("#@\"[]") == std::string::npos;
      ids_.push_back(is_good && used.insert(device.name).second ? device.name : node_id(device));
    }
  }

  Status add_section(std::uint32_t index) {
    const Device& device = graph_.device(index);
    const bool is_switch = device.kind == DeviceKind::switch_chip;
    const bool is_adapter = device.kind == DeviceKind::adapter;
    std::string description = node_description(graph_, index).substr(0, kDescriptionMax);
    std::replace(description.begin(), description.end(), '"', '\'');
    text_ += is_switch ? "\nswitchguid=" : is_adapter ? "\ncaguid=" : "\nrtguid=";
    text_ += guid_text(device.guid) + "\n";
    text_ += is_switch ? "Switch" : is_adapter ? "Ca" : "Rt";
    text_ += "\t" + std::to_string(device.ports.size() - 1) + " \"" + ids_[index] + "\"\t# \"" +
             description + "\"\n";
    for (std::uint32_t p = 1; p < device.ports.size(); ++p) {
      const std::uint32_t cable = device.ports[p].link;
      if (cable == kNone) continue;
      const Link& link = graph_.links()[cable];
      const LinkEnd& far = link.end_away_from(index);
      std::string rate;
      if (Status named = rate_name(graph_, link, rate); !named.is_ok()) return named;
      const std::string options = options_of(rate);
      if (options.empty()) {
        return Status::error("the link from " + graph_.part_text(LinkEnd{index, p}) + " is " +
                             rate + "; ibsim has links of 1, 4, 8 and 12 lanes only");
      }
      text_ += "[" + std::to_string(p) + "]\t\"" + ids_[far.device] + "\"[" +
               std::to_string(far.port) + "]\t" + options + "\t# " + rate + "\n";
    }
    return Status::ok();
  }

  const FabricGraph& graph_;
  std::vector<std::string> ids_;  // by device
  std::string text_;
};

}  // namespace

Status write_ibsim_net(const FabricGraph& graph, std::string& text) {
  return Writer(graph).write(text);
}

}  // namespace holdfast::sim
