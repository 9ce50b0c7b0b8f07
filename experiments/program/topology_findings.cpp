// Prints findings.
#include "experiments/program/topology_findings.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "sim/topology/part_names.hpp"

namespace holdfast::program {

std::string findings_text(const sim::CheckReport& report) {
  std::string text;
  for (const std::string& line : report.pattern) text += "pattern   " + line + "\n";
  if (!report.is_tree) {
    text +=
        "pattern   no fat tree: a third or more of the cables between switches join no\n"
        "          neighbouring levels; only rates are checked\n";
  }
  std::array<std::size_t, 3> counts = {};
  std::size_t number = 0;
  for (const sim::Finding& finding : report.findings) {
    ++counts[static_cast<std::size_t>(finding.severity)];
    text += "\n" + std::to_string(++number) + ". " + sim::severity_name(finding.severity) + ", " +
            sim::kind_name(finding.kind) + "\n  found     " + finding.what + "\n  expected  " +
            finding.expected + "\n  to do     " + finding.remedy + "\n";
  }
  if (number == 0) return text + "nothing found\n";
  text += "\n" + std::to_string(number) + (number == 1 ? " finding:" : " findings:");
  const char* separator = " ";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += separator + std::to_string(counts[i]) + " " +
            sim::severity_name(static_cast<sim::Severity>(i));
    separator = ", ";
  }
  return text + "\n";
}

std::string findings_json(const sim::FabricGraph& graph, const sim::CheckReport& report) {
  using Json = nlohmann::ordered_json;
  Json findings = Json::array();
  for (const sim::Finding& finding : report.findings) {
    Json ports = Json::array();
    for (const sim::LinkEnd& end : finding.ports) {
      const sim::Device& device = graph.device(end.device);
      ports.push_back({{"name", device.name},
                       {"description", device.description},
                       {"guid", sim::guid_text(device.guid)},
                       {"port", end.port == 0 ? Json() : Json(end.port)}});
    }
    findings.push_back({{"severity", sim::severity_name(finding.severity)},
                        {"kind", sim::kind_name(finding.kind)},
                        {"what", finding.what},
                        {"expected", finding.expected},
                        {"remedy", finding.remedy},
                        {"ports", std::move(ports)}});
  }
  const Json root = {
      {"is_tree", report.is_tree}, {"pattern", report.pattern}, {"findings", std::move(findings)}};
  // Descriptions are bytes from elsewhere: what is not UTF-8 is replaced.
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace holdfast::program
