// The topologies against their definitions, and against the published counts.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/propagate/propagation.hpp"
#include "tests/unit/stack/propagation_definition.hpp"

namespace holdfast {
namespace {

const std::vector<std::string> kAll = {"bmg", "chord", "flood", "hba", "neighbours"};

Targets product(std::string_view name, const Ring& ring, std::uint32_t from, Course course = {}) {
  std::vector<Target> to;
  find_propagation(name)->targets(ring, {from}, course, to);
  Targets targets;
  for (const Target& target : to) {
    EXPECT_EQ(target.speaker, ring.speaker_at(target.position));
    EXPECT_TRUE(targets.insert(target.position.value).second)
        << "told twice: " << target.position.value;
  }
  return targets;
}

TEST(Propagation, TargetsAreTheDefinitionWhenAllLive) {
  for (const std::uint32_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 48u, 100u, 1024u}) {
    const Roster roster({.nodes = n});
    const View view;
    const Ring ring(roster, view);
    for (const std::string& name : kAll) {
      for (const std::uint32_t from : {0u, n / 2, n - 1}) {
        for (const Course course : {Course{{0}, 0}, Course{{n / 3}, 0}, Course{{n / 3}, 1}}) {
          EXPECT_EQ(product(name, ring, from, course),
                    definition(name, std::vector<bool>(n, true), from, course))
              << name << ' ' << n;
        }
      }
    }
  }
}

TEST(Propagation, KnownDeadAreWalkedOverAtOffsetOneAndSkippedElsewhere) {
  const Roster roster({.nodes = 16});
  View view;
  for (const std::uint32_t dead : {1u, 2u, 4u, 15u}) view.merge({dead}, {{0}, MemberState::failed});
  const Ring ring(roster, view);
  EXPECT_EQ(product("chord", ring, 0), (Targets{3, 8}));
  EXPECT_EQ(product("bmg", ring, 0), (Targets{3, 14, 12, 8}));
}

TEST(Propagation, HbaNeighboursAndFloodSkipTheKnownDead) {
  const Roster roster({.nodes = 16});
  View view;
  for (const std::uint32_t dead : {1u, 4u, 15u}) view.merge({dead}, {{0}, MemberState::failed});
  const Ring ring(roster, view);
  EXPECT_EQ(product("hba", ring, 0, {{0}, 0}), (Targets{2, 8}));
  EXPECT_EQ(product("hba", ring, 5, {{2}, 0}), (Targets{3, 9, 13}));  // corner 3; 2 is dead
  EXPECT_EQ(product("neighbours", ring, 0), (Targets{2, 3, 13, 14}));
  EXPECT_EQ(product("flood", ring, 0).size(), 12u);
}

TEST(Propagation, TargetsAreTheDefinitionWithRandomDead) {
  Random random(1, 3, 0);
  for (int round = 0; round < 500; ++round) {
    const auto n = static_cast<std::uint32_t>(2 + random.below(70));
    const Roster roster({.nodes = n});
    View view;
    std::vector<bool> live(n, true);
    const std::uint64_t share = 1 + random.below(5);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (random.below(6) >= share) continue;
      live[i] = false;
      view.merge({i}, {{0}, MemberState::failed});
    }
    const Ring ring(roster, view);
    const auto from = static_cast<std::uint32_t>(random.below(n));
    const Course course{{static_cast<std::uint32_t>(random.below(n))},
                        static_cast<std::uint8_t>(random.below(2))};
    for (const std::string& name : kAll) {
      EXPECT_EQ(product(name, ring, from, course), definition(name, live, from, course))
          << name << ' ' << n;
    }
  }
}

TEST(Propagation, TargetsAreNeverMoreThanPromised) {
  for (const std::uint32_t n : {1u, 2u, 48u, 500u}) {
    const Roster roster({.nodes = n});
    const View view;
    const Ring ring(roster, view);
    for (const std::string& name : kAll) {
      EXPECT_LE(product(name, ring, 0).size(), find_propagation(name)->targets_max(n)) << name;
    }
  }
}

struct Flood {
  std::uint32_t rounds = 0;  // until the last first copy
  double messages = 0.0;     // received per process
};

// Who hears something for the first time tells all its targets, who hear it one unit later; hba
// does so in each of its cubes. With the targets of the definition or of the product.
Flood flood(const std::string& name, std::uint32_t n, bool by_definition) {
  const Roster roster({.nodes = n});
  const View view;
  const Ring ring(roster, view);
  const std::vector<bool> all_live(n, true);
  const bool power_of_two = std::uint32_t{1} << floor_log2(n) == n;
  Targets reached;
  Flood result;
  for (std::uint8_t cube = 0; cube < (name == "hba" && !power_of_two ? 2 : 1); ++cube) {
    const Course course{{0}, cube};
    std::map<std::uint32_t, std::uint32_t> heard{{0, 0}};
    std::vector<std::uint32_t> fresh{0};
    for (std::uint32_t round = 1; !fresh.empty(); ++round) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t from : fresh) {
        for (const std::uint32_t to : by_definition ? definition(name, all_live, from, course)
                                                    : product(name, ring, from, course)) {
          result.messages += 1.0 / n;
          if (!heard.emplace(to, round).second) continue;
          next.push_back(to);
          result.rounds = std::max(result.rounds, round);
        }
      }
      fresh = next;
    }
    for (const auto& [position, round] : heard) reached.insert(position);
  }
  EXPECT_EQ(reached.size(), n) << name;
  return result;
}

// The values of the comparison of the papers, once by the definitions and once by the product. At
// 1,024 bmg sends 19 messages, 20 if the antipode were told from both sides.
TEST(Propagation, FloodingTakesTheKnownRoundsAndMessages) {
  struct Case {
    const char* name;
    std::uint32_t n, rounds;
    double messages;
  };
  for (const Case& known :
       {Case{"chord", 48, 5, 6}, Case{"bmg", 48, 3, 10}, Case{"neighbours", 48, 6, 8},
        Case{"hba", 48, 5, 320.0 / 48}, Case{"flood", 48, 1, 47}, Case{"chord", 1024, 10, 10},
        Case{"bmg", 1024, 5, 19}, Case{"neighbours", 1024, 57, 18}, Case{"hba", 1024, 10, 10},
        Case{"flood", 1024, 1, 1023}}) {
    for (const bool by_definition : {true, false}) {
      const Flood flooded = flood(known.name, known.n, by_definition);
      EXPECT_EQ(flooded.rounds, known.rounds) << known.name << ' ' << known.n;
      EXPECT_NEAR(flooded.messages, known.messages, 1e-6) << known.name << ' ' << known.n;
    }
  }
}

TEST(Propagation, HbaHasTwoCubesUnlessOneHoldsAll) {
  const auto hba = find_propagation("hba");
  for (std::uint32_t n = 1; n < 2000; ++n) {
    EXPECT_EQ(hba->cubes(n), std::uint32_t{1} << floor_log2(n) == n ? 1u : 2u) << n;
  }
  EXPECT_EQ(find_propagation("bmg")->cubes(48), 0u);
}

TEST(Propagation, EveryRegisteredOneIsFoundByName) {
  std::vector<std::string> names;
  for (const PropagationEntry& entry : propagations()) {
    names.emplace_back(entry.name);
    EXPECT_NE(find_propagation(entry.name), nullptr);
  }
  EXPECT_EQ(names, kAll);
  EXPECT_EQ(find_propagation("gossip"), nullptr);
}

}  // namespace
}  // namespace holdfast
