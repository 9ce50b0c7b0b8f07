// holdfast info: what this machine offers, and facts about the algorithms.
#include <array>
#include <cstdio>

#include "experiments/config/nearest.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/info.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    Option{"--json", nullptr, "of the machine: one JSON object, for scripts"},
    Option{"--processes", "N", "of propagation: processes in the ring; default 1024"},
};

int info(const Arguments& arguments) {
  const std::string topic = arguments.operands().empty() ? "machine" : arguments.operands()[0];
  const bool machine = topic == "machine";
  if (!machine && topic != "propagation") {
    std::fprintf(stderr,
                 "holdfast info: there is nothing about \"%s\"; expected machine or "
                 "propagation%s\n",
                 topic.c_str(),
                 runner::config::did_you_mean(topic, {"machine", "propagation"}).c_str());
    return kRefused;
  }
  const char* const foreign = machine ? "--processes" : "--json";
  if (arguments.has(foreign)) {
    std::fprintf(stderr, "holdfast info: %s goes with %s only\n", foreign,
                 machine ? "holdfast info propagation" : "holdfast info machine");
    return kRefused;
  }
  return machine ? info_machine(arguments) : info_propagation(arguments);
}

}  // namespace

const Command kInfoCommand = {
    "info",
    "[machine|propagation] [options]",
    "say what this machine offers, or facts about the algorithms",
    "machine, or nothing: network and RDMA devices, limits, offloads, memory, clocks, processors\n"
    "and software, as the kernel and the devices say when they are asked; then what Holdfast will\n"
    "use, and why not the rest. What cannot be found out says why.\n"
    "propagation: for every propagation topology there is, the rounds until the last first copy of "
    "a\n"
    "piece of news (of hba: in each of its cubes), and how many messages a process receives on\n"
    "average, when every message takes one round and all processes are alive.\n\n"
    "examples:\n"
    "  holdfast info\n"
    "  holdfast info --json\n"
    "  holdfast info propagation --processes 48",
    kOptions,
    0,
    1,
    info};

}  // namespace holdfast::program
