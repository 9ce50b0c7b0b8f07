// Draws a fabric; see the header. Lengths are in pixels of SVG, numbers are written with a tenth.
#include "sim/topology/tree_drawing.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "sim/topology/link_rate.hpp"
#include "sim/topology/part_names.hpp"
#include "sim/topology/tree_levels.hpp"

namespace holdfast::sim {

namespace {

constexpr double kMargin = 20;
constexpr double kLeft = 120;          // for the names of levels
constexpr double kWidthWanted = 1500;  // of all hosts, if their squares allow it
constexpr double kSquareMin = 5, kSquareMax = 16;
constexpr double kLevelHeight = 190;
constexpr double kSwitchHeight = 16;
constexpr double kLetter = 5.6;       // width of a letter of a switch's name
constexpr std::size_t kGuidEnd = 12;  // from here on it has 6 digits
constexpr const char* kSlow = "#e69f00";
constexpr const char* kWrong = "#d55e00";
constexpr const char* kAbsent = "#0072b2";

std::string number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

// For text and attributes of XML; bytes that are no ASCII become '?', as they may be no UTF-8.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return result;
}

std::string title(const std::string& text) {
  return "<title>" + escaped(text) + "</title>";
}

struct Point {
  double x = 0, y = 0;
};

class Drawing {
 public:
  Drawing(const FabricGraph& graph, const CheckReport& report)
      : graph_(graph), report_(report), levels_(tree_levels(graph)) {
    place_.resize(graph.devices().size());
    width_of_.assign(graph.devices().size(), 0);
  }

  std::string text() {
    order_levels();
    place_hosts();
    place_switches();
    add_cables();
    add_findings();
    add_parts();
    const double width = kLeft + width_ + kMargin;
    const double height = bottom_ + 60;
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) +
                      " " + number(height) + "\" font-family=\"sans-serif\" font-size=\"11\">\n" +
                      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    add_words();
    return svg + cables_ + parts_ + marks_ + words_ + "</svg>\n";
  }

 private:
  std::uint32_t level(std::uint32_t device) const { return levels_.of_device[device]; }
  bool is_switch(std::uint32_t d) const { return graph_.device(d).kind == DeviceKind::switch_chip; }

  // Which switches hang together below each level, from the top: what shares most stands together.
  void order_levels() {
    rows_.resize(levels_.top + 1);
    std::vector<std::vector<std::uint32_t>> keys(graph_.devices().size());
    for (std::uint32_t below = levels_.top; below-- > 2;) {
      std::vector<std::uint32_t> root(graph_.devices().size());
      std::iota(root.begin(), root.end(), 0u);
      const auto find = [&root](std::uint32_t d) {
        while (root[d] != d) d = root[d] = root[root[d]];
        return d;
      };
      for (const Link& link : graph_.links()) {
        const std::uint32_t a = find(link.ends[0].device);
        const std::uint32_t b = find(link.ends[1].device);
        const bool both = is_switch(link.ends[0].device) && is_switch(link.ends[1].device);
        if (both && std::max(level(link.ends[0].device), level(link.ends[1].device)) <= below)
          root[std::max(a, b)] = std::min(a, b);
      }
      for (std::uint32_t d = 0; d < root.size(); ++d) keys[d].push_back(find(d));
    }
    for (std::uint32_t d = 0; d < graph_.devices().size(); ++d) {
      if (is_switch(d)) rows_[level(d)].push_back(d);
    }
    if (rows_.size() > 1) {
      std::stable_sort(rows_[1].begin(), rows_[1].end(),
                       [&keys](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    }
  }

  // Hosts in a block below the switch of their endpoint; those of other switches in a last block.
  void place_hosts() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> hosts_of;
    for (std::uint32_t h = 0; h < graph_.host_count(); ++h) {
      const std::uint32_t link = graph_.endpoint_link(NodeId{h});
      std::uint32_t leaf = kNone;
      for (std::size_t e = 0; link != kNone && e < 2; ++e) {
        const std::uint32_t d = graph_.links()[link].ends[e].device;
        if (is_switch(d) && level(d) == 1) leaf = d;
      }
      hosts_of[leaf].push_back(h);
    }
    std::size_t most = 1;
    for (const auto& [leaf, hosts] : hosts_of) most = std::max(most, hosts.size());
    const std::size_t blocks =
        (rows_.size() > 1 ? rows_[1].size() : 0) + (hosts_of.count(kNone) > 0 ? 1 : 0);
    const std::size_t columns = most <= 4 ? most : most <= 12 ? (most + 1) / 2 : (most + 3) / 4;
    const double cells = static_cast<double>(std::max<std::size_t>(blocks, 1) * (columns + 1));
    square_ = std::clamp(kWidthWanted / cells, kSquareMin, kSquareMax);
    const double block = square_ * static_cast<double>(columns + 1);
    width_ = block * static_cast<double>(std::max<std::size_t>(blocks, 1));
    const double top = kMargin + 20 +
                       kLevelHeight * static_cast<double>(std::max(levels_.top, 1u)) -
                       kLevelHeight + 40;
    const std::size_t rows = (most + columns - 1) / columns;
    bottom_ = top + square_ * static_cast<double>(rows);
    double x = kLeft;
    const auto place = [&](const std::vector<std::uint32_t>& hosts) {
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        const Point at{x + square_ * (static_cast<double>(i % columns) + 0.5),
                       top + square_ * (static_cast<double>(i / columns) + 0.5)};
        for (const std::uint32_t adapter : graph_.hosts()[hosts[i]].adapters) place_[adapter] = at;
      }
    };
    for (std::size_t i = 0; rows_.size() > 1 && i < rows_[1].size(); ++i, x += block) {
      const std::uint32_t leaf = rows_[1][i];
      place_[leaf] = {x + (block - square_) / 2, top - 40};
      width_of_[leaf] = block - square_;
      place(hosts_of[leaf]);
    }
    place(hosts_of[kNone]);
  }

  // Each level in the order of the middle of what is below it, evenly over the whole width.
  void place_switches() {
    const double lowest = bottom_ == 0 ? 0 : place_of_level(1);
    for (std::uint32_t l = 2; l <= levels_.top; ++l) {
      std::map<std::uint32_t, std::pair<double, double>> sums;  // of x, and how many
      for (const Link& link : graph_.links()) {
        for (std::size_t e = 0; e < 2; ++e) {
          const std::uint32_t d = link.ends[e].device;
          const std::uint32_t other = link.ends[1 - e].device;
          if (level(d) != l || !is_switch(other) || level(other) + 1 != l) continue;
          sums[d].first += place_[other].x;
          sums[d].second += 1;
        }
      }
      const auto middle = [&sums](std::uint32_t d) {
        const auto& [sum, count] = sums[d];
        return count == 0 ? 0 : static_cast<std::int64_t>(sum / count);
      };
      std::stable_sort(rows_[l].begin(), rows_[l].end(),
                       [&](std::uint32_t a, std::uint32_t b) { return middle(a) < middle(b); });
      spread(rows_[l], lowest - kLevelHeight * (l - 1));
    }
    spread(rows_[0], bottom_ + 20);
  }

  double place_of_level(std::uint32_t l) const {
    return kMargin + 20 + kLevelHeight * static_cast<double>(std::max(levels_.top, 1u) - l);
  }

  void spread(const std::vector<std::uint32_t>& row, double y) {
    const double slot = width_ / static_cast<double>(std::max<std::size_t>(row.size(), 1));
    for (std::size_t i = 0; i < row.size(); ++i) {
      place_[row[i]] = {kLeft + slot * (static_cast<double>(i) + 0.5), y};
      width_of_[row[i]] = std::min(0.8 * slot, 120.0);
    }
  }

  static std::string line(Point a, Point b, const std::string& style, const std::string& says) {
    return "<line x1=\"" + number(a.x) + "\" y1=\"" + number(a.y) + "\" x2=\"" + number(b.x) +
           "\" y2=\"" + number(b.y) + "\" " + style + ">" + title(says) + "</line>\n";
  }

  void add_cables() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> pairs;
    for (std::uint32_t i = 0; i < graph_.links().size(); ++i) {
      const auto& ends = graph_.links()[i].ends;
      pairs[std::minmax(ends[0].device, ends[1].device)].push_back(i);
    }
    cables_ = "<g stroke=\"#555555\" stroke-opacity=\"0.45\">\n";
    for (const auto& [pair, links] : pairs) {
      const auto [a, b] = pair;
      // Hosts stand at their switch.
      const bool near = !is_switch(a) && level(b) == 1 && place_[a].y > place_[b].y &&
                        std::abs(place_[a].x - place_[b].x) <= width_of_[b] / 2 + square_;
      if (near) continue;
      std::string says = graph_.part_text(a) + " to " + graph_.part_text(b) + ": " +
                         std::to_string(links.size()) + (links.size() == 1 ? " cable" : " cables");
      for (const std::uint32_t i : links) {
        const Link& link = graph_.links()[i];
        const std::size_t first = link.ends[0].device == a ? 0 : 1;
        says += ", [" + std::to_string(link.ends[first].port) + "] to [" +
                std::to_string(link.ends[1 - first].port) + "] " + rate_text(link.bits_per_second);
      }
      cables_ += line(
          place_[a], place_[b],
          "stroke-width=\"" + number(0.3 + 0.5 * static_cast<double>(links.size())) + "\"", says);
    }
    cables_ += "</g>\n";
  }

  void add_findings() {
    for (std::size_t f = 0; f < report_.findings.size(); ++f) {
      const Finding& finding = report_.findings[f];
      const std::string says = "finding " + std::to_string(f + 1) + ", " + kind_name(finding.kind) +
                               ": " + finding.what + ". Expected: " + finding.expected;
      const bool slow =
          finding.kind == FindingKind::slow_cable || finding.kind == FindingKind::slow_switch;
      const std::string style = slow
                                    ? std::string("stroke=\"") + kSlow +
                                          "\" stroke-width=\"2.5\" stroke-dasharray=\"7 3\""
                                    : std::string("stroke=\"") + kWrong + "\" stroke-width=\"2.5\"";
      for (const std::uint32_t i : finding.links) {
        const Link& link = graph_.links()[i];
        marks_ += line(place_[link.ends[0].device], place_[link.ends[1].device], style, says);
      }
      for (const auto& [a, b] : finding.absent) {
        marks_ +=
            line(place_[a.device], place_[b.device],
                 std::string("stroke=\"") + kAbsent +
                     "\" stroke-width=\"2.5\" stroke-dasharray=\"1 4\" stroke-linecap=\"round\"",
                 says);
      }
      for (const LinkEnd& end : finding.ports) marked_[end.device].insert(f + 1);
    }
  }

  void add_parts() {
    for (const Host& host : graph_.hosts()) {
      std::string says = host.name;
      std::set<std::size_t> findings;
      for (const std::uint32_t adapter : host.adapters) {
        says += ", " + guid_text(graph_.device(adapter).guid);
        findings.insert(marked_[adapter].begin(), marked_[adapter].end());
      }
      const Point at = place_[host.adapters.front()];
      const double side = square_ - 1.5;
      box({at.x - side / 2, at.y - side / 2}, side, side, "#cfe2f0", says, findings);
    }
    for (std::uint32_t d = 0; d < graph_.devices().size(); ++d) {
      const Device& device = graph_.device(d);
      if (!is_switch(d)) continue;
      const Point at = place_[d];
      const double width = std::max(width_of_[d], 4.0);
      box({at.x - width / 2, at.y - kSwitchHeight / 2}, width, kSwitchHeight, "#f2f2f2",
          graph_.part_text(d) + ", " + guid_text(device.guid) + ", level " +
              std::to_string(level(d)),
          marked_[d]);
      // What fits: the name, or the end of the GUID, which is what differs.
      std::string name = device.name.empty() ? device.description : device.name;
      if (kLetter * static_cast<double>(name.size()) > width)
        name = guid_text(device.guid).substr(kGuidEnd);
      if (kLetter * static_cast<double>(name.size()) > width) continue;
      parts_ += "<text x=\"" + number(at.x) + "\" y=\"" + number(at.y + 4) +
                "\" text-anchor=\"middle\" pointer-events=\"none\">" + escaped(name) + "</text>\n";
    }
  }

  void box(Point corner, double width, double height, const char* fill, const std::string& says,
           const std::set<std::size_t>& findings) {
    std::string numbers;
    for (const std::size_t f : findings)
      numbers += (numbers.empty() ? "" : ",") + std::to_string(f);
    const bool marked = !findings.empty();
    parts_ += "<rect x=\"" + number(corner.x) + "\" y=\"" + number(corner.y) + "\" width=\"" +
              number(width) + "\" height=\"" + number(height) + "\" fill=\"" + fill +
              "\" stroke=\"" + (marked ? kWrong : "#444444") + "\" stroke-width=\"" +
              (marked ? "2" : "0.6") + "\">" +
              title(says + (marked ? "; finding " + numbers : "")) + "</rect>\n";
    if (!marked) return;
    marks_ += "<text x=\"" + number(corner.x + width + 1) + "\" y=\"" + number(corner.y) +
              "\" font-weight=\"bold\" font-size=\"10\" fill=\"" + kWrong +
              "\" pointer-events=\"none\">!" + numbers + "</text>\n";
  }

  void add_words() {
    for (std::uint32_t l = 1; l <= levels_.top; ++l) {
      const double y = place_of_level(l);
      words_ += "<text x=\"" + number(kMargin) + "\" y=\"" + number(y) + "\">level " +
                std::to_string(l) + "<tspan x=\"" + number(kMargin) + "\" dy=\"13\">" +
                std::to_string(rows_[l].size()) + " switches</tspan></text>\n";
    }
    words_ += "<text x=\"" + number(kMargin) + "\" y=\"" + number(place_of_level(1) + 52) + "\">" +
              std::to_string(graph_.host_count()) + " hosts</text>\n";
    const double y = bottom_ + 42;
    const std::array<std::pair<std::string, const char*>, 3> legend = {{
        {std::string("stroke=\"") + kSlow + "\" stroke-width=\"2.5\" stroke-dasharray=\"7 3\"",
         "slow"},
        {std::string("stroke=\"") + kWrong + "\" stroke-width=\"2.5\"", "wrong"},
        {std::string("stroke=\"") + kAbsent +
             "\" stroke-width=\"2.5\" stroke-dasharray=\"1 4\" stroke-linecap=\"round\"",
         "missing"},
    }};
    double x = kLeft;
    for (const auto& [style, word] : legend) {
      words_ += line({x, y - 4}, {x + 34, y - 4}, style, word);
      words_ += "<text x=\"" + number(x + 40) + "\" y=\"" + number(y) + "\">" + word + "</text>\n";
      x += 110;
    }
    const std::size_t count = report_.findings.size();
    words_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\">" +
              (count == 0 ? std::string("the check finds nothing")
                          : "!1 … !" + std::to_string(count) + ": the findings of --check") +
              "; thicker lines are parallel cables</text>\n";
  }

  const FabricGraph& graph_;
  const CheckReport& report_;
  const TreeLevels levels_;
  std::vector<std::vector<std::uint32_t>> rows_;           // switches by level, from left to right
  std::vector<Point> place_;                               // middle, by device
  std::vector<double> width_of_;                           // of switches
  std::map<std::uint32_t, std::set<std::size_t>> marked_;  // findings of a device
  double square_ = 0;                                      // of a host
  double width_ = 0;                                       // of all hosts
  double bottom_ = 0;
  std::string cables_, parts_, marks_, words_;
};

}  // namespace

std::string draw_tree(const FabricGraph& graph, const CheckReport& report) {
  return Drawing(graph, report).text();
}

}  // namespace holdfast::sim
