// A fabric as a picture, SVG: hosts in rows at the bottom, each level of switches in a row above
// them. The same fabric and findings give the same bytes.
//
// Switches of one group stand together, groups in the order of the hosts below them; so cables of a
// group form a bundle, and a cable that leaves its group crosses the picture. Parallel cables are
// one line, thicker. Findings of check_cabling are drawn on top: what is slow is orange and dashed,
// what is wrong vermilion and thick, the place of a missing cable blue and dotted (colours of Okabe
// and Ito, for all kinds of eyes, and never colour alone); parts with a finding have a thick edge,
// "!" and its number. Names, GUIDs and ports are titles, which browsers show under the pointer.
#pragma once

#include <string>

#include "sim/topology/check/check.hpp"
#include "sim/topology/fabric_graph.hpp"

namespace holdfast::sim {

std::string draw_tree(const FabricGraph& graph, const CheckReport& report);

}  // namespace holdfast::sim
