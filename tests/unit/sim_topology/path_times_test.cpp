// Message times against the recursion of the cut-through model, carried out in whole numbers of a
// unit that divides everything, hop by hop.
#include "sim/topology/path_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/topology/link_rate.hpp"
#include "stack/base/random.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"

namespace holdfast::sim {
namespace {

__extension__ using Int = __int128;

Int gcd(Int a, Int b) {
  return b == 0 ? a : gcd(b, a % b);
}

// In units of 10 ps, rounded up. The unit of the calculation is 1/common of a second.
std::int64_t recursion(const std::vector<std::int64_t>& rates, std::int64_t link_ns,
                       std::int64_t switch_ns, std::int64_t wire_bytes) {
  Int common = 100'000'000'000;
  for (const std::int64_t rate : rates) common = common / gcd(common, rate) * rate;
  const Int nanosecond = common / 1'000'000'000;
  Int start = 0;
  Int arrived = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Int bits = wire_bytes * 8;
    const Int serialisation = bits * (common / rates[i]);
    if (i > 0) {
      const Int head = start + link_ns * nanosecond;
      start = std::max(head, arrived - serialisation) + switch_ns * nanosecond;
    }
    arrived = start + serialisation + link_ns * nanosecond;
  }
  const Int unit = common / 100'000'000'000;
  return static_cast<std::int64_t>((arrived + unit - 1) / unit);
}

TEST(SimTime, RoundsUpToNanoseconds) {
  EXPECT_EQ(round_up(SimTime{0}).ns, 0);
  EXPECT_EQ(round_up(SimTime{1}).ns, 1);
  EXPECT_EQ(round_up(SimTime{100}).ns, 1);
  EXPECT_EQ(round_up(SimTime{101}).ns, 2);
  EXPECT_EQ(round_up(SimTime{-101}).ns, -1);
  EXPECT_EQ(round_up(SimTime{-100}).ns, -1);
  EXPECT_EQ(round_up(SimTime::never()).ns, Time::never().ns);
  EXPECT_EQ(to_sim_time(microseconds(3)).value, 300'000);
}

TEST(PathTimes, OneSwitchAtOneRate) {
  // 66 + 34 bytes at 100 Gb/s take 8 ns; two links of 150 ns, one switch of 90 ns.
  const PathTimes times(make_tree({{4}, {1}, {1}}), kLink100, nanoseconds(90));
  EXPECT_EQ(times.one_way({0}, {3}, 66).value, 39'800);
  EXPECT_EQ(round_up(times.one_way({0}, {3}, 66)).ns, 398);
  EXPECT_EQ(times.one_way({0}, {3}, 0).value, 39'000 + 34 * 8);
}

TEST(PathTimes, AFatTreeGivesTheRecursionsTimeOnEveryLevel) {
  const Pgft tree = make_tree({{64, 64, 64}, {1, 64, 64}, {1, 1, 1}});
  for (const std::int64_t rate : std::vector<std::int64_t>{100'000'000'000, 32'000'000'000,
                                                           54'545'454'544, 7, 99'999'999'977}) {
    const PathTimes times(tree, {rate, nanoseconds(131)}, nanoseconds(77));
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs = {
        {0, 1}, {0, 64}, {262'143, 5}};
    for (std::size_t level = 1; level <= 3; ++level) {
      const auto& [from, to] = pairs[level - 1];
      for (const std::uint32_t bytes : {0u, 1u, 40u, 4096u, 4'000'000u}) {
        EXPECT_EQ(times.one_way({from}, {to}, bytes).value,
                  recursion(std::vector<std::int64_t>(2 * level, rate), 131, 77, bytes + 34));
      }
    }
  }
}

TEST(PathTimes, TheWrittenOutTreeGivesTheSame) {
  for (const PgftSpec& spec :
       {PgftSpec{{4, 3, 2}, {1, 2, 2}, {1, 2, 1}}, PgftSpec{{2, 3}, {2, 2}, {1, 2}}}) {
    const Pgft tree = make_tree(spec);
    const PathTimes by_level(tree, {54'545'454'544, nanoseconds(150)}, nanoseconds(90));
    const FabricGraph graph = build_pgft(tree, {54'545'454'544, nanoseconds(150)});
    const PathTimes by_table(graph, Routes(graph), nanoseconds(90));
    for (std::uint32_t a = 0; a < tree.host_count(); ++a) {
      for (std::uint32_t b = 0; b < tree.host_count(); ++b) {
        if (a == b) continue;
        EXPECT_EQ(by_table.one_way({a}, {b}, 1000), by_level.one_way({a}, {b}, 1000));
        EXPECT_TRUE(by_table.reachable({a}, {b}));
      }
    }
  }
}

std::vector<std::int64_t> all_rates() {
  std::vector<std::int64_t> rates;
  for (const char* width : {"1x", "2x", "4x", "8x", "12x"}) {
    for (const char* speed : {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"}) {
      rates.push_back(parse_link_rate(std::string(width) + speed).value());
    }
  }
  return rates;
}

TEST(PathTimes, MixedRatesOnAChainFollowTheRecursion) {
  const std::vector<std::int64_t> rates = all_rates();
  Random random(1, 2, 3);
  for (int round = 0; round < 300; ++round) {
    const auto switches = static_cast<std::uint32_t>(1 + random.below(7));
    std::vector<std::int64_t> path;
    for (std::uint32_t i = 0; i <= switches; ++i) path.push_back(rates[random.below(rates.size())]);
    HandMade fabric(switches);
    fabric.host(0, path.front());
    for (std::uint32_t s = 0; s + 1 < switches; ++s) fabric.join(s, s + 1, path[s + 1]);
    fabric.host(switches - 1, path.back());
    const PathTimes times(fabric.graph, Routes(fabric.graph), nanoseconds(90));
    for (const std::uint32_t bytes : {0u, 65u, 0xffff'ffffu}) {
      EXPECT_EQ(times.one_way({0}, {1}, bytes).value,
                recursion(path, 150, 90, std::int64_t{bytes} + 34));
      std::vector<std::int64_t> back(path.rbegin(), path.rend());
      EXPECT_EQ(times.one_way({1}, {0}, bytes).value,
                recursion(back, 150, 90, std::int64_t{bytes} + 34));
    }
  }
}

TEST(PathTimes, EveryRateTogetherStaysWithinTheExactArithmetic) {
  // Slow and fast in turn, so that every pair of rates adds a fraction.
  std::vector<std::int64_t> rates = all_rates();
  std::sort(rates.begin(), rates.end());
  std::vector<std::int64_t> path;
  for (std::size_t i = 0; i < rates.size() / 2; ++i) {
    path.push_back(rates[i]);
    path.push_back(rates[rates.size() - 1 - i]);
  }
  const auto switches = static_cast<std::uint32_t>(path.size() - 1);
  HandMade fabric(switches);
  fabric.host(0, path.front());
  for (std::uint32_t s = 0; s + 1 < switches; ++s) fabric.join(s, s + 1, path[s + 1]);
  fabric.host(switches - 1, path.back());
  const PathTimes times(fabric.graph, Routes(fabric.graph), nanoseconds(90));
  EXPECT_EQ(times.one_way({0}, {1}, 0xffff'ffff).value,
            recursion(path, 150, 90, std::int64_t{0xffff'ffff} + 34));
}

TEST(PathTimes, HostsOfOneSwitchMayDifferInRate) {
  HandMade fabric(2);
  fabric.join(0, 1);
  const NodeId slow = fabric.host(0, 16'000'000'000);
  const NodeId fast = fabric.host(0, 32'000'000'000);
  const NodeId far = fabric.host(1, 32'000'000'000);
  const PathTimes times(fabric.graph, Routes(fabric.graph), nanoseconds(90));
  EXPECT_EQ(times.one_way(slow, far, 500).value,
            recursion({16'000'000'000, 100'000'000'000, 32'000'000'000}, 150, 90, 534));
  EXPECT_EQ(times.one_way(fast, far, 500).value,
            recursion({32'000'000'000, 100'000'000'000, 32'000'000'000}, 150, 90, 534));
  EXPECT_EQ(times.one_way(slow, fast, 500).value,
            recursion({16'000'000'000, 32'000'000'000}, 150, 90, 534));
  EXPECT_EQ(times.one_way(fast, slow, 500).value,
            recursion({32'000'000'000, 16'000'000'000}, 150, 90, 534));
}

TEST(PathTimes, WithoutARouteAMessageNeverArrives) {
  HandMade fabric(2);
  const NodeId a = fabric.host(0);
  const NodeId b = fabric.host(1);
  const NodeId c = fabric.host(1);
  const PathTimes times(fabric.graph, Routes(fabric.graph), nanoseconds(90));
  EXPECT_EQ(times.one_way(a, b, 1), SimTime::never());
  EXPECT_FALSE(times.reachable(b, a));
  EXPECT_EQ(times.one_way(b, c, 1).value, times.one_way(c, b, 1).value);
  EXPECT_TRUE(times.reachable(b, c));
}

}  // namespace
}  // namespace holdfast::sim
