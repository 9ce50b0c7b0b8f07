// Fabrics known by name. Switches of the first two have the 24 ports of the chips of their time,
// the others 36, 64 or 128.
//
//   isr9144              the 144-port switch of Vishnu, Krishnan, Panda (2009), figure 3: 12 leaf
//                        chips with 12 hosts each, 12 spine chips, one link between each two
//   ibnft-oversubscribed figure 4 there, the variant of Chinook: see ibnft_oversubscribed()
//   324, 1944, 8192      PGFT(2; 18,18; 1,9; 1,2), PGFT(3; 18,18,6; 1,18,3; 1,1,6) and
//                        PGFT(3; 32,16,16; 1,16,8; 1,2,4), hosts as the name says
//   65536, 262144        full trees of 64- and 128-port switches, PGFT(3; 32,32,64; 1,32,32; 1,1,1)
//                        and PGFT(3; 64,64,64; 1,64,64; 1,1,1), the 64-ary 3-tree
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/modules.hpp"
#include "sim/topology/pgft.hpp"

namespace holdfast::sim {

// In the order above.
const std::vector<std::string_view>& preset_names();

// The tree of that name; nothing if it is no tree, or there is none.
std::optional<PgftSpec> preset_tree(std::string_view name);

constexpr std::string_view kIbnftOversubscribed = "ibnft-oversubscribed";
constexpr std::uint32_t kIbnftOversubscribedHosts = 1152;

// 1,152 hosts on 12 leaf chassis and 4 spine chassis, each of them a 144-port switch as isr9144.
// Each of the 12 leaf chips of a leaf chassis has 8 hosts on its 12 external ports and a cable to
// each spine chassis on the other 4; its 12 internal links lead to the spine chips of its own
// chassis. Leaf chip c of a spine chassis has a cable from each leaf chip of leaf chassis c. So
// within a chassis there are 12 ways, out of it 4: 2:1, and no PGFT, because a leaf chip has
// parents of two kinds. The paper gives the 8 and the 4; the numbers of chassis are ours, the ones
// that fill all ports.
// Names: chassis-0/leaf-3, chassis-0/spine-3, core-1/leaf-3, core-1/spine-3, host-0 ...
FabricGraph ibnft_oversubscribed(const LinkSpec& link);
// Its chassis and their boards.
Modules ibnft_oversubscribed_modules();

// The k-ary n-tree: n levels of switches with k links down and k up, k^n hosts. 1 <= k, 1 <= n
// <= 8.
PgftSpec k_ary_n_tree(std::uint32_t k, std::uint32_t n);

}  // namespace holdfast::sim
