// holdfast info: facts about the algorithms, computed from the product's own code.
#include <array>
#include <cstdio>
#include <deque>

#include "experiments/program/commands.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast::program {
namespace {

const std::array kOptions = {
    Option{"--processes", "N", "processes in the ring; default 1024"},
};

constexpr std::uint32_t kProcessesMax = 1u << 20;

struct Flood {
  std::uint32_t rounds = 0;   // until the last first copy
  std::uint32_t reached = 0;  // the starter included
  std::uint64_t messages = 0;
};

// Every message takes one round; who hears the news for the first time passes it on.
Flood flood(const Propagation& propagation, std::uint32_t processes) {
  RosterOptions options;
  options.nodes = processes;
  const Roster roster(options);
  const View view;
  const Ring ring(roster, view);
  constexpr std::uint32_t kNever = 0xffff'ffff;
  std::vector<std::uint32_t> heard(processes, kNever);
  std::deque<Position> queue = {Position{0}};
  std::vector<Position> targets;
  heard[0] = 0;
  Flood result;
  while (!queue.empty()) {
    const Position from = queue.front();
    queue.pop_front();
    ++result.reached;
    result.rounds = heard[from.value];
    targets.clear();
    propagation.targets(ring, from, targets);
    result.messages += targets.size();
    for (const Position to : targets) {
      if (heard[to.value] != kNever) continue;
      heard[to.value] = heard[from.value] + 1;
      queue.push_back(to);
    }
  }
  return result;
}

int info(const Arguments& arguments) {
  if (arguments.operands()[0] != "propagation") {
    std::fprintf(stderr, "holdfast info: there is nothing about \"%s\"; expected propagation\n",
                 arguments.operands()[0].c_str());
    return kRefused;
  }
  std::uint32_t processes = 0;
  if (!arguments.number("--processes", 1024, processes)) return kRefused;
  if (processes > kProcessesMax) {
    std::fprintf(stderr, "holdfast info: --processes is %u; expected at most %u\n", processes,
                 kProcessesMax);
    return kRefused;
  }
  std::printf("%u processes, unit latency, one process starts\n\n", processes);
  std::printf("%-12s %7s %20s %10s  %s\n", "propagation", "rounds", "messages/process", "reached",
              "idea");
  for (const PropagationEntry& entry : propagations()) {
    const Flood result = flood(*entry.make(), processes);
    std::printf("%-12s %7u %20.2f %10u  %s\n", std::string(entry.name).c_str(), result.rounds,
                static_cast<double>(result.messages) / processes, result.reached,
                std::string(entry.idea).c_str());
  }
  return kDone;
}

}  // namespace

const Command kInfoCommand = {
    "info",
    "propagation [options]",
    "print facts about the algorithms",
    "propagation: for every propagation topology there is, the rounds until the last process has\n"
    "heard a piece of news, and how many messages a process receives on average, when every "
    "message\n"
    "takes one round and all processes are alive.\n\n"
    "example:\n"
    "  holdfast info propagation --processes 48",
    kOptions,
    1,
    1,
    info};

}  // namespace holdfast::program
