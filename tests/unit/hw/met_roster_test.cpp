// Machines as nodes: by slot, by node, or each process by itself.
#include "hw/launch/met_roster.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace holdfast::hw {
namespace {

// A letter for the machine of each process, by rank.
RosterOptions of(std::string_view machines, std::uint32_t per_node = 0) {
  std::vector<JobMember> members(machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) members[i].host[15] = std::byte(machines[i]);
  return roster_of(members, per_node);
}

void expect(const RosterOptions& options, std::uint32_t nodes, std::uint32_t per_node,
            ProcessPlacement placement) {
  EXPECT_EQ(options.nodes, nodes);
  EXPECT_EQ(options.per_node, per_node);
  EXPECT_EQ(options.placement, placement);
}

TEST(MetRoster, MachinesWithEquallyManyAreNodes) {
  expect(of("aaaa"), 1, 4, ProcessPlacement::by_slot);
  expect(of("aabbcc"), 3, 2, ProcessPlacement::by_slot);
  expect(of("abcabc"), 3, 2, ProcessPlacement::by_node);
  expect(of("abc"), 3, 1, ProcessPlacement::by_slot);
}

TEST(MetRoster, WhatIsNeitherBySlotNorByNodeIsWatchedOneByOne) {
  expect(of("aab"), 3, 1, ProcessPlacement::by_slot);   // not equally many
  expect(of("aaab"), 4, 1, ProcessPlacement::by_slot);  // nor so
  expect(of("aabb"
            "ba"),
         6, 1, ProcessPlacement::by_slot);  // in no order
  expect(of("abba"), 4, 1, ProcessPlacement::by_slot);
}

TEST(MetRoster, WhoIsAskedForSoManyHasSoMany) {
  expect(of("aaaa", 1), 4, 1, ProcessPlacement::by_slot);
  expect(of("aaaa", 2), 2, 2, ProcessPlacement::by_slot);
}

}  // namespace
}  // namespace holdfast::hw
