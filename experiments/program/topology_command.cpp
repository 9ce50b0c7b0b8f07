// holdfast topology: what can be said of a fabric.
#include <array>
#include <cstdio>

#include "experiments/program/commands.hpp"
#include "experiments/program/prepare.hpp"
#include "sim/faults/text_file.hpp"
#include "sim/topology/summary.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    Option{"--names", "FILE", "a node-name map: lines of GUID \"name\""},
    kSetOption,
};

bool is_experiment(const std::string& operand) {
  return operand.ends_with(".json") || operand.find_last_of('.') == std::string::npos;
}

int describe_file(const std::string& file, const std::string& names_file) {
  std::string text;
  sim::NodeNames names;
  sim::ImportedFabric fabric;
  Status status = Status::ok();
  if (!names_file.empty()) {
    status = sim::read_text_file(names_file, text);
    if (status.is_ok()) status = sim::parse_node_names(text, names_file, names);
  }
  if (status.is_ok()) status = sim::read_text_file(file, text);
  // The latency of links is not in the file and not in the description.
  if (status.is_ok()) status = sim::parse_ibnetdiscover(text, file, names, Duration{0}, fabric);
  if (!status.is_ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return kRefused;
  }
  const sim::Topology topology = sim::Topology::imported(std::move(fabric));
  std::fputs(sim::describe(topology.summary()).c_str(), stdout);
  return kDone;
}

int topology(const Arguments& arguments) {
  const std::string operand = arguments.operands()[0];
  if (!is_experiment(operand)) return describe_file(operand, arguments.value("--names"));
  Prepared prepared;
  if (!prepare(operand, arguments, prepared)) return kRefused;
  std::fputs(sim::describe(prepared.inputs.front()->topology().summary()).c_str(), stdout);
  return kDone;
}

}  // namespace

const Command kTopologyCommand = {
    "topology",
    "FILE|CONFIG [options]",
    "describe a fabric",
    "Prints hosts, switches, links, rates and distances of a fabric, and warnings for links that\n"
    "are slower than their like. FILE is the output of ibnetdiscover; a name that ends in .json, "
    "or\n"
    "has no ending, is an experiment or its folder, of which the first point is described.\n\n"
    "examples:\n"
    "  holdfast topology fabric.ibnetdiscover --names node-name-map\n"
    "  holdfast topology experiments/quickstart",
    kOptions,
    1,
    1,
    topology};

}  // namespace holdfast::program
