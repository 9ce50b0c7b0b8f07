// Parts by name: what a tree that is computed calls them is what the same tree written out does.
#include "sim/topology/part_search.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

FabricPart found(const Topology& topology, PartKind kind, std::string_view text) {
  FabricPart part{FabricPart::Kind::link, kNone};
  const Status status = find_part(topology, kind, text, part);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return part;
}

TEST(FindPart, ComputedAndWrittenTreesAgreeOnEveryName) {
  for (const PgftSpec& spec :
       {PgftSpec{{3, 2, 4}, {1, 2, 3}, {1, 3, 2}}, PgftSpec{{2, 3}, {2, 2}, {2, 1}}}) {
    const Pgft tree = make_tree(spec);
    const Topology computed = Topology::generated(tree, kLink100);
    const Topology written = Topology::written(build_pgft(tree, kLink100));
    for (const PartKind kind : {PartKind::link, PartKind::switch_chip, PartKind::adapter}) {
      const std::vector<FabricPart> parts = parts_of(computed, kind);
      ASSERT_EQ(parts, parts_of(written, kind));
      ASSERT_FALSE(parts.empty());
      for (const FabricPart part : parts) {
        ASSERT_EQ(part_name(computed, part), part_name(written, part));
      }
    }
  }
}

TEST(FindPart, EverySwitchAndLinkIsFoundByItsName) {
  const Pgft tree = make_tree({{3, 2, 4}, {1, 2, 3}, {1, 3, 2}});
  for (const Topology& topology :
       {Topology::generated(tree, kLink100), Topology::written(build_pgft(tree, kLink100))}) {
    for (const FabricPart part : parts_of(topology, PartKind::switch_chip)) {
      EXPECT_EQ(found(topology, PartKind::switch_chip, part_name(topology, part)), part);
    }
    for (const FabricPart part : parts_of(topology, PartKind::link)) {
      const std::string name = part_name(topology, part);
      const std::size_t middle = name.find(" to ");
      EXPECT_EQ(found(topology, PartKind::link, name.substr(0, middle)), part);
      EXPECT_EQ(found(topology, PartKind::link, name.substr(middle + 4)), part);
    }
    EXPECT_EQ(found(topology, PartKind::switch_chip, "0x0002020000000003"),
              found(topology, PartKind::switch_chip, "level2-3"));
    EXPECT_EQ(found(topology, PartKind::link, "host-7"),
              found(topology, PartKind::link, "leaf-2[2]"));
    EXPECT_EQ(found(topology, PartKind::adapter, "7").index, 7u);
  }
}

TEST(FindPart, SaysWhatWasExpected) {
  const Topology topology = Topology::generated(make_tree({{4, 4}, {1, 4}, {1, 1}}), kLink100);
  FabricPart part;
  EXPECT_EQ(find_part(topology, PartKind::switch_chip, "leaf-4", part).message(),
            "'leaf-4' is no switch; expected a name such as leaf-0, or a GUID");
  EXPECT_EQ(find_part(topology, PartKind::switch_chip, "leaf-03", part).message(),
            "'leaf-03' is no switch; expected a name such as leaf-0, or a GUID");
  EXPECT_EQ(
      find_part(topology, PartKind::link, "leaf-0[9]", part).message(),
      "'leaf-0[9]' is no link; expected a port that has a cable, such as leaf-0[1], or a host, "
      "for the link that it uses");
  EXPECT_FALSE(find_part(topology, PartKind::link, "leaf-0", part).is_ok());
  EXPECT_FALSE(find_part(topology, PartKind::link, "leaf-0[0]", part).is_ok());
  EXPECT_EQ(find_part(topology, PartKind::adapter, "16", part).message(),
            "'16' is no host's adapter; expected a host's name, index or GUID");
}

}  // namespace
}  // namespace holdfast::sim
