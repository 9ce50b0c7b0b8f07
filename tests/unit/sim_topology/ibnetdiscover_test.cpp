// The importer: a small fabric with everything in it, what it says of wrong files, and hosts out of
// adapters.
#include "sim/topology/ibnetdiscover.hpp"

#include <gtest/gtest.h>

#include "sim/topology/host_grouping.hpp"
#include "sim/topology/link_rate.hpp"
#include "sim/topology/routes.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

// Two switches joined twice; a host on each; -g's headings; a router. Lines are numbered for the
// tests.
const std::string kSmall =
    "#\n"                                                                                  // 1
    "# Topology file: generated on Wed May 13 14:36:33 2020\n"                             // 2
    "Chassis 1 (guid 0x2c9) (rack 7)\n"                                                    // 3
    "vendid=0x2c9\n"                                                                       // 4
    "sysimgguid=0x23\t\t# Chassis 1\n"                                                     // 5
    "switchguid=0x20(20) \"Spine\"\n"                                                      // 6
    "Switch\t8 \"S-0000000000000020\"\t\t# \"top # \"x\"\" enhanced port 0 lid 1 lmc 0\n"  // 7
    "[1][ext 5]\t\"S-0000000000000010\"[5][ext 2]\t\t# \"bottom\" lid 2 4xQDR\n"           // 8
    "[2]\t\"S-0000000000000010\"[6]\t\t# \"bottom\" lid 2 4xDDR\n"                         // 9
    "[3]\t\"H-0000000000000300\"[2](302) \t\t# \"b\" lid 4 12xHDR s=1 w=2\n"               // 10
    "\n"                                                                                   // 11
    "switchguid=0x10(10)\n"                                                                // 12
    "Switch\t8 \"S-0000000000000010\"\t\t# \"bottom\" base port 0 lid 2 lmc 0\n"           // 13
    "[5]\t\"S-0000000000000020\"[1]\t\t# \"top\" lid 1 4xQDR\n"                            // 14
    "[6]\t\"S-0000000000000020\"[2]\t\t# \"top\" lid 1 4xDDR\n"                            // 15
    "[7]\t\"H-0000000000000100\"[1](101) \t\t# \"a\" lid 3 4xFDR\n"                        // 16
    "[8]\t\"H-0000000000000400\"[1](401) \t\t# \"r\" lid 5 4xEDR\n"                        // 17
    "\n"                                                                                   // 18
    "caguid=0x300\n"                                                                       // 19
    "Ca\t2 \"H-0000000000000300\"\t\t# \"b\"\n"                                            // 20
    "[2](302) \t\"S-0000000000000020\"[3]\t\t# lid 4 lmc 0 \"top\" lid 1 12xHDR\n"         // 21
    "\n"                                                                                   // 22
    "caguid=0x100\n"                                                                       // 23
    "Ca\t1 \"H-0000000000000100\"\t\t# \"a\"\r\n"                                          // 24
    "[1](101) \t\"S-0000000000000010\"[7]\t\t# lid 3 lmc 0 \"bottom\" lid 2 4xFDR\n"       // 25
    "\n"                                                                                   // 26
    "rtguid=0x400\n"                                                                       // 27
    "Rt\t1 \"H-0000000000000400\"\t\t# \"r\"\n"                                            // 28
    "[1](401) \t\"S-0000000000000010\"[8]\t\t# lid 5 lmc 0 \"bottom\" lid 2 4xEDR";        // 29

Status parse(const std::string& text, ImportedFabric& fabric, const NodeNames& names = {}) {
  return parse_ibnetdiscover(text, "f", names, nanoseconds(100), fabric);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Every switch of the HDR and NDR generations has one.
TEST(Ibnetdiscover, PartsOfSwitchesAreNoHosts) {
  std::string text =
      replaced(kSmall, "# \"a\"\r\n", "# \"Mellanox Technologies Aggregation Node\"\n");
  ImportedFabric fabric;
  const Status status = parse(text, fabric);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_EQ(fabric.graph.host_count(), 1u);
  EXPECT_EQ(fabric.graph.find_device(0x100), kNone);
  EXPECT_EQ(fabric.graph.links().size(), 4u);
  EXPECT_EQ(fabric.warnings,
            std::vector<std::string>{
                "f: 1 aggregation node is left out: parts of switches (SHARP), no hosts"});
}

TEST(Ibnetdiscover, ReadsEveryKindOfLine) {
  ImportedFabric fabric;
  const Status status = parse(kSmall, fabric);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_TRUE(fabric.warnings.empty());
  const FabricGraph& graph = fabric.graph;
  ASSERT_EQ(graph.host_count(), 2u);
  EXPECT_EQ(graph.host({0}).name, "a");
  EXPECT_EQ(graph.host({1}).name, "b");
  EXPECT_EQ(graph.count(DeviceKind::switch_chip), 2u);
  EXPECT_EQ(graph.count(DeviceKind::router), 1u);
  EXPECT_EQ(graph.device(graph.find_device(0x20)).description, "top # \"x\"");
  EXPECT_EQ(graph.find_device(0x302), graph.find_device(0x300));
  std::vector<std::int64_t> rates;
  for (const Link& link : graph.links()) {
    rates.push_back(link.bits_per_second);
    EXPECT_EQ(link.latency, nanoseconds(100));
  }
  // In order of the lower GUID: switch 10 with its ports 5 to 8, then switch 20.
  EXPECT_EQ(rates, (std::vector<std::int64_t>{32'000'000'000, 16'000'000'000, 54'545'454'544,
                                              100'000'000'000, 600'000'000'000}));
  EXPECT_EQ(Routes(graph).hops({0}, {1}), 3u);
}

TEST(Ibnetdiscover, NumbersHostsByGuidWhereverTheyAreListed) {
  ImportedFabric fabric;
  ASSERT_TRUE(parse(kSmall, fabric).is_ok());
  const Device& first = fabric.graph.device(fabric.graph.host({0}).adapters.front());
  EXPECT_EQ(first.guid, 0x100u);  // listed after 0x300
}

TEST(Ibnetdiscover, TakesNamesFromTheMap) {
  ImportedFabric fabric;
  ASSERT_TRUE(parse(kSmall, fabric, {{0x20, "spine"}, {0x100, "node1"}, {0x999, "gone"}}).is_ok());
  EXPECT_EQ(fabric.graph.device(fabric.graph.find_device(0x20)).name, "spine");
  EXPECT_EQ(fabric.graph.host({0}).name, "node1");
  EXPECT_EQ(fabric.warnings,
            std::vector<std::string>{
                "the node-name map names 0x0000000000000999 'gone', which is not in f"});
}

struct Wrong {
  std::string from;
  std::string to;
  std::string message;
};

const std::string kSectionForm =
    "a section such as: Switch 36 \"S-0002c90200417670\" # \"description\" ... (or Ca, or Rt)";
const std::string kPortForm =
    "a port such as: [5] \"S-0002c90200417670\"[15] # \"description\" lid 16 4xQDR";
const std::string kRateForm =
    "expected a rate such as 4xQDR (1x, 2x, 4x, 8x or 12x; SDR, DDR, QDR, FDR10, FDR, EDR, HDR, "
    "NDR "
    "or XDR), not ";

TEST(Ibnetdiscover, NamesThePlaceAndWhatWasExpected) {
  const std::vector<Wrong> wrong = {
      {"[2]\t\"S", "[x]\t\"S",
       "f:9: expected " + kPortForm + ", not '[x] \"S-0000000000000010\"[6]  # \"bottom\" ...'"},
      {"[2]\t\"S", "[0]\t\"S",
       "f:9: expected " + kPortForm + ", not '[0] \"S-0000000000000010\"[6]  # \"bottom\" ...'"},
      {"[2]\t\"S", "[255]\t\"S",
       "f:9: expected " + kPortForm + ", not '[255] \"S-0000000000000010\"[6]  # \"bottom...'"},
      {"\"[6]\t", "\"\t",
       "f:9: expected " + kPortForm + ", not '[2] \"S-0000000000000010\"  # \"bottom\" lid...'"},
      {"[2](302) ", "[2](xyz) ",
       "f:10: expected " + kPortForm + ", not '[3] \"H-0000000000000300\"[2](xyz)   # \"b\"...'"},
      {"2 4xDDR", "2 4xDDX", "f:9: " + kRateForm + "'4xDDX'"},
      {"2 4xDDR", "2 3xDDR", "f:9: " + kRateForm + "'3xDDR'"},
      {"2 4xDDR", "2", "f:9: " + kRateForm + "''"},
      {"lid 2 4xDDR", "4xDDR",
       "f:9: expected a comment that ends in the peer's lid and the rate, such as: # "
       "\"description\" "
       "lid 16 4xQDR"},
      {"[2]\t\"S", "[1]\t\"S", "f:9: port 1 is listed twice; the first time on line 8"},
      {"Switch\t8 \"S-0000000000000020\"", "Switch\t2 \"S-0000000000000020\"",
       "f:10: port 3 of a device with 2 ports (line 7)"},
      {"Switch\t8 \"S-0000000000000020\"", "Switch\t\"S-0000000000000020\"",
       "f:7: expected " + kSectionForm + ", not 'Switch \"S-0000000000000020\"  # \"top # \"x...'"},
      {"Switch\t8 \"S-0000000000000010\"", "Switch\t8 \"0000000000000010\"",
       "f:13: expected " + kSectionForm +
           ", not 'Switch 8 \"0000000000000010\"  # \"bottom\" ...'"},
      {"vendid=0x2c9", "total nonsense",
       "f:4: expected " + kSectionForm + ", not 'total nonsense'"},
      {"switchguid=0x10(10)", "switchguid=0x11(11)",
       "f:13: the section is of 0x0000000000000010, the line before it of 0x0000000000000011; "
       "expected the same GUID"},
      {"sysimgguid=0x23\t", "sysimgguid=23\t", "f:5: expected sysimgguid=0x and a GUID, not '23'"},
      {"caguid=0x300\nCa\t2 \"H-0000000000000300\"", "caguid=0x100\nCa\t2 \"H-0000000000000100\"",
       "f:24: a second section of 0x0000000000000100; the first is on line 20"},
      {"\"S-0000000000000010\"[6]", "\"S-0000000000000077\"[6]",
       "f:9: the link leads to 0x0000000000000077, which has no section; the file is not complete: "
       "keep all that ibnetdiscover prints"},
      {"\"S-0000000000000010\"[6]", "\"S-0000000000000010\"[9]",
       "f:9: the link leads to port 9 of a device with 8 ports (line 13)"},
      {"\"S-0000000000000010\"[6]", "\"S-0000000000000010\"[7]",
       "f:9: the link's other end is on line 16, which leads elsewhere; expected it to lead back "
       "to "
       "0x0000000000000020[2]"},
      {"[5]\t\"S-0000000000000020\"[1]", "[5]\t\"S-0000000000000020\"[2]",
       "f:8: the link's other end is on line 14, which leads elsewhere; expected it to lead back "
       "to "
       "0x0000000000000020[1]"},
      {"#\n", "[1]\t\"S-0000000000000010\"[5]\t# \"x\" lid 2 4xQDR\n",
       "f:1: a port outside any section; expected " + kSectionForm + " before it"},
  };
  for (const Wrong& entry : wrong) {
    ImportedFabric fabric;
    const std::string message = parse(replaced(kSmall, entry.from, entry.to), fabric).message();
    const bool found =
        ("\n" + message + "\n").find("\n" + entry.message + "\n") != std::string::npos;
    EXPECT_TRUE(found) << "expected: " << entry.message << "\ngot: " << message;
    EXPECT_EQ(fabric.graph.host_count(), 0u);
  }
}

TEST(Ibnetdiscover, ListsAllWrongLinesButNotWithoutEnd) {
  std::string text = kSmall + "\n";
  for (int i = 0; i < 30; ++i) text += "[x]\n";
  ImportedFabric fabric;
  const std::string message = parse(text, fabric).message();
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 20);
  EXPECT_NE(message.find("f:30: expected"), std::string::npos);
  EXPECT_NE(message.find("f:49: expected"), std::string::npos);
  EXPECT_NE(message.find("\nf: and 10 errors more"), std::string::npos);
}

TEST(Ibnetdiscover, AnotherKindOfFileIsOneError) {
  ImportedFabric fabric;
  const std::string expected =
      "f: no device in it; expected what `ibnetdiscover` prints (without -p)";
  EXPECT_EQ(parse("", fabric).message(), expected);
  EXPECT_EQ(parse("# only a comment\n", fabric).message(), expected);
  EXPECT_EQ(parse("CA 80 1 0x1f 4x QDR\nCA 76 1 0x1d 4x QDR\n", fabric).message(),
            expected + "\nf:1: expected " + kSectionForm + ", not 'CA 80 1 0x1f 4x QDR'");
}

struct Odd {
  std::string from;
  std::string to;
  std::string warning;
  std::size_t links;
};

TEST(Ibnetdiscover, WarnsOfWhatACorrectDiscoveryCanContain) {
  const std::string port_6 = "[6]\t\"S-0000000000000020\"[2]\t\t# \"top\" lid 1 4xDDR\n";
  const std::vector<Odd> odd = {
      {port_6, "", "f:9: the link is not listed from its other end; it is taken as it is", 5},
      {port_6, replaced(port_6, "4xDDR", "4xSDR"),
       "f:9: the link's other end (line 15) has another rate; the slower is taken, 8 Gb/s", 5},
      {"[6]\t\"S-0000000000000020\"[2]",
       "[1]\t\"S-0000000000000010\"[1]\t\t# \"self\" lid 2 4xQDR\n[6]\t\"S-0000000000000020\"[2]",
       "f:15: a loop-back plug or cable; it is left out", 5},
      {"Rt\t1", "Gateway\t1",
       "f:28: a kind of section that is not known (expected Switch, Ca or Rt); the device and its "
       "links are left out",
       4},
  };
  for (const Odd& entry : odd) {
    ImportedFabric fabric;
    const Status status = parse(replaced(kSmall, entry.from, entry.to), fabric);
    ASSERT_TRUE(status.is_ok()) << status.message();
    EXPECT_EQ(fabric.warnings, std::vector<std::string>{entry.warning});
    EXPECT_EQ(fabric.graph.links().size(), entry.links);
  }
}

TEST(Ibnetdiscover, OfTwoRatesTheSlowerIsTaken) {
  for (const char* line : {"[6]\t\"S-0000000000000020\"[2]\t\t# \"top\" lid 1 4x",
                           "[2]\t\"S-0000000000000010\"[6]\t\t# \"bottom\" lid 2 4x"}) {
    ImportedFabric fabric;
    const std::string text = line;
    ASSERT_TRUE(parse(replaced(kSmall, text + "DDR", text + "SDR"), fabric).is_ok());
    const Device& device = fabric.graph.device(fabric.graph.find_device(0x20));
    EXPECT_EQ(fabric.graph.links()[device.ports[2].link].bits_per_second, 8'000'000'000);
  }
}

TEST(Ibnetdiscover, TheLinesBeforeASectionAreOfThatSectionOnly) {
  const std::string with_board =
      replaced(kSmall, "caguid=0x300\n", "sysimgguid=0x77\ncaguid=0x300\n");
  ImportedFabric fabric;
  const Status status = parse(replaced(with_board, "caguid=0x100\n", ""), fabric);
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_EQ(fabric.graph.host_count(), 2u);
  ASSERT_TRUE(parse(replaced(with_board, "caguid=0x100\n", "sysimgguid=0x77\n"), fabric).is_ok());
  EXPECT_EQ(fabric.graph.host_count(), 1u);
  EXPECT_EQ(fabric.graph.count(DeviceKind::adapter), 2u);
}

TEST(Ibnetdiscover, TwoCablesInOneSocketAreAnError) {
  // Switch 10 lists neither end; two ports of switch 20 claim its port 6.
  std::string text =
      replaced(kSmall, "[6]\t\"S-0000000000000020\"[2]\t\t# \"top\" lid 1 4xDDR\n", "");
  text = replaced(text, "[3]\t\"H",
                  "[4]\t\"S-0000000000000010\"[6]\t\t# \"bottom\" lid 2 4xDDR\n[3]\t\"H");
  ImportedFabric fabric;
  EXPECT_EQ(parse(text, fabric).message(), "f:10: the far port is named by line 9 too");
}

TEST(Ibnetdiscover, SurvivesAnyText) {
  Random random(3, 1, 4);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = kSmall;
    for (std::uint64_t edits = 1 + random.below(3); edits > 0; --edits) {
      const std::size_t at = random.below(text.size());
      const std::size_t other = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, 1 + random.below(60));
          break;
        case 2:
          text[at] = text[other];
          break;
        default:
          text.insert(at, text.substr(other, random.below(80)));
          break;
      }
    }
    ImportedFabric fabric;
    if (!parse(text, fabric).is_ok()) continue;
    ++accepted;
    const Routes routes(fabric.graph);
    for (std::uint32_t h = 1; h < fabric.graph.host_count(); ++h) (void)routes.hops({0}, {h});
  }
  EXPECT_GT(accepted, 1000);
}

TEST(LinkRate, IsTheRateOfDataAfterTheLineCode) {
  EXPECT_EQ(parse_link_rate("1xSDR"), 2'000'000'000);
  EXPECT_EQ(parse_link_rate("4xDDR"), 16'000'000'000);
  EXPECT_EQ(parse_link_rate("4xQDR"), 32'000'000'000);
  EXPECT_EQ(parse_link_rate("4xFDR10"), 40'000'000'000);
  EXPECT_EQ(parse_link_rate("2xEDR"), 50'000'000'000);
  EXPECT_EQ(parse_link_rate("4xHDR"), 200'000'000'000);
  EXPECT_EQ(parse_link_rate("8xNDR"), 800'000'000'000);
  EXPECT_EQ(parse_link_rate("12xXDR"), 2'400'000'000'000);
  // 4 lanes of 14.0625 Gb/s, 64 of 66 bits: 54.5454... Gb/s.
  EXPECT_EQ(parse_link_rate("4xFDR"), 54'545'454'544);
  for (const char* text :
       {"", "x", "4x", "xQDR", "4xqdr", "3xQDR", "4 x QDR", "4xQDRR", "??xQDR"}) {
    EXPECT_FALSE(parse_link_rate(text)) << text;
  }
  EXPECT_EQ(rate_text(32'000'000'000), "32 Gb/s");
  EXPECT_EQ(rate_text(54'545'454'544), "54.545 Gb/s");
  EXPECT_EQ(rate_text(2'500'000'000), "2.5 Gb/s");
  EXPECT_EQ(rate_text(999'000'000), "999 Mb/s");
}

std::vector<std::string> groups_of(const std::vector<AdapterEvidence>& adapters,
                                   std::size_t warnings_expected = 0) {
  std::vector<std::string> warnings;
  std::vector<std::string> result;
  for (const HostGroup& group : group_hosts(adapters, warnings)) {
    std::string text = group.name + ":";
    for (const std::size_t i : group.adapters) text += " " + std::to_string(i);
    result.push_back(text);
  }
  EXPECT_EQ(warnings.size(), warnings_expected);
  return result;
}

using Texts = std::vector<std::string>;

TEST(HostGrouping, HostPartsOfDescriptions) {
  EXPECT_EQ(host_part("node7 HCA-1"), "node7");
  EXPECT_EQ(host_part("node7 mlx5_10"), "node7");
  EXPECT_EQ(host_part("rack 3 node7 hfi1_0"), "rack 3 node7");
  EXPECT_EQ(host_part("MT25408 ConnectX Mellanox Technologies"), "");
  EXPECT_EQ(host_part("node7"), "");
  EXPECT_EQ(host_part(" HCA-1"), "");
  EXPECT_EQ(host_part("node7 HCA-"), "");
}

TEST(HostGrouping, EqualFactoryDescriptionsSayNothing) {
  EXPECT_EQ(groups_of({{1, 11, "", "ConnectX"}, {2, 12, "", "ConnectX"}}),
            (Texts{"0x0000000000000001: 0", "0x0000000000000002: 1"}));
}

TEST(HostGrouping, DescriptionsWithDifferentSuffixesAreOneHost) {
  EXPECT_EQ(groups_of({{1, 11, "", "n1 HCA-1"}, {2, 12, "", "n2 HCA-1"}, {3, 13, "", "n1 HCA-2"}}),
            (Texts{"n1: 0 2", "n2: 1"}));
}

TEST(HostGrouping, AHostNameThatRepeatsIsNotBelieved) {
  EXPECT_EQ(groups_of({{1, 11, "", "localhost HCA-1"},
                       {2, 12, "", "localhost HCA-1"},
                       {3, 13, "", "localhost HCA-2"}},
                      1),
            (Texts{"0x0000000000000001: 0", "0x0000000000000002: 1", "localhost HCA-2: 2"}));
}

TEST(HostGrouping, OneBoardIsOneHostUnlessNamesDisagree) {
  EXPECT_EQ(groups_of({{1, 11, "", "X"}, {2, 11, "", "X"}, {3, 0, "", "X"}, {4, 0, "", "X"}}),
            (Texts{"0x0000000000000001: 0 1", "0x0000000000000003: 2", "0x0000000000000004: 3"}));
  EXPECT_EQ(groups_of({{1, 11, "", "n1 mlx5_0"}, {2, 11, "", "n2 mlx5_0"}}, 1),
            (Texts{"n1: 0", "n2: 1"}));
  EXPECT_EQ(groups_of({{1, 11, "", "n1 mlx5_0"}, {2, 11, "", "X"}}), (Texts{"n1: 0 1"}));
  std::vector<AdapterEvidence> nine;
  for (std::uint64_t i = 1; i <= 9; ++i) nine.push_back({i, 11, "", "d" + std::to_string(i)});
  EXPECT_EQ(groups_of(nine, 1).size(), 9u);
}

TEST(HostGrouping, TheMapDecides) {
  EXPECT_EQ(groups_of({{1, 11, "alpha", "n1 HCA-1"},
                       {2, 12, "alpha", "n2 HCA-1"},
                       {3, 13, "beta HCA-1", "n1 HCA-2"},
                       {4, 14, "beta HCA-2", "X"}}),
            (Texts{"alpha: 0 1", "beta: 2 3"}));
}

// Cut after each tenth line, a file is refused by one error, unless only the end of its last
// section is gone: that leaves no device without a section, and the links are known from their
// other ends.
TEST(Ibnetdiscover, AFileThatIsCutIsRefusedByOneError) {
  HOLDFAST_DATA_OR_SKIP(data);
  for (const char* name :
       {"/topologies/psmn-x5.ibnetdiscover", "/opensm/ft324/ibnetdiscover.out"}) {
    const std::string text = read_text(data + name);
    const FabricGraph whole = import_file(data + name).graph;
    std::size_t lines = 0;
    std::size_t refused = 0;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      if (++lines % 10 != 0) continue;
      ImportedFabric fabric;
      const Status status = parse_ibnetdiscover(std::string_view(text).substr(0, at + 1), "cut.txt",
                                                {}, nanoseconds(150), fabric);
      if (status.is_ok()) {
        EXPECT_EQ(fabric.graph.devices().size(), whole.devices().size()) << lines;
        EXPECT_EQ(fabric.graph.links().size(), whole.links().size()) << lines;
        continue;
      }
      ++refused;
      EXPECT_EQ(status.message().find('\n'), std::string::npos) << status.message();
      EXPECT_EQ(status.message().substr(0, 7), "cut.txt") << status.message();
    }
    EXPECT_GE(refused + 1, lines / 10);
  }
}

}  // namespace
}  // namespace holdfast::sim
