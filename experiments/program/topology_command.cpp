// holdfast topology: what can be said of a fabric, and the fabric in the forms of other programs.
#include <array>
#include <cstdio>
#include <filesystem>

#include "experiments/config/nearest.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/prepare.hpp"
#include "experiments/program/topology_findings.hpp"
#include "experiments/runner/durable_file.hpp"
#include "sim/faults/text_file.hpp"
#include "sim/topology/formats/formats.hpp"
#include "sim/topology/summary.hpp"
#include "sim/topology/tree_drawing.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    Option{"--check", nullptr,
           "judge the cabling: each finding names parts by GUID and port;\n"
           "exit status 0 if there is none, 1 if there are some"},
    Option{"--json", nullptr, "with --check: the findings as JSON"},
    Option{"--draw", "FILE.svg",
           "draw the tree, with what --check finds in it; titles show\n"
           "names, GUIDs and ports under the pointer"},
    Option{"--convert", "FORMAT",
           "print the fabric for another program instead: ibnetdiscover;\n"
           "ibsim (its net file); dot (graphviz); slurm (topology.conf,\n"
           "switches that serve the same hosts as one)"},
    Option{"--names", "FILE", "a node-name map: lines of GUID \"name\""},
    kSetOption,
};

// A folder may have a dot in its name, and be written as "." or with a slash behind it.
bool is_experiment(const std::string& operand) {
  std::error_code none;
  return operand.ends_with(".json") || std::filesystem::path(operand).extension().empty() ||
         std::filesystem::is_directory(operand, none);
}

Status read_fabric(const std::string& file, const std::string& names_file,
                   sim::ImportedFabric& fabric) {
  std::string text;
  sim::NodeNames names;
  Status status = Status::ok();
  if (!names_file.empty()) {
    status = sim::read_text_file(names_file, text);
    if (status.is_ok()) status = sim::parse_node_names(text, names_file, names);
  }
  if (status.is_ok()) status = sim::read_text_file(file, text);
  // The latency of links is not in the file, and nothing here asks for it.
  if (status.is_ok()) status = sim::parse_ibnetdiscover(text, file, names, Duration{0}, fabric);
  return status;
}

int refuse(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return kRefused;
}

int convert(const std::string& operand, const std::string& format, const sim::FabricGraph& graph) {
  std::string text;
  for (const sim::FabricFormat& known : sim::fabric_formats()) {
    if (known.name != format) continue;
    if (Status status = known.write(graph, text); !status.is_ok())
      return refuse(operand + ": " + status.message());
    std::fputs(text.c_str(), stdout);
    return kDone;
  }
  std::vector<std::string> names;
  std::string list;
  for (const sim::FabricFormat& known : sim::fabric_formats()) {
    names.emplace_back(known.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  return refuse("holdfast topology: --convert is \"" + format + "\"" +
                runner::config::did_you_mean(format, names, "") + "; expected one of " + list);
}

int check(const sim::ImportedFabric& fabric, bool json) {
  for (const std::string& warning : fabric.warnings)
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  const sim::CheckReport report = sim::check_cabling(fabric.graph);
  const std::string text = json ? findings_json(fabric.graph, report) : findings_text(report);
  std::fputs(text.c_str(), stdout);
  return report.findings.empty() ? kDone : kFound;
}

int draw(const sim::FabricGraph& graph, const std::string& file) {
  const std::string svg = sim::draw_tree(graph, sim::check_cabling(graph));
  if (Status status = runner::write_durably(file, svg); !status.is_ok())
    return refuse("holdfast topology: --draw: " + status.message());
  return kDone;
}

// Options that do not go together, or not with what is looked at; empty: none.
std::string misplaced(const Arguments& arguments, const std::string& operand) {
  if (const std::string file = arguments.value("--draw"); !file.empty() && !file.ends_with(".svg"))
    return "--draw is \"" + file + "\"; expected the name of an SVG file, which ends in .svg";
  if (arguments.has("--json") && !arguments.has("--check"))
    return "--json is how --check prints; expected --check --json";
  if (arguments.has("--convert") && arguments.has("--check"))
    return "--check and --convert both print; expected one of them";
  const bool experiment = is_experiment(operand);
  if (experiment && arguments.has("--names"))
    return "--names renames the devices of an ibnetdiscover file, and \"" + operand +
           "\" is an experiment; expected an ibnetdiscover file, whose name has another ending "
           "than .json, or --set topology.names=FILE";
  if (!experiment && arguments.has("--set"))
    return "--set changes an experiment, and \"" + operand +
           "\" is an ibnetdiscover file; expected an experiment, or no --set";
  return "";
}

int topology(const Arguments& arguments) {
  const std::string operand = arguments.operands()[0];
  if (const std::string why = misplaced(arguments, operand); !why.empty())
    return refuse("holdfast topology: " + why);
  sim::ImportedFabric fabric;
  Prepared prepared;
  if (is_experiment(operand)) {
    if (!prepare(operand, arguments, prepared)) return kRefused;
  } else if (Status status = read_fabric(operand, arguments.value("--names"), fabric);
             !status.is_ok()) {
    return refuse(status.message());
  }
  const bool imported = prepared.inputs.empty();
  if (arguments.has("--convert") || arguments.has("--check") || arguments.has("--draw")) {
    if (!imported) fabric.graph = prepared.inputs.front()->topology().written_out();
    if (arguments.has("--draw")) {
      const int status = draw(fabric.graph, arguments.value("--draw"));
      if (status != kDone || (!arguments.has("--convert") && !arguments.has("--check")))
        return status;
    }
    if (arguments.has("--convert"))
      return convert(operand, arguments.value("--convert"), fabric.graph);
    return check(fabric, arguments.has("--json"));
  }
  const sim::Summary summary = imported ? sim::Topology::imported(std::move(fabric)).summary()
                                        : prepared.inputs.front()->topology().summary();
  std::fputs(sim::describe(summary).c_str(), stdout);
  return kDone;
}

}  // namespace

const Command kTopologyCommand = {
    "topology",
    "FILE|CONFIG [options]",
    "describe a fabric, check its cabling, draw or convert it",
    "Prints hosts, switches, links, rates and distances of a fabric, and warnings for links that\n"
    "are slower than their like. FILE is the output of ibnetdiscover; a name that ends in .json, "
    "or\n"
    "has no ending, and a folder are an experiment, of which the first point is taken.\n\n"
    "--check finds out which tree most cables make, and names those that do not fit: missing, "
    "slow,\n"
    "moved and swapped ones, switches and hosts that are cabled unlike their like; the most "
    "serious\n"
    "first, with what was expected, why, and what to do.\n\n"
    "examples:\n"
    "  holdfast topology fabric.ibnetdiscover --names node-name-map\n"
    "  holdfast topology fabric.ibnetdiscover --check\n"
    "  holdfast topology experiments/quickstart\n"
    "  holdfast topology fabric.ibnetdiscover --convert slurm > topology.conf",
    kOptions,
    1,
    1,
    topology};

}  // namespace holdfast::program
