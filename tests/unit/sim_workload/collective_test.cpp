// Collective operations: they bring everything to everybody who is to have it, with the numbers of
// messages for which the algorithms are known.
#include "sim/workload/collective.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/sim_workload/machine.hpp"

namespace holdfast::sim {
namespace {

Machine::Program member(Collective which, Group group, std::uint64_t bytes) {
  struct State {
    Block block;
    std::size_t at = 0;
    std::uint32_t round = 0;
  };
  const auto state = std::make_shared<State>();
  return [=](Step& step) {
    while (state->at == state->block.entries().size()) {
      state->block.clear();
      state->at = 0;
      if (!collective_round(which, group, bytes, state->round++, state->block)) return false;
    }
    step = state->block.entries()[state->at++].step;
    return true;
  };
}

Machine machine(Collective which, std::uint32_t processes, std::uint64_t bytes,
                Sends sends = Sends::synchronous) {
  std::vector<Machine::Program> programs;
  for (std::uint32_t self = 0; self < processes; ++self)
    programs.push_back(member(which, {0, 1, processes, self}, bytes));
  return Machine(std::move(programs), sends);
}

std::uint64_t everybody(std::uint32_t processes) {
  return processes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << processes) - 1;
}

std::uint32_t doublings_up(std::uint32_t processes) {  // to reach the number or more
  std::uint32_t count = 0;
  while ((1u << count) < processes) ++count;
  return count;
}

TEST(Collective, ABroadcastIsATreeFromTheFirst) {
  for (std::uint32_t p = 1; p <= 64; ++p) {
    Machine all = machine(Collective::broadcast, p, 24);
    ASSERT_EQ(all.run(), "") << p;
    EXPECT_EQ(all.messages(), p - 1) << p;
    EXPECT_EQ(all.bytes(), 24u * (p - 1)) << p;
    for (std::uint32_t self = 0; self < p; ++self) ASSERT_TRUE(all.knows(self) & 1) << p;
  }
}

TEST(Collective, AReductionBringsAllToTheFirst) {
  for (std::uint32_t p = 1; p <= 64; ++p) {
    Machine all = machine(Collective::reduce, p, 8);
    ASSERT_EQ(all.run(), "") << p;
    EXPECT_EQ(all.messages(), p - 1) << p;
    EXPECT_EQ(all.knows(0), everybody(p)) << p;
  }
}

TEST(Collective, AnAllReduceBringsAllToAll) {
  for (std::uint32_t p = 1; p <= 64; ++p) {
    Machine all = machine(Collective::all_reduce, p, 8);
    ASSERT_EQ(all.run(), "") << p;
    std::uint32_t power = 1, log = 0;
    for (; 2 * power <= p; power *= 2) ++log;
    EXPECT_EQ(all.messages(), power * log + 2 * (p - power)) << p;
    for (std::uint32_t self = 0; self < p; ++self) ASSERT_EQ(all.knows(self), everybody(p)) << p;
  }
}

TEST(Collective, ABarrierIsHeardFromAll) {
  for (std::uint32_t p = 1; p <= 64; ++p) {
    Machine all = machine(Collective::barrier, p, 0);
    ASSERT_EQ(all.run(), "") << p;
    EXPECT_EQ(all.messages(), p * doublings_up(p)) << p;
    EXPECT_EQ(all.bytes(), 0u);
    for (std::uint32_t self = 0; self < p; ++self) ASSERT_EQ(all.knows(self), everybody(p)) << p;
  }
}

// Short blocks travel in a logarithm of rounds, half of all blocks in each; long ones go straight.
TEST(Collective, AllToAllDependsOnTheBlock) {
  for (std::uint32_t p = 2; p <= 64; p *= 2) {
    Machine small = machine(Collective::all_to_all, p, 256);
    ASSERT_EQ(small.run(), "") << p;
    EXPECT_EQ(small.messages(), p * doublings_up(p)) << p;
    EXPECT_EQ(small.bytes(), std::uint64_t{p} * doublings_up(p) * (p / 2) * 256) << p;
    Machine large = machine(Collective::all_to_all, p, 257);
    ASSERT_EQ(large.run(), "") << p;
    EXPECT_EQ(large.messages(), p * (p - 1)) << p;
    EXPECT_EQ(large.bytes(), std::uint64_t{p} * (p - 1) * 257) << p;
    for (std::uint32_t self = 0; self < p; ++self) {
      ASSERT_EQ(small.knows(self), everybody(p)) << p;
      ASSERT_EQ(large.knows(self), everybody(p)) << p;
    }
  }
}

// Each block goes the way of its distance, bit by bit; 11 processes by hand: distances with bit 0
// set are 1 3 5 7 9, with bit 1 set 2 3 6 7 10, with bit 2 set 4 5 6 7, with bit 3 set 8 9 10.
TEST(Collective, BruckCarriesWhatHasTheBitOfTheRound) {
  const std::vector<std::uint64_t> blocks = {5, 5, 4, 3};
  for (std::uint32_t round = 0; round < blocks.size(); ++round) {
    Block block;
    ASSERT_TRUE(collective_round(Collective::all_to_all, {0, 1, 11, 9}, 4, round, block));
    const Step& out = block.entries()[1].step;
    EXPECT_EQ(out.kind, StepKind::send);
    EXPECT_EQ(out.peer.value, (9 + (1u << round)) % 11);
    EXPECT_EQ(out.bytes, 4 * blocks[round]) << round;
  }
  Block block;
  EXPECT_FALSE(collective_round(Collective::all_to_all, {0, 1, 11, 9}, 4, 4, block));
}

// A column of a grid: members are named by their processes.
TEST(Collective, AGroupHasItsOwnNumbers) {
  Block block;
  ASSERT_TRUE(collective_round(Collective::all_to_all, {3, 8, 4, 1}, 1024, 0, block));
  EXPECT_EQ(block.entries()[1].step.peer.value, 3u);  // index 1 with index 0
}

}  // namespace
}  // namespace holdfast::sim
