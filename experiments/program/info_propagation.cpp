// holdfast info propagation: facts about the algorithms, computed from the product's own code.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "experiments/program/commands.hpp"
#include "experiments/program/info.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kProcessesMax = 1u << 20;

// Beyond it the messages of a topology with ever more targets take minutes to count.
constexpr std::uint64_t kMessagesMax = std::uint64_t{1} << 30;

struct Flood {
  std::uint32_t rounds = 0;  // until the last first copy
  std::uint64_t messages = 0;
};

constexpr std::uint32_t kNever = 0xffff'ffff;

// Every message takes one round; who hears the news for the first time on a course passes it on
// there. Marks who hears it.
Flood spread(const Propagation& propagation, const Ring& ring, const Course& course,
             std::vector<bool>& reached) {
  std::vector<std::uint32_t> heard(ring.size(), kNever);
  std::deque<Position> queue = {course.starter};
  std::vector<Target> targets;
  heard[course.starter.value] = 0;
  Flood result;
  while (!queue.empty()) {
    const Position from = queue.front();
    queue.pop_front();
    reached[from.value] = true;
    result.rounds = heard[from.value];
    targets.clear();
    propagation.targets(ring, from, course, targets);
    result.messages += targets.size();
    for (const Target& target : targets) {
      std::uint32_t& there = heard[target.position.value];
      if (there != kNever) continue;
      there = heard[from.value] + 1;
      queue.push_back(target.position);
    }
  }
  return result;
}

// From position 0: on one course where the starter does not matter, else on one in each cube.
Flood flood(const Propagation& propagation, const Ring& ring, std::vector<bool>& reached) {
  Flood result;
  const std::uint32_t courses = std::max(1u, propagation.cubes(ring.size()));
  for (std::uint32_t cube = 0; cube < courses; ++cube) {
    const Course course{{0}, static_cast<std::uint8_t>(cube)};
    const Flood one = spread(propagation, ring, course, reached);
    result.rounds = std::max(result.rounds, one.rounds);
    result.messages += one.messages;
  }
  return result;
}

}  // namespace

int info_propagation(const Arguments& arguments) {
  std::uint32_t processes = 0;
  if (!arguments.number("--processes", 1024, processes, kProcessesMax)) return kRefused;
  std::printf("%u %s, unit latency, one process starts\n\n", processes,
              processes == 1 ? "process" : "processes");
  std::printf("%-12s %7s %20s %10s  %s\n", "propagation", "rounds", "messages/process", "reached",
              "idea");
  const Roster roster({.nodes = processes});
  const View view;
  const Ring ring(roster, view);
  for (const PropagationEntry& entry : propagations()) {
    const Propagation& propagation = entry.get();
    const std::string name(entry.name), idea(entry.idea);
    if (std::uint64_t{propagation.targets_max(processes)} * processes > kMessagesMax) {
      std::printf("%-12s %7s %20s %10s  %s (too many messages to count)\n", name.c_str(), "-", "-",
                  "-", idea.c_str());
      continue;
    }
    std::vector<bool> reached(processes);
    const Flood result = flood(propagation, ring, reached);
    std::printf("%-12s %7u %20.2f %10td  %s\n", name.c_str(), result.rounds,
                static_cast<double>(result.messages) / processes,
                std::count(reached.begin(), reached.end(), true), idea.c_str());
  }
  return kDone;
}

}  // namespace holdfast::program
