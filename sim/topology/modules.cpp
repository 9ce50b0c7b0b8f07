// The chassis of generated trees; the digits of a switch's number are explained in pgft.cpp.
#include "sim/topology/modules.hpp"

#include "sim/topology/wiring.hpp"

namespace holdfast::sim {

namespace {

constexpr std::uint32_t kSmallChipPorts = 24;

// The chips of one level of a chassis, `each` of them on a board.
void add_boards(const std::string& name, std::uint32_t each, Module& chassis,
                const std::vector<std::uint32_t>& chips, std::vector<Module>& boards) {
  for (std::uint32_t i = 0; i < chips.size(); ++i) {
    if (i % each == 0) boards.push_back({name + std::to_string(i / each), {}});
    boards.back().chips.push_back(chips[i]);
    chassis.chips.push_back(chips[i]);
  }
}

}  // namespace

Modules modules_of(const Pgft& tree) {
  Modules modules;
  if (tree.levels() < 2) return modules;
  const PgftWiring wiring(tree);
  const std::uint32_t planes = tree.up(1);
  const std::uint32_t spine_ports = wiring.ports(wiring.device_of(2, 0));
  const std::uint32_t spines_of_board = spine_ports <= kSmallChipPorts ? kSpineChipsOfBoard : 1;
  const std::uint32_t count = tree.nodes(2) / tree.up(2);
  for (std::uint32_t c = 0; c < count; ++c) {
    // Chips of a chassis differ in their second digit only; the first is the plane.
    const auto chips = [&](std::uint32_t level, std::uint32_t digits) {
      std::vector<std::uint32_t> devices;
      for (std::uint32_t digit = 0; digit < digits; ++digit) {
        const std::uint32_t index = c % planes + planes * (digit + digits * (c / planes));
        devices.push_back(wiring.device_of(level, index));
      }
      return devices;
    };
    Module chassis{"chassis-" + std::to_string(c), {}};
    add_boards(chassis.name + "/line-", 1, chassis, chips(1, tree.down(2)), modules.boards);
    add_boards(chassis.name + "/spine-", spines_of_board, chassis, chips(2, tree.up(2)),
               modules.boards);
    modules.chassis.push_back(std::move(chassis));
  }
  return modules;
}

}  // namespace holdfast::sim
