// The roster against plain lists, and the ring against a walk that looks at everybody.
#include <gtest/gtest.h>

#include <algorithm>
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
