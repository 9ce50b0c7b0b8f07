// Chassis and boards: of trees, of the composed fabric, and as `ibnetdiscover -g` names them.
#include "sim/topology/modules.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/topology/ibnetdiscover.hpp"
#include "sim/topology/presets.hpp"

namespace holdfast::sim {
namespace {

Modules of_tree(const PgftSpec& spec) {
  Pgft tree;
  EXPECT_TRUE(Pgft::create(spec, tree).is_ok());
  return modules_of(tree);
}

std::map<std::string, std::size_t> sizes(const std::vector<Module>& modules) {
  std::map<std::string, std::size_t> by_name;
  for (const Module& module : modules)
    EXPECT_TRUE(by_name.emplace(module.name, module.chips.size()).second) << module.name;
  return by_name;
}

// The chips of a chassis are joined with each other: each leaf chip with each spine chip; and no
// link leaves a chassis but to hosts and to chips of level 3.
void expect_complete(const PgftSpec& spec) {
  Pgft tree;
  ASSERT_TRUE(Pgft::create(spec, tree).is_ok());
  const FabricGraph graph = build_pgft(tree, {1, Duration{0}});
  const std::vector<std::uint32_t> levels = pgft_levels(tree);
  const Modules modules = modules_of(tree);
  std::map<std::uint32_t, std::size_t> chassis_of;
  for (std::size_t c = 0; c < modules.chassis.size(); ++c)
    for (const std::uint32_t chip : modules.chassis[c].chips)
      EXPECT_TRUE(chassis_of.emplace(chip, c).second) << "a chip in two chassis";
  EXPECT_EQ(chassis_of.size(), tree.nodes(1) + tree.nodes(2));
  std::map<std::size_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> inside;
  for (const Link& link : graph.links()) {
    const std::uint32_t a = link.ends[0].device, b = link.ends[1].device;
    if (levels[a] + levels[b] != 3) continue;
    ASSERT_EQ(chassis_of.at(a), chassis_of.at(b));
    inside[chassis_of.at(a)].insert({a, b});
  }
  for (const auto& [chassis, pairs] : inside)
    EXPECT_EQ(pairs.size(), std::size_t{tree.down(2)} * tree.up(2)) << chassis;
  std::set<std::uint32_t> on_boards;
  for (const Module& board : modules.boards)
    for (const std::uint32_t chip : board.chips) EXPECT_TRUE(on_boards.insert(chip).second);
  EXPECT_EQ(on_boards.size(), chassis_of.size());
}

TEST(Modules, AChassisIsACompleteTwoLevelTree) {
  for (const char* name : {"isr9144", "324", "1944", "8192"}) expect_complete(*preset_tree(name));
  expect_complete(
      {{3, 4, 2}, {2, 3, 2}, {1, 2, 1}});  // hosts with an adapter on each of two planes
}

// 12 leaf blocks and 12 spine blocks (Vishnu et al. 2009, figure 3), three spine chips a board.
TEST(Modules, The144PortSwitchHasTwelveLineAndFourSpineBoards) {
  const Modules modules = of_tree(*preset_tree("isr9144"));
  EXPECT_EQ(sizes(modules.chassis), (std::map<std::string, std::size_t>{{"chassis-0", 24}}));
  const auto boards = sizes(modules.boards);
  EXPECT_EQ(boards.size(), 16u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(boards.at("chassis-0/line-" + std::to_string(i)), 1u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(boards.at("chassis-0/spine-" + std::to_string(i)), 3u);
}

// As the netlists of a 324-port director have it: 18 leaf and 9 spine boards of one chip.
TEST(Modules, LargerChipsHaveABoardOfTheirOwn) {
  EXPECT_EQ(of_tree(*preset_tree("324")).boards.size(), 27u);
  const Modules large = of_tree(*preset_tree("1944"));
  EXPECT_EQ(large.chassis.size(), 6u);
  EXPECT_EQ(large.boards.size(), 216u);
  EXPECT_TRUE(of_tree({{4}, {1}, {1}}).chassis.empty());
}

TEST(Modules, TheComposedFabricHasSixteenChassis) {
  const FabricGraph graph = ibnft_oversubscribed({1, Duration{0}});
  const Modules modules = ibnft_oversubscribed_modules();
  EXPECT_EQ(modules.chassis.size(), 16u);
  EXPECT_EQ(modules.boards.size(), 16u * 16u);
  for (const std::vector<Module>* list : {&modules.chassis, &modules.boards}) {
    for (const Module& module : *list) {
      const std::string chassis = module.name.substr(0, module.name.find('/'));
      for (const std::uint32_t chip : module.chips)
        EXPECT_EQ(graph.device(chip).name.substr(0, chassis.size() + 1), chassis + "/");
    }
  }
  EXPECT_EQ(sizes(modules.boards).at("core-3/spine-3"), 3u);
}

TEST(Modules, AnImportedFabricHasThoseThatAreNamed) {
  const auto chip = [](const char* guid, const char* chassis, const char* slot, const char* peer,
                       const char* port) {
    const std::string text(guid);
    return "vendid=0x8f1\nsysimgguid=0x99" + std::string(chassis) + "\nswitchguid=0x" + text + "(" +
           text + ")" + slot + "\nSwitch\t24 \"S-" + text +
           "\"\t\t# \"ISR9288\" base port 0 lid 1\n" + "[" + port + "]\t\"S-" + peer + "\"[" +
           port + "]\t\t# \"x\" lid 2 4xDDR\n\n";
  };
  const std::string text =
      "Chassis 2 (guid 0x99)\n" +
      chip("11", "\t\t# Chassis 2", "\t# ISR9288 Line 3 Chip 1", "12", "1") +
      chip("12", "\t\t# Chassis 2 (rack 7)", "\t# ISR9288 Spine 1 Chip 1", "11", "1") +
      chip("13", "\t\t# Chassis 2", "\t# ISR9288 Spine 1 Chip 2", "14", "1") +
      chip("14", "", "", "13", "1");
  ImportedFabric fabric;
  const Status status = parse_ibnetdiscover(text, "f", {}, nanoseconds(1), fabric);
  ASSERT_TRUE(status.is_ok()) << status.message();
  using List = std::vector<Module>;
  EXPECT_EQ(fabric.modules.chassis, (List{{"chassis-2", {0, 1, 2}}}));
  EXPECT_EQ(fabric.modules.boards,
            (List{{"chassis-2/line-3", {0}}, {"chassis-2/spine-1", {1, 2}}}));
}

}  // namespace
}  // namespace holdfast::sim
