// holdfast info: what this machine offers, and facts about the algorithms.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "experiments/config/nearest.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/program/info.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    Option{"--json", nullptr, "of the machine: one JSON object, for scripts"},
    Option{"--processes", "N", "of propagation: processes in the ring; default 1024"},
    Option{"--job", "NAME", "of skeletons: this job only, such as bt.C.16"},
};

// What there is something about, and the one option that goes with it.
struct Topic {
  const char* name;
  const char* option;
  int (*say)(const Arguments&);
};
const std::array kTopics = {
    Topic{"machine", "--json", info_machine},
    Topic{"propagation", "--processes", info_propagation},
    Topic{"skeletons", "--job", info_skeletons},
};

int info(const Arguments& arguments) {
  const std::string asked = arguments.operands().empty() ? "machine" : arguments.operands()[0];
  const auto topic = std::find_if(kTopics.begin(), kTopics.end(),
                                  [&](const Topic& one) { return asked == one.name; });
  if (topic == kTopics.end()) {
    std::fprintf(
        stderr,
        "holdfast info: there is nothing about \"%s\"; expected machine, propagation or "
        "skeletons%s\n",
        asked.c_str(),
        runner::config::did_you_mean(asked, {"machine", "propagation", "skeletons"}).c_str());
    return kRefused;
  }
  for (const Topic& other : kTopics) {
    if (&other == topic || !arguments.has(other.option)) continue;
    std::fprintf(stderr, "holdfast info: %s goes with holdfast info %s only\n", other.option,
                 other.name);
    return kRefused;
  }
  return topic->say(arguments);
}

}  // namespace

const Command kInfoCommand = {
    "info",
    "[machine|propagation|skeletons] [options]",
    "say what this machine offers, or facts about the algorithms",
    "machine, or nothing: network and RDMA devices, limits, offloads, memory, clocks, processors\n"
    "and software, as the kernel and the devices say when they are asked; then what Holdfast will\n"
    "use, and why not the rest. What cannot be found out says why.\n"
    "propagation: for every propagation topology there is, the rounds until the last first copy of "
    "a\n"
    "piece of news (of hba: in each of its cubes), and how many messages a process receives on\n"
    "average, when every message takes one round and all processes are alive.\n"
    "skeletons: how many messages and bytes each process sends in the NAS Parallel Benchmarks that "
    "the\n"
    "papers run, and how that compares with published counts.\n\n"
    "examples:\n"
    "  holdfast info\n"
    "  holdfast info --json\n"
    "  holdfast info propagation --processes 48\n"
    "  holdfast info skeletons --job lu.B.16",
    kOptions,
    0,
    1,
    info};

}  // namespace holdfast::program
