// Names: GUIDs as people write them, node-name maps, and finding a host by what a user typed.
#include <gtest/gtest.h>

#include "sim/topology/part_names.hpp"
#include "sim/topology/pgft.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

TEST(PartNames, AGuidMayBeWrittenInManyWays) {
  for (const char* text : {"0x0002c90300048248", "2c90300048248", "0002c90300048248",
                           "0X2C90300048248", "H-0002c90300048248", "0x2c90300048248[3]"}) {
    const auto part = parse_part(text);
    ASSERT_TRUE(part) << text;
    EXPECT_EQ(part->guid, 0x2c90300048248u) << text;
  }
  EXPECT_EQ(parse_part("0x12[36]")->port, 36u);
  EXPECT_FALSE(parse_part("0x12")->port);
  for (const char* text : {"", "0x", "[1]", "0x12[0]", "0x12[]", "0x12[1", "0x12[70000]", "12]",
                           "0x123456789abcdef01", "leaf-3", "0x 12", "-1"}) {
    EXPECT_FALSE(parse_part(text)) << text;
  }
  EXPECT_EQ(guid_text(0x2c90300048248), "0x0002c90300048248");
}

TEST(PartNames, DecimalsStopAtTheirLimit) {
  EXPECT_EQ(parse_decimal("0", 0), 0u);
  EXPECT_EQ(parse_decimal("254", 254), 254u);
  EXPECT_FALSE(parse_decimal("255", 254));
  EXPECT_FALSE(parse_decimal("9", 5));
  EXPECT_EQ(parse_decimal("18446744073709551615", ~0ull), ~0ull);
  EXPECT_FALSE(parse_decimal("18446744073709551616", ~0ull));
  EXPECT_FALSE(parse_decimal("99999999999999999999999", ~0ull));
}

TEST(NodeNames, AreReadWithCommentsAndBlanks) {
  NodeNames names;
  const Status status = parse_node_names(
      "# switches\n\n  0x0008f10500108bba\t\"spine 1\"  # rack 3\r\n0x2c9 \"node#7\"", "names",
      names);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_EQ(names, (NodeNames{{0x8f10500108bba, "spine 1"}, {0x2c9, "node#7"}}));
}

TEST(NodeNames, WrongLinesAreAllNamed) {
  NodeNames names{{1, "kept"}};
  const Status status = parse_node_names(
      "0x1 \"a\"\n0x2\n2 \"b\"\n0x3 \"\"\n0x4 \"c\" d\n0x1 \"e\"\n0x5 \"unclosed\n", "n.map",
      names);
  const std::string expected =
      "expected a GUID and a name, such as 0x0002c90300048248 \"node17\", not ";
  EXPECT_EQ(status.message(), "n.map:2: " + expected + "'0x2'\nn.map:3: " + expected +
                                  "'2 \"b\"'\nn.map:4: " + expected +
                                  "'0x3 \"\"'\nn.map:5: " + expected +
                                  "'0x4 \"c\" d'\nn.map:6: 0x0000000000000001 has a name "
                                  "already; leave one line for each GUID\nn.map:7: " +
                                  expected + "'0x5 \"unclosed'");
  EXPECT_EQ(names, (NodeNames{{1, "kept"}}));
}

FabricGraph three_hosts() {
  FabricGraph graph;
  const std::vector<std::string> descriptions = {"ConnectX", "ConnectX", "storage"};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const NodeId node = graph.add_host(i == 1 ? "login" : guid_text(0x100 * (i + 1)));
    Device device{DeviceKind::adapter, 0x100 * (i + 1), "", descriptions[i], node, {}};
    if (i == 1) device.name = "login HCA-1";
    const std::uint32_t adapter = graph.add_device(device, 2);
    graph.set_port_guid({adapter, 1}, 0x100 * (i + 1) + 1);
  }
  graph.add_device(Device{DeviceKind::switch_chip, 0xabc, "leaf", "", {}, {}}, 4);
  return graph;
}

TEST(FindHost, TakesNamesIndicesGuidsAndUniqueDescriptions) {
  const FabricGraph graph = three_hosts();
  const std::vector<std::pair<std::string, std::uint32_t>> meant = {{"0", 0},
                                                                    {"2", 2},
                                                                    {"login", 1},
                                                                    {"login HCA-1", 1},
                                                                    {"0x100", 0},
                                                                    {"0x201", 1},
                                                                    {"300", 2},
                                                                    {"301[2]", 2},
                                                                    {"storage", 2},
                                                                    {"0000000000000200", 1},
                                                                    {"H-0000000000000300", 2}};
  for (const auto& [text, host] : meant) {
    NodeId node{77};
    const Status status = graph.find_host(text, node);
    EXPECT_TRUE(status.is_ok()) << status.message();
    EXPECT_EQ(node.value, host) << text;
  }
}

TEST(FindHost, SaysWhatWasExpected) {
  const FabricGraph graph = three_hosts();
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"ConnectX",
       "'ConnectX' is the name of 2 hosts; say which by GUID: 0x0000000000000100, "
       "0x0000000000000200"},
      {"node9",
       "no host is called 'node9': expected an index 0 to 2, the GUID of an adapter, or a name "
       "(`holdfast topology` lists them)"},
      {"0xabc", "'0xabc' is a switch, but a host was expected"},
      {"0x100[3]", "'0x100[3]': that adapter has ports 1 to 2"},
      {"", "a host's name is empty"}};
  for (const auto& [text, message] : wrong) {
    NodeId node{77};
    EXPECT_EQ(graph.find_host(text, node).message(), message);
    EXPECT_EQ(node.value, 77u);
  }
  NodeId node{77};
  EXPECT_FALSE(graph.find_host("3", node).is_ok());
}

TEST(FindHost, OfAFatTreeNeedsNoGraph) {
  const Pgft tree = make_tree({{4, 3}, {2, 2}, {2, 1}});
  const FabricGraph graph = build_pgft(tree, kLink100);
  std::vector<std::string> texts = {"0",       "11",      "12",        "host-0", "host-11",
                                    "host-12", "host-07", "07",        "host-",  "leaf-0",
                                    "",        "0x1",     "4294967296"};
  for (std::uint32_t adapter = 0; adapter < 3; ++adapter) {
    const std::string guid = guid_text(Pgft::adapter_guid({5}, adapter));
    for (const char* port : {"", "[1]", "[2]", "[3]"}) texts.push_back(guid + port);
  }
  int found = 0;
  for (const std::string& text : texts) {
    NodeId by_formula{77};
    NodeId by_graph{77};
    EXPECT_EQ(tree.find_host(text, by_formula).is_ok(), graph.find_host(text, by_graph).is_ok())
        << text;
    EXPECT_EQ(by_formula, by_graph) << text;
    found += by_formula.value != 77 ? 1 : 0;
  }
  EXPECT_EQ(found, 11);
  NodeId node;
  EXPECT_EQ(tree.find_host("node1", node).message(),
            "no host is called 'node1': expected an index 0 to 11, a name such as host-0, or the "
            "GUID of an adapter");
}

}  // namespace
}  // namespace holdfast::sim
