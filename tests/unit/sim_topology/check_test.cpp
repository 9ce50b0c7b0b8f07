// Checking the cabling: nothing is found in healthy trees, and each planted mistake is one finding
// that names it.
#include "sim/topology/check/check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "sim/topology/presets.hpp"
#include "sim/topology/tree_drawing.hpp"
#include "tests/drawn.hpp"
#include "tests/unit/sim_topology/fabrics.hpp"
#include "tests/unit/sim_topology/planted_faults.hpp"

namespace holdfast::sim {
namespace {

std::string all_text(const CheckReport& report) {
  std::string text;
  for (const std::string& line : report.pattern) text += line + "\n";
  for (const Finding& finding : report.findings) {
    text += std::string(severity_name(finding.severity)) + " " + kind_name(finding.kind) + ": " +
            finding.what + " | " + finding.expected + " | " + finding.remedy + "\n";
  }
  return text;
}

bool names(const FabricGraph& graph, const Finding& finding, const Named& wanted) {
  return std::any_of(finding.ports.begin(), finding.ports.end(), [&](const LinkEnd& end) {
    return graph.device(end.device).guid == wanted.guid &&
           (wanted.port == 0 || end.port == wanted.port);
  });
}

bool names(const FabricGraph& graph, const Finding& finding, const Planted& planted) {
  return std::all_of(planted.names.begin(), planted.names.end(),
                     [&](const Named& wanted) { return names(graph, finding, wanted); });
}

void expect_healthy(const FabricGraph& graph, const std::string& name) {
  const CheckReport report = check_cabling(graph);
  EXPECT_TRUE(report.is_tree) << name;
  EXPECT_TRUE(report.findings.empty()) << name << "\n" << all_text(report);
}

TEST(CheckCabling, FindsNothingInHealthyTrees) {
  for (const PgftSpec& spec : small_trees())
    expect_healthy(build_pgft(make_tree(spec), kLink100), "");
  for (const char* name : {"isr9144", "324", "1944", "8192"})
    expect_healthy(build_pgft(make_tree(*preset_tree(name)), kLink100), name);
  expect_healthy(ibnft_oversubscribed(kLink100), "ibnft-oversubscribed");
}

TEST(CheckCabling, FindsNothingInWhatOpenSmRouted) {
  HOLDFAST_DATA_OR_SKIP(data);
  for (const char* name : {"/opensm/ft16/cmd_ibnetdiscover.out", "/opensm/ft324/ibnetdiscover.out"})
    expect_healthy(import_file(data + name).graph, name);
}

// 2 or 3 levels, 3 to 5 switches or hosts below each, up to 3 parallel cables, some hosts with two
// adapters.
PgftSpec random_tree(Random& random) {
  PgftSpec spec;
  const std::uint64_t levels = 2 + random.below(2);
  for (std::uint64_t level = 0; level < levels; ++level) {
    spec.down.push_back(static_cast<std::uint32_t>(3 + random.below(3)));
    spec.up.push_back(static_cast<std::uint32_t>(level == 0 ? 1 + (random.below(4) == 0 ? 1 : 0)
                                                            : 2 + random.below(3)));
    spec.parallel.push_back(level == 0 ? 1 : static_cast<std::uint32_t>(1 + random.below(3)));
  }
  return spec;
}

std::string spec_text(const PgftSpec& spec) {
  std::string text;
  for (const auto* list : {&spec.down, &spec.up, &spec.parallel}) {
    for (const std::uint32_t n : *list) text += std::to_string(n) + " ";
    text += "; ";
  }
  return text;
}

TEST(CheckCabling, FindsNothingInRandomHealthyTrees) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed, 1, 0);
    const PgftSpec spec = random_tree(random);
    const Cabling cabling(build_pgft(make_tree(spec), Cabling::kUsual));
    expect_healthy(cabling.build(), spec_text(spec));
  }
}

TEST(CheckCabling, APlantedMistakeIsOneFindingThatNamesIt) {
  std::array<int, static_cast<std::size_t>(Mistake::count)> planted_of = {};
  for (std::uint64_t seed = 0; seed < tests::drawn(2000u); ++seed) {
    Random random(seed, 2, 0);
    const PgftSpec spec = random_tree(random);
    Cabling cabling(build_pgft(make_tree(spec), Cabling::kUsual));
    const auto mistake = seed % static_cast<std::uint64_t>(Mistake::count);
    const Planted planted = Planter(spec, cabling, random).plant(static_cast<Mistake>(mistake));
    if (planted.what.empty()) continue;
    ++planted_of[mistake];
    const FabricGraph graph = cabling.build();
    const CheckReport report = check_cabling(graph);
    EXPECT_TRUE(report.findings.size() == 1 && names(graph, report.findings.front(), planted))
        << "seed " << seed << ", tree " << spec_text(spec) << planted.what << "\n"
        << all_text(report);
  }
  for (const int count : planted_of) EXPECT_GT(count, tests::drawn(20));
}

// What is missing above one group and what is missing below another is paired as it was cabled.
TEST(CheckCabling, SeveralSwitchesThatAreOffAreNotMistakenForEachOther) {
  const PgftSpec spec{{3, 5, 5}, {1, 6, 3}, {1, 1, 1}};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed, 4, 0);
    Cabling cabling(build_pgft(make_tree(spec), Cabling::kUsual));
    Planter planter(spec, cabling, random);
    const Planted first = planter.plant(Mistake::switch_off);
    const Planted second = planter.plant(Mistake::switch_off);
    if (second.names.empty()) continue;  // the same
    const FabricGraph graph = cabling.build();
    const CheckReport report = check_cabling(graph);
    ASSERT_EQ(report.findings.size(), 2u) << seed << "\n" << all_text(report);
    const auto& [a, b] = std::tie(report.findings[0], report.findings[1]);
    EXPECT_TRUE((names(graph, a, first) && names(graph, b, second)) ||
                (names(graph, b, first) && names(graph, a, second)))
        << seed << "\n"
        << all_text(report);
  }
}

TEST(CheckCabling, AGroupThatWasBuiltSmallerIsOneFinding) {
  const PgftSpec spec{{3, 5, 4}, {1, 3, 3}, {1, 1, 1}};
  Cabling cabling(build_pgft(make_tree(spec), Cabling::kUsual));
  cabling.remove(60);  // the first leaf switches
  cabling.remove(61);
  const CheckReport report = check_cabling(cabling.build());
  ASSERT_EQ(report.findings.size(), 1u) << all_text(report);
  EXPECT_EQ(report.findings[0].what.find("2 switches of level 1 are missing below "), 0u)
      << report.findings[0].what;
}

// 16 leaves with 18 cables each to 8 spines: two to each, and the other two go round.
FabricGraph round_robin(std::uint32_t without = kNone) {
  constexpr std::uint32_t kLeaves = 16, kSpines = 8, kUp = 18;
  FabricGraph graph;
  for (std::uint32_t s = 0; s < kLeaves + kSpines; ++s)
    graph.add_device(
        Device{DeviceKind::switch_chip, 0x1000 + s, "s" + std::to_string(s), "", {}, {}}, 40);
  for (std::uint32_t h = 0; h < kLeaves * kUp; ++h) {
    const NodeId host = graph.add_host("h" + std::to_string(h));
    const std::uint32_t adapter =
        graph.add_device(Device{DeviceKind::adapter, 0x2000 + h, "", "", host, {}}, 1);
    graph.connect({h / kUp, h % kUp + 1}, {adapter, 1}, kLink100);
  }
  for (std::uint32_t c = 0; c < kLeaves * kUp; ++c) {
    if (c == without) continue;
    graph.connect({c / kUp, kUp + 1 + c % kUp}, {kLeaves + c % kSpines, 1 + c / kSpines}, kLink100);
  }
  return graph;
}

TEST(CheckCabling, CablesThatCannotBeEvenMayGoRound) {
  expect_healthy(round_robin(), "going round");
  EXPECT_EQ(check_cabling(round_robin()).pattern[1],
            "1 group of 16 switches of level 1 and 8 of level 2, 2 or 3 cables a pair");
  for (const std::uint32_t without : {0u, 7u, 16u, 17u, 100u, 287u}) {
    const FabricGraph graph = round_robin(without);
    const CheckReport report = check_cabling(graph);
    ASSERT_EQ(report.findings.size(), 1u) << without << "\n" << all_text(report);
    EXPECT_EQ(report.findings[0].kind, FindingKind::missing_cable);
    EXPECT_TRUE(names(graph, report.findings[0],
                      Planted{"", {{0x1000 + without / 18, 0}, {0x1010 + without % 8, 0}}}))
        << all_text(report);
  }
}

// Most kinds at once, and all are told apart.
TEST(CheckCabling, TenPlantedMistakesAreTenFindings) {
  const PgftSpec spec = *preset_tree("324");
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed, 3, 0);
    Cabling cabling(build_pgft(make_tree(spec), Cabling::kUsual));
    Planter planter(spec, cabling, random);
    std::vector<Planted> planted;
    for (const Mistake mistake : {Mistake::pulled, Mistake::slow, Mistake::swapped, Mistake::moved,
                                  Mistake::same_level, Mistake::joined, Mistake::host_pulled,
                                  Mistake::host_off, Mistake::host_high, Mistake::switch_extra})
      planted.push_back(planter.plant(mistake));
    const FabricGraph graph = cabling.build();
    const CheckReport report = check_cabling(graph);
    EXPECT_EQ(report.findings.size(), planted.size()) << seed << "\n" << all_text(report);
    std::set<std::ptrdiff_t> used;
    for (const Planted& one : planted) {
      const auto found =
          std::find_if(report.findings.begin(), report.findings.end(),
                       [&](const Finding& finding) { return names(graph, finding, one); });
      EXPECT_NE(found, report.findings.end()) << seed << " " << one.what << "\n"
                                              << all_text(report);
      EXPECT_TRUE(used.insert(found - report.findings.begin()).second) << seed << " " << one.what;
    }
  }
}

TEST(CheckCabling, SeriousFindingsComeFirstAndSayWhatToDo) {
  const PgftSpec spec{{4, 4}, {1, 4}, {1, 2}};
  Cabling cabling(build_pgft(make_tree(spec), Cabling::kUsual));
  cabling.slow_down(0);
  // leaf-1 to spine-2: devices 17 and 22; its first cable is in ports 9 and 3.
  for (std::size_t i = 0; i < cabling.links().size(); ++i) {
    const Link& link = cabling.links()[i];
    if (link.ends[0].device == 17 && link.ends[0].port == 9) {
      cabling.pull(i);
      break;
    }
  }
  cabling.plug({16, 13}, {18, 13});
  const CheckReport report = check_cabling(cabling.build());
  EXPECT_EQ(
      all_text(report),
      "4 groups of 4 hosts and 1 of level 1, 1 cable a pair\n"
      "1 group of 4 switches of level 1 and 4 of level 2, 2 cables a pair\n"
      "serious wrong-level: a cable between two switches of level 1: leaf-0 "
      "0x0002010000000000[13] to leaf-2 0x0002010000000002[13] | cables lead from one level "
      "to the next; packets that take this one can wait for each other in a circle | unplug "
      "it\n"
      "degraded missing-cable: 1 cable missing: leaf-1 0x0002010000000001[9] to spine-2 "
      "0x0002020000000002[3] | leaf-1 0x0002010000000001[9] to spine-2 "
      "0x0002020000000002[3]; in this group of 4 switches of level 1 and 4 of level 2, most "
      "pairs have 2 cables | plug it in, or look why its ports are down or disabled\n"
      "degraded slow-cable: host-0 0x0001000000000000[1] to leaf-0 0x0002010000000000[1] "
      "runs at 25 Gb/s (1xEDR) | 100 Gb/s (4xEDR), as 15 of 16 cables to hosts have | look at "
      "cable and connectors, and at the rate and width that its ports allow\n");
}

TEST(CheckCabling, ASwitchThatLacksHalfOfItsCablesIsToldWhereTheyGo) {
  Cabling cabling(build_pgft(make_tree({{4, 4}, {1, 4}, {1, 2}}), Cabling::kUsual));
  // leaf-1 to spine-1 and to spine-2: device 17, ports 7 to 10.
  for (std::size_t i = cabling.links().size(); i-- > 0;) {
    const LinkEnd& end = cabling.links()[i].ends[0];
    if (end.device == 17 && end.port >= 7 && end.port <= 10) cabling.pull(i);
  }
  const CheckReport report = check_cabling(cabling.build());
  ASSERT_EQ(report.findings.size(), 1u) << all_text(report);
  EXPECT_EQ(report.findings[0].what,
            "leaf-1 0x0002010000000001 has 4 cables up: 0, not 2, [7][8] to spine-1 "
            "0x0002020000000001[3][4], 0, not 2, [9][10] to spine-2 0x0002020000000002[3][4]");
}

TEST(CheckCabling, WhatIsNoTreeIsOnlyCheckedForRates) {
  HandMade ring(4);
  for (std::uint32_t s = 0; s < 4; ++s) {
    ring.host(s);
    ring.host(s, s == 1 ? 50'000'000'000 : 100'000'000'000);
    ring.join(s, (s + 1) % 4);
  }
  const CheckReport report = check_cabling(ring.graph);
  EXPECT_FALSE(report.is_tree);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::slow_cable);
  EXPECT_TRUE(check_cabling(HandMade(3).graph).findings.empty());
  EXPECT_TRUE(check_cabling(FabricGraph()).findings.empty());
}

// One faster cable does not make all others slow; a generation of slower hosts is one finding.
TEST(CheckCabling, MostCablesSayWhatIsSlow) {
  HandMade star(3);
  for (std::uint32_t s = 0; s < 3; ++s) {
    for (int h = 0; h < 4; ++h) star.host(s, s == 2 ? 50'000'000'000 : 100'000'000'000);
  }
  star.host(0, 400'000'000'000);
  const CheckReport report = check_cabling(star.graph);
  ASSERT_EQ(report.findings.size(), 1u) << all_text(report);
  EXPECT_EQ(report.findings[0].what,
            "all 4 cables to hosts of s2 0x0000000000002002 run at 50 Gb/s");
}

// Seven leaf switches below four spines. By hand: four leaves have three cables to each spine; 86A2
// has none to two spines and no host (a spare, or not finished); 8BBA has one to each; 0b50 has six
// to two spines and none to the others, so as many as it should, but in the wrong places. 0b50's
// hosts are of an older generation, as are two of 8BBA's. Leaves have 5 to 24 hosts: no rule.
TEST(CheckCabling, FindsWhatIsIrregularInARealCluster) {
  HOLDFAST_DATA_OR_SKIP(data);
  const FabricGraph graph = import_file(data + "/topologies/psmn-x5.ibnetdiscover").graph;
  const CheckReport report = check_cabling(graph);
  EXPECT_TRUE(report.is_tree);
  ASSERT_EQ(report.findings.size(), 6u) << all_text(report);
  const std::uint64_t unlike[] = {0x8f105001086a2, 0x8f10500108bba, 0x8f10500200b50};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(report.findings[i].kind, FindingKind::unlike_switch);
    EXPECT_EQ(graph.device(report.findings[i].ports.front().device).guid, unlike[i]);
  }
  // No port is named for two cables.
  for (const Finding& finding : report.findings) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;
    for (const auto& ends : finding.absent) {
      for (const LinkEnd& end : ends)
        EXPECT_TRUE(end.port == 0 || used.emplace(end.device, end.port).second) << finding.what;
    }
  }
  EXPECT_TRUE(names(graph, report.findings[3],
                    Planted{"", {{0x8f10500108bba, 11}, {0x3048c74e4a0000, 1}}}));
  EXPECT_TRUE(names(graph, report.findings[4],
                    Planted{"", {{0x8f10500108bba, 29}, {0x3048c7488b0000, 1}}}));
  EXPECT_EQ(report.findings[5].kind, FindingKind::slow_switch);
  EXPECT_TRUE(names(graph, report.findings[5], Planted{"", {{0x8f10500200b50, 0}}}));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Drawing, HasEachPartAndEachFinding) {
  const PgftSpec spec{{4, 4}, {1, 4}, {1, 2}};
  Cabling cabling(build_pgft(make_tree(spec), Cabling::kUsual));
  const FabricGraph healthy = cabling.build();
  const std::string whole = draw_tree(healthy, check_cabling(healthy));
  EXPECT_EQ(count(whole, "<rect x="), 16u + 8u);
  EXPECT_EQ(count(whole, " 2 cables, "), 16u);
  EXPECT_EQ(count(whole, "finding 1"), 0u);
  EXPECT_NE(whole.find("the check finds nothing"), std::string::npos);
  cabling.slow_down(0);
  cabling.pull(cabling.links().size() - 1);
  const FabricGraph graph = cabling.build();
  const CheckReport report = check_cabling(graph);
  ASSERT_EQ(report.findings.size(), 2u);
  const std::string marked = draw_tree(graph, report);
  EXPECT_EQ(marked, draw_tree(graph, report));
  EXPECT_EQ(count(marked, " 2 cables, "), 15u);
  EXPECT_EQ(count(marked, "stroke-dasharray=\"7 3\"><title>finding 2, slow-cable"), 1u);
  EXPECT_EQ(count(marked, "stroke-linecap=\"round\"><title>finding 1, missing-cable"), 1u);
  EXPECT_EQ(count(marked, "font-weight=\"bold\""), 4u);
}

TEST(Drawing, WhatOthersSayOfThemselvesIsNoMarkup) {
  HandMade fabric(1);
  fabric.host(0);
  fabric.graph.add_device(Device{DeviceKind::switch_chip, 0x77, "", "<b>\xff&\"", {}, {}}, 1);
  const std::string svg = draw_tree(fabric.graph, check_cabling(fabric.graph));
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;b&gt;?&amp;&quot;"), std::string::npos);
  EXPECT_FALSE(draw_tree(FabricGraph(), CheckReport{}).empty());
}

}  // namespace
}  // namespace holdfast::sim
