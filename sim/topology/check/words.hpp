// How findings name parts and count. Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/topology/check/check.hpp"
#include "sim/topology/check/pattern.hpp"

namespace holdfast::sim {

// A node: a host by its name, a switch by its own; with GUID.
std::string node_text(const Pattern& pattern, std::uint32_t node);

// "1 cable", "3 cables".
std::string count_text(std::size_t count, const std::string& noun);

// How many cables a lower node and this upper one have: "2", or "2 or 3" where it goes round.
std::string pair_text(const Group& group, std::size_t u);

// The first few, and how many more there are.
std::string list_text(const std::vector<std::string>& items);

// "host", "switch of level 2".
std::string role_text(const Pattern& pattern, std::uint32_t node);

// Both ends: "a[1] to b[2]".
std::string cable_text(const FabricGraph& graph, std::uint32_t link);

}  // namespace holdfast::sim
