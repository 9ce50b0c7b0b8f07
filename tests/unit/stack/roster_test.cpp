// The roster against plain lists, and the ring against a walk that looks at everybody.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/view/ring.hpp"

namespace holdfast {
namespace {

std::vector<std::uint32_t> on_node(const Roster& roster, std::uint32_t node) {
  std::vector<std::uint32_t> processes;
  for (std::uint32_t i = 0; i < roster.per_node(); ++i) {
    processes.push_back(roster.process_on({node}, i).value);
  }
  return processes;
}

TEST(Roster, PlacesBySlotAndByNode) {
  const Roster by_slot({.nodes = 3, .per_node = 2, .placement = ProcessPlacement::by_slot});
  EXPECT_EQ(on_node(by_slot, 0), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(on_node(by_slot, 2), (std::vector<std::uint32_t>{4, 5}));
  const Roster by_node({.nodes = 3, .per_node = 2, .placement = ProcessPlacement::by_node});
  EXPECT_EQ(on_node(by_node, 0), (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(on_node(by_node, 2), (std::vector<std::uint32_t>{2, 5}));
  for (const Roster* roster : {&by_slot, &by_node}) {
    for (std::uint32_t node = 0; node < 3; ++node) {
      for (const std::uint32_t process : on_node(*roster, node)) {
        EXPECT_EQ(roster->node_of({process}), NodeId{node});
      }
    }
  }
}

TEST(Roster, DomainsAreNodesWithAgentsElseProcesses) {
  for (const bool agents : {true, false}) {
    const Roster roster(
        {.nodes = 3, .per_node = 4, .placement = ProcessPlacement::by_node, .agents = agents});
    EXPECT_EQ(roster.processes(), 12u);
    EXPECT_EQ(roster.domains(), agents ? 3u : 12u);
    EXPECT_EQ(roster.domain_size(), agents ? 4u : 1u);
    for (std::uint32_t process = 0; process < 12; ++process) {
      EXPECT_EQ(roster.domain_of({process}).value, agents ? process % 3 : process);
    }
    EXPECT_EQ(roster.member({1}, 0), ProcessId{1});
    EXPECT_EQ(roster.member({1}, roster.domain_size() - 1), ProcessId{agents ? 10u : 1u});
  }
}

TEST(Roster, PositionsAreAnOrderOfTheDomains) {
  for (const RingOrder order : {RingOrder::rank, RingOrder::shuffled}) {
    const Roster roster({.nodes = 48, .order = order, .order_key = 5});
    std::vector<std::uint32_t> domains;
    for (std::uint32_t position = 0; position < 48; ++position) {
      const DomainId domain = roster.domain_at({position});
      EXPECT_EQ(roster.position_of(domain), Position{position});
      domains.push_back(domain.value);
    }
    EXPECT_EQ(std::is_sorted(domains.begin(), domains.end()), order == RingOrder::rank);
    std::sort(domains.begin(), domains.end());
    for (std::uint32_t i = 0; i < 48; ++i) EXPECT_EQ(domains[i], i);
  }
}

RosterOptions spread_over(std::vector<std::uint32_t> leaves, std::uint32_t per_node = 1,
                          bool agents = true) {
  RosterOptions options;
  options.nodes = static_cast<std::uint32_t>(leaves.size());
  options.per_node = per_node;
  options.agents = agents;
  options.order = RingOrder::spread;
  options.leaf_of_node = std::make_shared<const std::vector<std::uint32_t>>(std::move(leaves));
  return options;
}

// The leaf of each position; and that the positions are an order of the domains.
std::vector<std::uint32_t> leaves_along(const RosterOptions& options) {
  const Roster roster(options);
  std::set<std::uint32_t> domains;
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t position = 0; position < roster.domains(); ++position) {
    const DomainId domain = roster.domain_at({position});
    EXPECT_EQ(roster.position_of(domain), Position{position});
    EXPECT_TRUE(domains.insert(domain.value).second);
    leaves.push_back((*options.leaf_of_node)[roster.node_of(roster.member(domain, 0)).value]);
  }
  return leaves;
}

std::size_t neighbours_on_one_leaf(const std::vector<std::uint32_t>& leaves) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i] == leaves[(i + 1) % leaves.size()]) ++count;
  }
  return count;
}

// The example of clause 1.8, worked out from its definition by tests/docs/protocol_test.py.
TEST(Roster, ShuffledOrderIsThatOfTheSpecification) {
  const Roster roster({.nodes = 8, .order = RingOrder::shuffled, .order_key = 1});
  std::vector<std::uint32_t> positions;
  for (std::uint32_t d = 0; d < 8; ++d) positions.push_back(roster.position_of({d}).value);
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{1, 6, 0, 3, 5, 4, 2, 7}));
}

TEST(Roster, SpreadDealsEqualLeavesInTurn) {
  EXPECT_EQ(leaves_along(spread_over({0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3})),
            (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
}

// With leaves of any sizes: nobody beside its like where that is possible, the items of a leaf a
// round of the others apart, and if a leaf has more than half, no more pairs than it must.
TEST(Roster, SpreadPutsNoTwoNeighboursOnOneLeafWherePossible) {
  Random random(1, 8, 0);
  int possible = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto nodes = static_cast<std::uint32_t>(2 + random.below(60));
    const std::uint64_t kinds = 2 + random.below(round % 3 == 0 ? 2 : 12);
    std::vector<std::uint32_t> leaves(nodes);
    std::map<std::uint32_t, std::size_t> sizes;
    for (std::uint32_t& leaf : leaves) {
      // Uneven sizes, and numbers that are no indices.
      leaf = static_cast<std::uint32_t>(1000 * std::min(random.below(kinds), random.below(kinds)));
      ++sizes[leaf];
    }
    std::size_t largest = 0;
    for (const auto& [leaf, size] : sizes) largest = std::max(largest, size);
    const std::vector<std::uint32_t> along = leaves_along(spread_over(leaves));
    const std::size_t others = nodes - largest;
    EXPECT_EQ(neighbours_on_one_leaf(along), largest > others ? largest - others : 0u);
    if (largest > others) continue;
    ++possible;
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t step = 1; step < nodes / largest; ++step) {
        EXPECT_NE(along[i], along[(i + step) % nodes]);
      }
    }
  }
  EXPECT_GT(possible, 1000);
}

TEST(Roster, SpreadKeepsTheProcessesOfALeafApartToo) {
  const auto along = leaves_along(spread_over({0, 0, 1, 1, 2, 2}, 4, false));
  EXPECT_EQ(along.size(), 24u);
  EXPECT_EQ(neighbours_on_one_leaf(along), 0u);
}

// A view in which the given processes are failed.
View with_failed(const std::vector<std::uint32_t>& failed) {
  View view;
  for (const std::uint32_t process : failed) view.merge({process}, {{0}, MemberState::failed});
  return view;
}

TEST(Ring, WalksOverDeadStretches) {
  const Roster roster({.nodes = 8});
  const View view = with_failed({0, 1, 2, 6, 7});
  const Ring ring(roster, view);
  EXPECT_EQ(ring.next_live({5}), Position{3});
  EXPECT_EQ(ring.next_live({3}), Position{4});
  EXPECT_EQ(ring.previous_live({3}), Position{5});
  EXPECT_EQ(ring.previous_live({1}), Position{5});
  const View one_left = with_failed({0, 1, 2, 3, 5, 6, 7});
  const Ring alone(roster, one_left);
  EXPECT_EQ(alone.next_live({4}), Position{4});
  EXPECT_EQ(alone.previous_live({4}), Position{4});
}

TEST(Ring, AgreesWithANaiveWalkOnRandomViews) {
  Random random(1, 2, 0);
  for (int round = 0; round < 300; ++round) {
    const auto nodes = static_cast<std::uint32_t>(1 + random.below(12));
    const auto per_node = static_cast<std::uint32_t>(1 + random.below(4));
    const Roster roster({.nodes = nodes,
                         .per_node = per_node,
                         .agents = random.below(2) == 0,
                         .order = RingOrder::shuffled,
                         .order_key = random.next()});
    View view;
    for (std::uint32_t i = 0; i < roster.processes(); ++i) {
      if (random.below(2) == 0) view.merge({i}, {{0}, MemberState::failed});
      if (random.below(8) == 0) view.merge({i}, {{1}, MemberState::suspected});
    }
    const Ring ring(roster, view);
    const std::uint32_t size = roster.domains();
    std::vector<bool> live(size);
    for (std::uint32_t i = 0; i < roster.processes(); ++i) {
      if (!is_live(view.of({i}))) continue;
      live[roster.position_of(roster.domain_of({i})).value] = true;
      EXPECT_LE(ring.speaker(roster.domain_of({i})), ProcessId{i});
    }
    for (std::uint32_t from = 0; from < size; ++from) {
      std::uint32_t next = (from + 1) % size, previous = (from + size - 1) % size;
      while (next != from && !live[next]) next = (next + 1) % size;
      while (previous != from && !live[previous]) previous = (previous + size - 1) % size;
      EXPECT_EQ(ring.live({from}), live[from]);
      EXPECT_EQ(ring.next_live({from}), Position{next});
      EXPECT_EQ(ring.previous_live({from}), Position{previous});
      const ProcessId speaker = ring.speaker(roster.domain_at({from}));
      EXPECT_EQ(speaker != kNoProcess, live[from]);
      EXPECT_TRUE(!live[from] || view.live(speaker));
    }
  }
}

}  // namespace
}  // namespace holdfast
