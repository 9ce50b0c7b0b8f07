// Modular switches: which chips sit in one chassis, and which on one of its boards. They share a
// power supply, a slot, a pair of hands that pulls the wrong board: common causes of failures.
//
// A chassis is a two-level fat tree in a box: leaf chips, each on a *line board* with the cables of
// 12 or 18 hosts, and spine chips on *spine boards* (fabric boards), all joined by the backplane
// (Vishnu, Krishnan, Panda 2009, figure 3: the leaf and spine blocks of a 144-port switch). What
// dies with a board is its chips, and with them all their links; hosts on a dead line board live,
// cut off.
//
// Where they come from:
//   generated   A tree of at least two levels is taken as built of modular switches: chassis c is
//               the c-th subtree of level 2, so PGFT(2; ...) is one chassis, `isr9144` the 144-port
//               switch of the figure, 324 a 324-port one, and 1,944 is six of those below single
//               switches, for chips of level 3 and above are in no chassis. A line board has one
//               leaf chip. Of chips of up to 24 ports three share a spine board, as in the 144- and
//               288-port directors of that time; a larger chip has its own, as in the 324- and
//               648-port ones.
//   composed    The 16 chassis of ibnft-oversubscribed, each as isr9144.
//   imported    What `ibnetdiscover -g` says: "# Chassis 1" beside the system image GUID, "Line 3
//               Chip 1", "Spine 2 Chip 1" or "SRBD 1 Chip 1" beside the switch's own.
// Names: chassis-0, chassis-0/line-3, chassis-0/spine-1; numbers from 0, imported ones as written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/topology/pgft.hpp"

namespace holdfast::sim {

// A chassis or a board.
struct Module {
  std::string name;                  // unique among all modules of a fabric
  std::vector<std::uint32_t> chips;  // devices, ascending; not empty

  friend bool operator==(const Module&, const Module&) = default;
};

struct Modules {
  std::vector<Module> chassis;
  std::vector<Module> boards;  // of all chassis; chips of one board are of one chassis

  friend bool operator==(const Modules&, const Modules&) = default;
};

// Chips of up to 24 ports that share a spine board.
constexpr std::uint32_t kSpineChipsOfBoard = 3;

// Of a generated tree; none of a tree of one level.
Modules modules_of(const Pgft& tree);

}  // namespace holdfast::sim
