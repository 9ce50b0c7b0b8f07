// bmg and chord against their definitions (papers: Angskun et al. 2007; Rosso and Francesquini
// 2021), written here with sets and signed arithmetic, and against the published counts.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {
namespace {

using Targets = std::set<std::uint32_t>;

Targets product(std::string_view name, const Ring& ring, std::uint32_t from) {
  std::vector<Position> to;
  make_propagation(name)->targets(ring, {from}, to);
  Targets targets;
  for (const Position position : to) {
    EXPECT_TRUE(targets.insert(position.value).second) << "told twice: " << position.value;
  }
  return targets;
}

// p + 2^i for 2^i < n, or p ± 2^i for 2^i <= n/2. A dead target: at offset 1 the next live one in
// the same direction, elsewhere none.
Targets definition(std::string_view name, const std::vector<bool>& live, std::uint32_t from) {
  const auto n = static_cast<std::int64_t>(live.size());
  Targets targets;
  const auto add = [&](std::int64_t offset) {
    std::int64_t at = ((from + offset) % n + n) % n;
    if (offset == 1 || offset == -1) {
      while (!live[static_cast<std::size_t>(at)] && at != from) at = (at + offset + n) % n;
    }
    if (at != from && live[static_cast<std::size_t>(at)]) {
      targets.insert(static_cast<std::uint32_t>(at));
    }
  };
  for (std::int64_t power = 1; power < n; power *= 2) {
    if (name == "chord") add(power);
    if (name == "bmg" && 2 * power <= n) add(power), add(-power);
  }
  return targets;
}

TEST(Propagation, TargetsAreTheDefinitionWhenAllLive) {
  for (const std::uint32_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 48u, 100u, 1024u}) {
    const Roster roster({.nodes = n});
    const View view;
    const Ring ring(roster, view);
    for (const std::string_view name : {"bmg", "chord"}) {
      for (const std::uint32_t from : {0u, n / 2, n - 1}) {
        EXPECT_EQ(product(name, ring, from), definition(name, std::vector<bool>(n, true), from))
            << name << ' ' << n;
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
    for (const std::string_view name : {"bmg", "chord"}) {
      EXPECT_EQ(product(name, ring, from), definition(name, live, from)) << name << ' ' << n;
    }
  }
}

struct Flood {
  std::uint32_t rounds = 0;  // until the last one hears for the first time
  double messages = 0.0;     // received per process
};

// Who hears something for the first time tells all its targets, who hear it one unit later.
Flood flood(std::string_view name, std::uint32_t n) {
  const Roster roster({.nodes = n});
  const View view;
  const Ring ring(roster, view);
  std::vector<bool> knows(n);
  std::vector<std::uint32_t> fresh{0};
  knows[0] = true;
  Flood result;
  for (std::uint32_t round = 1; !fresh.empty(); ++round) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t from : fresh) {
      for (const std::uint32_t to : product(name, ring, from)) {
        result.messages += 1.0 / n;
        if (knows[to]) continue;
        knows[to] = true;
        next.push_back(to);
        result.rounds = round;
      }
    }
    fresh = next;
  }
  for (const bool known : knows) EXPECT_TRUE(known);
  return result;
}

// The values of the comparison of the papers. At 1,024 bmg sends 19 messages, 20 if the antipode
// were told from both sides.
TEST(Propagation, FloodingTakesTheKnownRoundsAndMessages) {
  struct Case {
    const char* name;
    std::uint32_t n, rounds;
    double messages;
  };
  for (const Case& known : {Case{"chord", 48, 5, 6}, Case{"bmg", 48, 3, 10},
                            Case{"chord", 1024, 10, 10}, Case{"bmg", 1024, 5, 19}}) {
    const Flood flooded = flood(known.name, known.n);
    EXPECT_EQ(flooded.rounds, known.rounds) << known.name << ' ' << known.n;
    EXPECT_NEAR(flooded.messages, known.messages, 1e-9) << known.name << ' ' << known.n;
  }
}

TEST(Propagation, EveryRegisteredOneIsFoundByName) {
  EXPECT_GE(propagations().size(), 2u);
  for (const PropagationEntry& entry : propagations()) {
    EXPECT_NE(make_propagation(entry.name), nullptr);
  }
  EXPECT_EQ(make_propagation("gossip"), nullptr);
}

}  // namespace
}  // namespace holdfast
