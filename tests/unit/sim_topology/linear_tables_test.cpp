// Imported forwarding tables: every way ends where it should, and each kind of wrong file is named.
#include "sim/topology/linear_tables.hpp"

#include <gtest/gtest.h>

#include "sim/topology/part_names.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// Two switches with two hosts each and two cables between them; ports as HandMade gives them:
// hosts on ports 3 and 4, cables on 1 and 2.
HandMade two_switches() {
  HandMade fabric(2);
  fabric.join(0, 1);
  fabric.join(0, 1);
  for (const std::uint32_t s : {0u, 0u, 1u, 1u}) fabric.host(s);
  for (std::uint32_t h = 0; h < 4; ++h) {
    fabric.graph.set_port_guid({fabric.graph.host({h}).adapters.front(), 1}, 0x3000 + h);
  }
  return fabric;
}

// Tables for LMC 1: host h has LIDs 16 + 2h and 17 + 2h.
std::string good_tables() {
  std::string text;
  for (std::uint32_t s = 0; s < 2; ++s) {
    text += "Unicast lids [0-23] of switch Lid 1 guid 0x000000000000200" + std::to_string(s) +
            " ('s" + std::to_string(s) + "'):\n  Lid  Out   Destination\n";
    for (std::uint32_t h = 0; h < 4; ++h) {
      for (std::uint32_t path = 0; path < 2; ++path) {
        const bool here = h / 2 == s;
        const std::uint32_t port = here ? 3 + h % 2 : 1 + path;
        text += "0x001" + std::to_string(2 * h + path) + " 00" + std::to_string(port) +
                " # Channel Adapter portguid 0x000000000000300" + std::to_string(h) + ": 'h'\n";
      }
    }
  }
  return text + "8 lids dumped\n";
}

std::string error_of(const std::string& text) {
  const HandMade fabric = two_switches();
  std::optional<ForwardingTables> tables;
  std::vector<std::string> warnings;
  const Status status = parse_linear_tables(text, "t.lfts", fabric.graph, tables, warnings);
  EXPECT_FALSE(status.is_ok());
  EXPECT_FALSE(tables.has_value());
  return status.message();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(LinearTables, LidsOfAHostAreItsPaths) {
  const HandMade fabric = two_switches();
  std::optional<ForwardingTables> tables;
  std::vector<std::string> warnings;
  const Status status =
      parse_linear_tables(good_tables(), "t.lfts", fabric.graph, tables, warnings);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(tables->paths(), 2u);
  EXPECT_EQ(tables->port(0, {0}, 0), 3);
  EXPECT_EQ(tables->port(0, {1}, 1), 4);
  EXPECT_EQ(tables->port(0, {2}, 0), 1);
  EXPECT_EQ(tables->port(0, {2}, 1), 2);
  EXPECT_EQ(tables->port(1, {1}, 1), 2);
  const Routes routes(fabric.graph, *tables);
  EXPECT_EQ(routes.hops({0}, {3}, 1), 3u);
  EXPECT_EQ(routes.hops({0}, {1}, 1), 2u);
}

TEST(LinearTables, SayWhatIsWrongAndWhere) {
  const std::string good = good_tables();
  EXPECT_NE(error_of("").find("t.lfts:1: no table found"), std::string::npos);
  EXPECT_NE(error_of(replaced(good, "0x0000000000002001", "0x0000000000002009"))
                .find("t.lfts:11: no switch of the fabric has the GUID 0x0000000000002009"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "0x0000000000002001", "0x0000000000002000"))
                .find("t.lfts:11: a second table of s0"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "0x0010 003", "0x0010 007")).find("port 7 of s0 has no cable"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "0x0010 003", "0x0010 300")).find("t.lfts:3: found"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "0x0011 003", "0x0010 004"))
                .find("t.lfts:4: a second output port for LID 0x0010"),
            std::string::npos);
  EXPECT_NE(error_of("0x0010 003 # x\n" + good).find("an entry before the first section"),
            std::string::npos);
}

TEST(LinearTables, RefuseCirclesAndUnequalLmc) {
  const std::string good = good_tables();
  // Host 0 from its own switch by cable 1, and back by cable 1.
  EXPECT_NE(error_of(replaced(good, "0x0010 003", "0x0010 001"))
                .find("packets to h0 go in a circle through s"),
            std::string::npos);
  std::string fewer = good;
  for (int section = 0; section < 2; ++section) {
    const std::size_t at = fewer.find("0x0017");
    fewer.erase(at, fewer.find('\n', at) + 1 - at);
  }
  EXPECT_NE(error_of(fewer).find("h0 has 2 LIDs and h3 has 1"), std::string::npos);
}

TEST(LinearTables, WarnOfWhatTheFileDoesNotName) {
  const HandMade fabric = two_switches();
  std::string text = good_tables();
  text.erase(text.find("Unicast", 1));
  std::optional<ForwardingTables> tables;
  std::vector<std::string> warnings;
  ASSERT_TRUE(parse_linear_tables(text, "t.lfts", fabric.graph, tables, warnings).is_ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "t.lfts: no table of s1");
  const Routes routes(fabric.graph, *tables);
  EXPECT_EQ(routes.hops({0}, {1}), 2u);
  EXPECT_EQ(routes.hops({2}, {0}), 0u);
}

TEST(LinearTables, OfOpenSmAndOfDumpLftsAreTheSame) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + "/opensm/ft16/cmd_ibnetdiscover.out").graph;
  std::vector<ForwardingTables> both;
  for (const char* name : {"opensm-lfts.dump", "cmd_dump_lfts.out"}) {
    std::optional<ForwardingTables> tables;
    std::vector<std::string> warnings;
    const Status status = parse_linear_tables(read_text(data + "/opensm/ft16/" + name), name, graph,
                                              tables, warnings);
    ASSERT_TRUE(status.is_ok()) << status.message();
    EXPECT_TRUE(warnings.empty());
    both.push_back(*tables);
  }
  ASSERT_EQ(both[0].paths(), 4u);
  ASSERT_EQ(both[1].paths(), 4u);
  const Routes routes(graph, both[0]);
  for (std::uint32_t a = 0; a < 16; ++a) {
    for (std::uint32_t b = 0; b < 16; ++b) {
      for (std::uint32_t path = 0; path < 4; ++path) {
        for (std::uint32_t d = 0; d < graph.devices().size(); ++d) {
          if (graph.device(d).kind != DeviceKind::switch_chip) continue;
          ASSERT_EQ(both[0].port(d, {b}, path), both[1].port(d, {b}, path));
        }
        const std::uint32_t expected = a == b ? 0 : a / 4 == b / 4 ? 2 : 4;
        ASSERT_EQ(a == b ? 0 : routes.hops({a}, {b}, path), expected);
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::sim
