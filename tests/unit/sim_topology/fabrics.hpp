// What the tests of sim/topology share: small fabrics, files from outside, and a search that knows
// nothing of routes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/ibnetdiscover.hpp"
#include "sim/topology/pgft.hpp"
#include "sim/topology/routes.hpp"
#include "tests/unit/sim_topology/trees.hpp"

namespace holdfast::sim {

// The folder of data from outside, if there is one.
inline std::optional<std::string> data_folder() {
  const char* folder = std::getenv("HOLDFAST_DATA");
  if (folder == nullptr) return std::nullopt;
  return std::string(folder);
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string read_gzip(const std::string& path) {
  std::string text;
  std::FILE* pipe = popen(("zcat '" + path + "'").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::array<char, 65536> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), size);
  }
  EXPECT_EQ(pclose(pipe), 0) << path;
  return text;
}

inline ImportedFabric import_file(const std::string& path, const NodeNames& names = {}) {
  ImportedFabric fabric;
  const Status status = parse_ibnetdiscover(read_text(path), path, names, nanoseconds(150), fabric);
  EXPECT_TRUE(status.is_ok()) << status.message();
  return fabric;
}

// Links on the shortest way from each host to each other one, hosts not relaying; 0 if there is
// none.
inline std::vector<std::vector<std::uint32_t>> shortest_hops(const FabricGraph& graph) {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t from = 0; from < graph.host_count(); ++from) {
    std::vector<std::uint32_t> distance(graph.devices().size(), kNone);
    std::vector<std::uint32_t> queue = graph.hosts()[from].adapters;
    for (const std::uint32_t d : queue) distance[d] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t at = queue[i];
      if (distance[at] > 0 && graph.device(at).kind != DeviceKind::switch_chip) continue;
      for (const Port& port : graph.device(at).ports) {
        if (port.link == kNone) continue;
        const std::uint32_t next = graph.links()[port.link].end_away_from(at).device;
        if (distance[next] != kNone) continue;
        distance[next] = distance[at] + 1;
        queue.push_back(next);
      }
    }
    std::vector<std::uint32_t> row;
    for (const Host& host : graph.hosts()) {
      std::uint32_t best = kNone;
      for (const std::uint32_t d : host.adapters) best = std::min(best, distance[d]);
      row.push_back(best == kNone ? 0 : best);
    }
    all.push_back(row);
  }
  return all;
}

// The load of links that serve as one: the routes of all pairs of hosts are counted for each link
// and destination, and no two links of a group may differ by more than one destination brings,
// which is as even as routes by destination can be. A group is the links from a device to one
// neighbour, or with `uplinks` all that lead a switch to a higher level.
inline void expect_even_load(const FabricGraph& graph, const Routes& routes, bool uplinks) {
  struct Group {
    std::map<std::uint32_t, std::uint64_t> routes_of_link;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> of_destination;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Group> groups;
  const auto group_of = [&](std::uint32_t link, std::uint32_t from) -> Group& {
    const std::uint32_t far = graph.links()[link].end_away_from(from).device;
    const bool up =
        uplinks && routes.levels()[from] > 0 && routes.levels()[far] > routes.levels()[from];
    return groups[{from, up ? kNone : far}];
  };
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    for (const LinkEnd& end : graph.links()[i].ends) {
      group_of(i, end.device).routes_of_link[i] = 0;
    }
  }
  for (std::uint32_t a = 0; a < graph.host_count(); ++a) {
    for (std::uint32_t b = 0; b < graph.host_count(); ++b) {
      if (a == b) continue;
      ASSERT_TRUE(routes.walk({a}, {b}, [&](std::uint32_t link, std::uint32_t entered) {
        Group& group = group_of(link, entered);
        ++group.routes_of_link[link];
        ++group.of_destination[{link, b}];
      }));
    }
  }
  for (const auto& [place, group] : groups) {
    std::uint64_t least = ~0ull;
    std::uint64_t most = 0;
    std::uint64_t step = 0;
    for (const auto& [link, load] : group.routes_of_link) {
      least = std::min(least, load);
      most = std::max(most, load);
    }
    for (const auto& [link_and_host, load] : group.of_destination) step = std::max(step, load);
    EXPECT_LE(most - least, step) << graph.part_text(place.first);
  }
}

// A fabric put together by hand: switches 0 … n-1 with 40 ports, hosts on them.
class HandMade {
 public:
  explicit HandMade(std::uint32_t switches) {
    for (std::uint32_t s = 0; s < switches; ++s) {
      Device device{DeviceKind::switch_chip, 0x2000 + s, "s" + std::to_string(s), "", {}, {}};
      graph.add_device(device, 40);
    }
    used_.assign(switches, 0);
  }

  NodeId host(std::uint32_t on_switch, std::int64_t rate = 100'000'000'000) {
    const std::uint32_t n = graph.host_count();
    const NodeId node = graph.add_host("h" + std::to_string(n));
    const std::uint32_t adapter = graph.add_device(
        Device{DeviceKind::adapter, 0x1000 + n, graph.host(node).name, "", node, {}}, 1);
    graph.connect({adapter, 1}, next_port(on_switch), {rate, nanoseconds(150)});
    return node;
  }

  std::uint32_t join(std::uint32_t a, std::uint32_t b, std::int64_t rate = 100'000'000'000) {
    const LinkEnd from = next_port(a);
    return graph.connect(from, next_port(b), {rate, nanoseconds(150)});
  }

  FabricGraph graph;

 private:
  LinkEnd next_port(std::uint32_t s) { return {s, ++used_[s]}; }
  std::vector<std::uint32_t> used_;
};

}  // namespace holdfast::sim

// Ends the test as SKIPPED, saying why, where the data from outside is missing.
#define HOLDFAST_DATA_OR_SKIP(folder)                                               \
  const std::optional<std::string> folder##_found = ::holdfast::sim::data_folder(); \
  if (!folder##_found) {                                                            \
    GTEST_SKIP() << "HOLDFAST_DATA, the folder of data from outside, is not set";   \
  }                                                                                 \
  const std::string folder = *folder##_found
