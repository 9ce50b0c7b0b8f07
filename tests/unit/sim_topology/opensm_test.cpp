// Our fabrics beside what OpenSM and its tools wrote for the same ones: hosts, switches, links, and
// the hop counts of every pair of hosts, found by walking OpenSM's own forwarding tables.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "sim/topology/part_names.hpp"
#include "sim/topology/routes.hpp"
#include "sim/topology/summary.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::uint64_t hex_after(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(key);
  return at == std::string::npos ? 0 : std::stoull(line.substr(at + key.size()), nullptr, 16);
}

// Output port by (switch, LID), and the base LID of each host port by its GUID.
struct ForwardingTables {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> port;
  std::map<std::uint64_t, std::uint64_t> base_lid;
};

// Reads opensm-lfts.dump and the output of dump_lfts: both have headings with "guid 0x" and lines
// that begin with LID and port.
ForwardingTables read_tables(const std::string& text) {
  ForwardingTables tables;
  std::uint64_t at = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("Unicast", 0) == 0) {
      at = hex_after(line, " guid 0x");
    } else if (line.rfind("0x", 0) == 0) {
      std::istringstream words(line);
      std::uint64_t lid = 0;
      std::uint32_t port = 0;
      words >> std::hex >> lid >> std::dec >> port;
      tables.port[{at, lid}] = port;
      if (line.find("Channel Adapter portguid") != std::string::npos) {
        const std::uint64_t guid = hex_after(line, "portguid 0x");
        const auto [entry, is_new] = tables.base_lid.emplace(guid, lid);
        if (!is_new) entry->second = std::min(entry->second, lid);
      }
    }
  }
  return tables;
}

// Links from host to host along the tables, to the host's base LID plus `offset`; 0 if they lead
// astray.
std::uint32_t walk(const FabricGraph& graph, const ForwardingTables& tables, NodeId from, NodeId to,
                   std::uint64_t offset) {
  const Device& target = graph.device(graph.host(to).adapters.front());
  const std::uint64_t lid = tables.base_lid.at(target.ports[1].guid) + offset;
  const std::uint32_t source = graph.host(from).adapters.front();
  std::uint32_t at = graph.links()[graph.device(source).ports[1].link].end_away_from(source).device;
  std::uint32_t hops = 1;
  while (graph.device(at).kind == DeviceKind::switch_chip && hops < 20) {
    const auto port = tables.port.find({graph.device(at).guid, lid});
    if (port == tables.port.end()) return 0;
    at = graph.links()[graph.device(at).ports.at(port->second).link].end_away_from(at).device;
    ++hops;
  }
  return graph.device(at).guid == target.guid ? hops : 0;
}

void expect_hops_of_tables(const FabricGraph& graph, const ForwardingTables& tables,
                           std::uint64_t offset) {
  const Routes routes(graph);
  for (std::uint32_t a = 0; a < graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
      if (a == b) continue;
      const std::uint32_t theirs = walk(graph, tables, {a}, {b}, offset);
      ASSERT_NE(theirs, 0u) << a << " to " << b;
      ASSERT_EQ(routes.hops({a}, {b}), theirs) << a << " to " << b;
    }
  }
}

using End = std::pair<std::uint64_t, std::uint64_t>;  // node GUID, port

std::multiset<std::pair<End, End>> directed_links(const FabricGraph& graph) {
  std::multiset<std::pair<End, End>> links;
  for (const Link& link : graph.links()) {
    const End a{graph.device(link.ends[0].device).guid, link.ends[0].port};
    const End b{graph.device(link.ends[1].device).guid, link.ends[1].port};
    links.insert({a, b});
    links.insert({b, a});
  }
  return links;
}

TEST(OpenSm, Ft16HasTheSubnetListsNodesAndLinks) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + "/opensm/ft16/cmd_ibnetdiscover.out").graph;
  std::multiset<std::pair<End, End>> theirs;
  std::set<std::uint64_t> hosts;
  std::set<std::uint64_t> switches;
  for (const std::string& line : lines_of(read_text(data + "/opensm/ft16/opensm-subnet.lst"))) {
    const std::size_t half = line.find("} {");
    if (half == std::string::npos) continue;
    const std::string left = line.substr(0, half);
    const std::string right = line.substr(half);
    theirs.insert({{hex_after(left, "NodeGUID:"), hex_after(left, "PN:")},
                   {hex_after(right, "NodeGUID:"), hex_after(right, "PN:")}});
    (left.rfind("{ SW", 0) == 0 ? switches : hosts).insert(hex_after(left, "NodeGUID:"));
  }
  EXPECT_EQ(hosts.size(), 16u);
  EXPECT_EQ(graph.host_count(), hosts.size());
  EXPECT_EQ(graph.count(DeviceKind::switch_chip), switches.size());
  EXPECT_EQ(directed_links(graph), theirs);
}

TEST(OpenSm, Ft16HasTheHopsOfTheForwardingTables) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + "/opensm/ft16/cmd_ibnetdiscover.out").graph;
  for (const char* name : {"opensm-lfts.dump", "cmd_dump_lfts.out"}) {
    expect_hops_of_tables(graph, read_tables(read_text(data + "/opensm/ft16/" + name)), 0);
  }
}

TEST(OpenSm, Ft16HasTheHopsOfTheLidMatrix) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + "/opensm/ft16/cmd_ibnetdiscover.out").graph;
  // Least hops from switch to switch, as "0x0009: 02 ..." under "Switch: guid ...".
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> hops;
  std::uint64_t at = 0;
  for (const std::string& line :
       lines_of(read_text(data + "/opensm/ft16/opensm-lid-matrix.dump"))) {
    if (line.rfind("Switch:", 0) == 0) {
      at = hex_after(line, "guid 0x");
    } else if (const std::size_t colon = line.find(": "); colon != std::string::npos) {
      hops[{at, hex_after(line, "portguid 0x")}] =
          static_cast<std::uint32_t>(std::stoul(line.substr(colon + 2), nullptr, 16));
    }
  }
  // Not from spine to spine: that would turn down and then up.
  ASSERT_EQ(hops.size(), 52u);
  const Routes routes(graph);
  for (std::uint32_t a = 0; a < 16; ++a) {
    for (std::uint32_t b = 0; b < 16; ++b) {
      if (a == b) continue;
      const std::uint64_t from = graph.device(routes.switch_of({a})).guid;
      const std::uint64_t to = graph.device(routes.switch_of({b})).guid;
      EXPECT_EQ(routes.hops({a}, {b}), 2 + hops.at({from, to}));
    }
  }
}

TEST(OpenSm, Ft324HasTheHopsOfTheForwardingTables) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + "/opensm/ft324/ibnetdiscover.out").graph;
  expect_hops_of_tables(graph, read_tables(read_gzip(data + "/opensm/ft324/dump_lfts.out.gz")), 0);
  const ForwardingTables updn =
      read_tables(read_gzip(data + "/opensm/ft324/updn_lmc2-opensm-lfts.dump.gz"));
  for (const std::uint64_t offset : {0u, 3u}) expect_hops_of_tables(graph, updn, offset);
}

TEST(OpenSm, Ft324IsThePgftItWasMadeFrom) {
  HOLDFAST_DATA_OR_SKIP(data);
  const ImportedFabric imported = import_file(data + "/opensm/ft324/ibnetdiscover.out");
  EXPECT_TRUE(imported.warnings.empty());
  const LinkSpec qdr{32'000'000'000, nanoseconds(150)};
  const Pgft tree = make_tree({{18, 18}, {1, 9}, {1, 2}});
  const Routes routes(imported.graph);
  const Summary ours = summarize(tree, qdr);
  EXPECT_EQ(describe(ours), describe(summarize(imported.graph, routes)));
  EXPECT_EQ(ours.hosts, 324u);
  EXPECT_EQ(ours.switches, 27u);
  EXPECT_EQ(ours.links.host_links + ours.links.switch_links, 648u);
}

TEST(OpenSm, Ft16IsThePgftItWasMadeFrom) {
  HOLDFAST_DATA_OR_SKIP(data);
  const ImportedFabric imported = import_file(data + "/opensm/ft16/cmd_ibnetdiscover.out");
  const Pgft tree = make_tree({{4, 4}, {1, 4}, {1, 1}});
  const Routes routes(imported.graph);
  EXPECT_EQ(describe(summarize(tree, {32'000'000'000, nanoseconds(150)})),
            describe(summarize(imported.graph, routes)));
}

}  // namespace
}  // namespace holdfast::sim
