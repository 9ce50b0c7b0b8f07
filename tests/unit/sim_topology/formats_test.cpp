// Fabrics in the forms of other programs: what is written is read back, by us and by the programs
// themselves where they are installed (tests/opensm has ibsim and ibnetdiscover).
#include "sim/topology/formats/formats.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "sim/topology/link_rate.hpp"
#include "sim/topology/part_names.hpp"
#include "sim/topology/presets.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

using End = std::pair<std::uint64_t, std::uint32_t>;  // GUID, port

// All that a discovery knows of a fabric, in an order that does not depend on the file's.
std::multiset<std::tuple<End, End, std::int64_t, std::uint32_t>> cables(const FabricGraph& graph) {
  std::multiset<std::tuple<End, End, std::int64_t, std::uint32_t>> all;
  for (const Link& link : graph.links()) {
    const End a{graph.device(link.ends[0].device).guid, link.ends[0].port};
    const End b{graph.device(link.ends[1].device).guid, link.ends[1].port};
    all.emplace(std::min(a, b), std::max(a, b), link.bits_per_second, link.lanes);
  }
  return all;
}

using Described = std::tuple<DeviceKind, std::string, std::size_t, std::vector<std::uint64_t>>;

// By GUID: kind, description, ports and their GUIDs.
std::map<std::uint64_t, Described> devices(const FabricGraph& graph, bool with_descriptions) {
  std::map<std::uint64_t, Described> all;
  for (const Device& device : graph.devices()) {
    std::vector<std::uint64_t> guids;
    for (const Port& port : device.ports) guids.push_back(port.guid);
    all[device.guid] = {device.kind, with_descriptions ? device.description : "",
                        device.ports.size(), guids};
  }
  return all;
}

// By name: GUIDs of the adapters.
std::map<std::string, std::vector<std::uint64_t>> hosts(const FabricGraph& graph) {
  std::map<std::string, std::vector<std::uint64_t>> all;
  for (const Host& host : graph.hosts()) {
    for (const std::uint32_t adapter : host.adapters)
      all[host.name].push_back(graph.device(adapter).guid);
  }
  return all;
}

void expect_same(const FabricGraph& a, const FabricGraph& b, bool with_descriptions) {
  EXPECT_EQ(hosts(a), hosts(b));
  EXPECT_EQ(devices(a, with_descriptions), devices(b, with_descriptions));
  EXPECT_EQ(cables(a), cables(b));
}

ImportedFabric round_trip(const FabricGraph& graph) {
  std::string text;
  const Status written = write_ibnetdiscover(graph, text);
  EXPECT_TRUE(written.is_ok()) << written.message();
  ImportedFabric fabric;
  const Status read = parse_ibnetdiscover(text, "written", {}, nanoseconds(150), fabric);
  EXPECT_TRUE(read.is_ok()) << read.message();
  EXPECT_TRUE(fabric.warnings.empty());
  std::string again;
  EXPECT_TRUE(write_ibnetdiscover(fabric.graph, again).is_ok());
  EXPECT_TRUE(again == text);
  return fabric;
}

constexpr LinkSpec kEdr{100'000'000'000, nanoseconds(150), 4};

TEST(Formats, IbnetdiscoverIsReadBackAsItWas) {
  for (const PgftSpec& spec : small_trees()) {
    const FabricGraph graph = build_pgft(make_tree(spec), kEdr);
    expect_same(graph, round_trip(graph).graph, false);
  }
  for (const char* name : {"isr9144", "1944"}) {
    const FabricGraph graph = build_pgft(make_tree(*preset_tree(name)), kEdr);
    expect_same(graph, round_trip(graph).graph, false);
  }
  const FabricGraph composed = ibnft_oversubscribed(kEdr);
  expect_same(composed, round_trip(composed).graph, false);
}

TEST(Formats, IbnetdiscoverOfRealFabricsIsReadBackAsItWas) {
  HOLDFAST_DATA_OR_SKIP(data);
  for (const char* name :
       {"/topologies/psmn-x5.ibnetdiscover", "/opensm/ft324/ibnetdiscover.out"}) {
    const FabricGraph graph = import_file(data + name).graph;
    expect_same(graph, round_trip(graph).graph, true);
  }
}

TEST(Formats, IbnetdiscoverKeepsLanesAndAdaptersWithoutACable) {
  HandMade fabric(2);
  const LinkSpec narrow{8'000'000'000, nanoseconds(150), 1};
  fabric.graph.connect({0, 39}, {1, 39}, narrow);
  fabric.host(0, 32'000'000'000);
  const NodeId alone = fabric.graph.add_host("h1");
  fabric.graph.add_device(Device{DeviceKind::adapter, 0x1fff, "h1", "", alone, {}}, 2);
  std::string text;
  ASSERT_TRUE(write_ibnetdiscover(fabric.graph, text).is_ok());
  EXPECT_NE(text.find("lid 2 1xQDR\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Ca\t2 \"H-0000000000001fff\"\t\t# \"h1 HCA-1\"\n"), std::string::npos);
  const FabricGraph read = round_trip(fabric.graph).graph;
  EXPECT_EQ(read.links()[0].lanes + read.links()[1].lanes, 5u);
  EXPECT_EQ(read.host_count(), 2u);
}

TEST(Formats, WhatInfiniBandHasNoNameForIsRefused) {
  HandMade fabric(2);
  fabric.join(0, 1, 56'000'000'000);
  for (const auto write : {write_ibnetdiscover, write_ibsim_net}) {
    std::string text = "as it was";
    EXPECT_EQ(write(fabric.graph, text).message(),
              "the link from s0[1] to s1[1] has 56 Gb/s, which no InfiniBand link has, so this "
              "form has no name for it; the next that has one is 4xEDR, 100 Gb/s "
              "(fabric.link.rate)");
    EXPECT_EQ(text, "as it was");
  }
  FabricGraph wide;
  wide.add_device(Device{DeviceKind::switch_chip, 1, "big", "", {}, {}}, 255);
  std::string text;
  EXPECT_EQ(write_ibnetdiscover(wide, text).message(),
            "big has 255 ports; InfiniBand numbers at most 254");
  FabricGraph large;
  for (std::uint64_t s = 1; s <= 0xc000; ++s)
    large.add_device(Device{DeviceKind::switch_chip, s, "", "", {}, {}}, 1);
  EXPECT_NE(write_ibnetdiscover(large, text).message().find("more than 49151"), std::string::npos);
}

TEST(Formats, LinkRatesHaveNames) {
  for (const char* name : {"1xSDR", "4xDDR", "12xQDR", "4xFDR10", "4xFDR", "8xEDR", "2xHDR"})
    EXPECT_EQ(link_rate_name(*parse_link_rate(name), link_lanes(name)), name);
  // Without lanes, four are usual; 64 Gb/s is no rate of four lanes.
  EXPECT_EQ(link_rate_name(8'000'000'000, 0), "4xSDR");
  EXPECT_EQ(link_rate_name(64'000'000'000, 0), "8xQDR");
  EXPECT_EQ(link_rate_name(8'000'000'000, 1), "1xQDR");
  EXPECT_EQ(link_rate_name(9'000'000'000, 0), "");
  EXPECT_EQ(link_lanes("4xWDR"), 0u);
  EXPECT_EQ(next_link_rate_name(9'000'000'000), "4xDDR");
  EXPECT_EQ(next_link_rate_name(9'000'000'000'000), "4xXDR");
}

TEST(Formats, IbsimHasIdsThatItCanTake) {
  HandMade fabric(1);
  fabric.host(0, 16'000'000'000);
  FabricGraph& graph = fabric.graph;
  const std::uint32_t voltaire = graph.add_device(
      Device{DeviceKind::switch_chip, 0x8f1, "rack#3", "Voltaire # 4036=\"x\"", {}, {}}, 4);
  graph.connect({0, 40}, {voltaire, 4}, {100'000'000'000, nanoseconds(150), 4});
  std::string text;
  ASSERT_TRUE(write_ibsim_net(graph, text).is_ok());
  EXPECT_NE(text.find("\nswitchguid=0x00000000000008f1\nSwitch\t4 \"S-00000000000008f1\"\t# "
                      "\"Voltaire # 4036='x'\"\n[4]\t\"s0\"[40]\tw=2 s=4\t# 4xEDR\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\ncaguid=0x0000000000001000\nCa\t1 \"h0\"\t# \"h0 HCA-1\"\n"
                      "[1]\t\"s0\"[1]\tw=2 s=2\t# 4xDDR\n"),
            std::string::npos)
      << text;
}

TEST(Formats, DotHasEachPartOnce) {
  HandMade fabric(2);
  fabric.host(0);
  fabric.join(0, 1);
  std::string text;
  ASSERT_TRUE(write_dot(fabric.graph, text).is_ok());
  EXPECT_EQ(text,
            "// Written by holdfast; dot -Tsvg draws it.\n"
            "graph fabric {\n  graph [ranksep=2, newrank=true];\n"
            "  { rank=same; node [shape=box];\n"
            "    d1 [label=\"s1\", tooltip=\"0x0000000000002001 \"];\n  }\n"
            "  { rank=same; node [shape=box];\n"
            "    d0 [label=\"s0\", tooltip=\"0x0000000000002000 \"];\n  }\n"
            "  { rank=same; node [shape=ellipse];\n"
            "    h0 [label=\"h0\", tooltip=\"0x0000000000001000\"];\n  }\n"
            "  d0 -- h0 [tooltip=\"s0[1] to h0[1], 100 Gb/s\"];\n"
            "  d1 -- d0 [tooltip=\"s1[1] to s0[2], 100 Gb/s\"];\n}\n");
}

TEST(Formats, SlurmHasLeavesAndOneSwitchForEachGroup) {
  std::string text;
  ASSERT_TRUE(
      write_slurm(build_pgft(make_tree({{3, 2, 2}, {1, 2, 2}, {1, 1, 2}}), kEdr), text).is_ok());
  EXPECT_EQ(text,
            "# Written by holdfast for Slurm's topology/tree.\n"
            "SwitchName=leaf-0 Nodes=host-[0-2]\n"
            "SwitchName=leaf-1 Nodes=host-[3-5]\n"
            "SwitchName=leaf-2 Nodes=host-[6-8]\n"
            "SwitchName=leaf-3 Nodes=host-[9-11]\n"
            "SwitchName=level2-group-0 Switches=leaf-[0-1]\n"
            "SwitchName=level2-group-1 Switches=leaf-[2-3]\n"
            "SwitchName=level3-group-0 Switches=level2-group-[0-1]\n");
}

TEST(Formats, SlurmCountsLikePeopleAndSaysWhatItLacks) {
  HandMade fabric(2);
  for (const char* name : {"n08", "n09", "n10", "n8", "login", "n12"}) {
    const auto guid = 0x3000u + fabric.graph.host_count();
    const NodeId node = fabric.graph.add_host(name);
    const std::uint32_t device =
        fabric.graph.add_device(Device{DeviceKind::adapter, guid, "", "", node, {}}, 1);
    fabric.graph.connect({device, 1}, {0, 1 + node.value}, kEdr);
  }
  const NodeId nameless = fabric.graph.add_host("0x0000000000004000");
  const std::uint32_t device =
      fabric.graph.add_device(Device{DeviceKind::adapter, 0x4000, "", "", nameless, {}}, 1);
  fabric.graph.connect({device, 1}, {1, 1}, kEdr);
  std::string text;
  ASSERT_TRUE(write_slurm(fabric.graph, text).is_ok());
  EXPECT_EQ(text,
            "# Written by holdfast for Slurm's topology/tree.\n"
            "# 1 nodes have a GUID for a name, because the fabric does not say theirs; a node-name "
            "map\n# (--names) can.\n"
            "# 2 switches have no common one above them; a job stays below one of them.\n"
            "SwitchName=s0 Nodes=n[8,10,12],n[08-09],login\n"
            "SwitchName=s1 Nodes=H-0000000000004000\n");
  EXPECT_EQ(write_slurm(FabricGraph(), text).message(),
            "no host is on any switch; Slurm needs nodes");
}

}  // namespace
}  // namespace holdfast::sim
