// What looks wrongly cabled in a fat tree, judged by what its like have: nobody has to write down
// how the tree was meant to be.
//
// How it goes about it:
//   tree_levels.hpp       how high each switch stands, whatever single cables say
//   pattern.hpp           between two levels: groups in which every lower node is joined to every
//                         upper one, and how many cables most pairs have
//   deviations.hpp        cables that are missing from this pattern, and those that are not in it
//   explain.hpp           what happened: which of these belong together, so that one mistake of a
//                         person is one finding. Two swapped cables are two that miss and two that
//                         are too many; a switch without most of its cables misses all of them.
//   slow_cables.hpp       cables slower than most between the same levels
// What it cannot see: hosts that changed places with each other, as one host is like another; a
// switch that is missing with all its peers' cables where no other group says that it should be
// there; which of the two sides is wrong where two switches are all there is to compare. A fabric
// that is no tree is only checked for slow cables.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/topology/fabric_graph.hpp"

namespace holdfast::sim {

enum class Severity : std::uint8_t {
  serious,   // routes may be wrong, hosts may be lost with one part more, or packets may block
  degraded,  // works with less than it should
  odd,       // may be meant so
};

enum class FindingKind : std::uint8_t {
  crossed_cables,  // two or more cables lead to each other's places
  moved_cable,     // one cable leads elsewhere
  wrong_level,     // a cable joins levels that are not neighbours, or a level to itself
  one_path,        // a host has fewer cables than its like
  unlike_switch,   // a switch has less than half of its cables
  missing_cable,
  missing_switch,  // a group has fewer switches than its like
  slow_cable,
  slow_switch,  // all its cables of one kind are slow
  host_missing,
  host_misplaced,  // a host on a switch where none are usual
  extra_cable,
};

struct Finding {
  FindingKind kind;
  Severity severity = Severity::degraded;
  // The parts that it is about, the ends of each cable side by side; port 0: which one is not
  // known.
  std::vector<LinkEnd> ports;
  std::vector<std::uint32_t> links;                 // cables that are there and are part of it
  std::string what;                                 // a sentence each: what is there,
  std::string expected;                             // what should be, and why,
  std::string remedy;                               // and what to do
  std::vector<std::array<LinkEnd, 2>> absent = {};  // cables that should be there
};

struct CheckReport {
  bool is_tree = true;               // false: only rates were checked
  std::vector<std::string> pattern;  // what most of the fabric looks like, a line for each level
  std::vector<Finding> findings;     // most serious first, then by kind and part
};

CheckReport check_cabling(const FabricGraph& graph);

// "serious" …, "crossed-cables" …: for people and for JSON.
const char* severity_name(Severity severity);
const char* kind_name(FindingKind kind);

// "leaf-3" or "the description", its GUID and [port], as all findings name parts.
std::string finding_part(const FabricGraph& graph, LinkEnd port);

}  // namespace holdfast::sim
