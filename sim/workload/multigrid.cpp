// The grid of MG, its levels, and the V-cycle; see the header.
#include "sim/workload/multigrid.hpp"

#include <algorithm>
#include <bit>

#include "sim/workload/problem.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint64_t kWord = 8;

std::uint32_t levels_of(ProblemClass problem_class) {
  return static_cast<std::uint32_t>(std::countr_zero(cube_points(Benchmark::mg, problem_class)));
}

// Planes that close a box are those of an exchange; the others prepare a process that had none.
constexpr std::uint32_t exchange_tag(unsigned axis, bool ahead) {
  return 2 * axis + (ahead ? 1 : 0);
}
constexpr std::uint32_t expand_tag(unsigned axis, bool ahead) {
  return 6 + 2 * axis + (ahead ? 1 : 0);
}

}  // namespace

std::uint32_t multigrid_processes_max(ProblemClass problem_class) {
  const std::uint32_t side = levels_of(problem_class) - 1;
  return std::min(kJobProcessesMax, 1u << std::min(31u, 3 * side));
}

Multigrid::Multigrid(const Job& job, ProcessId self)
    : finest_(levels_of(job.problem_class)), all_(all_processes(job.processes, self)) {
  const auto bits = static_cast<std::uint32_t>(std::countr_zero(job.processes));
  const std::uint32_t x = bits / 3, y = (bits - x) / 2;
  grid_ = {1u << x, 1u << y, 1u << (bits - x - y)};
  at_ = {self.value % grid_[0], self.value / grid_[0] % grid_[1],
         self.value / (grid_[0] * grid_[1])};
  set_up_levels();
  // Three operations on each level, each level with an eighth of the points of the one above:
  // 3 + 3/8 + 3/64 + … = 24/7 of those on the finest.
  work_ = iteration_work(job) * 7 / 24;
}

// From the finest down. `distance` doubles on the level on which we or the next one that has points
// run out of them.
void Multigrid::set_up_levels() {
  std::array<std::uint32_t, 3> distance = {1, 1, 1};
  for (std::uint32_t number = finest_; number >= 1; --number) {
    Level& level = levels_[number];
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::uint32_t points = 1u << number;
      const auto share = [&](std::uint32_t at) {
        return (at + 1) * points / grid_[axis] - at * points / grid_[axis];
      };
      const std::uint32_t ours = share(at_[axis]), theirs = share(at_[axis] + distance[axis]);
      if (ours == 0 || theirs == 0) distance[axis] *= 2;
      if (number < finest_) {
        levels_[number + 1].gives[axis] = ours == 1 && theirs == 0;
        levels_[number + 1].takes[axis] = ours == 0 && theirs == 1;
      }
      level.points[axis] = ours + 2;
      level.distance[axis] = distance[axis];
      level.idle = level.idle || ours == 0;
    }
  }
}

ProcessId Multigrid::neighbour(const Level& level, unsigned axis, bool ahead) const {
  std::array<std::uint32_t, 3> at = at_;
  const std::uint32_t side = grid_[axis];
  const std::uint32_t distance = level.distance[axis] % side;
  at[axis] = (at[axis] + (ahead ? distance : side - distance)) % side;
  return {at[0] + grid_[0] * (at[1] + grid_[1] * at[2])};
}

// What an axis before this one has brought goes along; an expansion takes all the edges.
std::uint64_t Multigrid::plane_bytes(const Level& level, unsigned axis, bool with_edges) const {
  std::uint64_t points = 1;
  for (unsigned other = 0; other < 3; ++other) {
    if (other == axis) continue;
    const bool edges = with_edges || other < axis;
    points *= level.points[other] - (edges ? 0 : 2);
  }
  return points * kWord;
}

void Multigrid::exchange(std::uint32_t number, std::uint32_t part, bool computes,
                         Block& block) const {
  const Level& level = levels_[number];
  if (part == 0) {
    // Whoever has no points computes nothing.
    if (computes && !level.idle) block.compute({work_.ns >> (3 * (finest_ - number))});
    return;
  }
  if (level.idle || all_.size == 1) return;
  const unsigned axis = part - 1;
  const std::uint64_t bytes = plane_bytes(level, axis, false);
  const ProcessId ahead = neighbour(level, axis, true), behind = neighbour(level, axis, false);
  block.post_receive(ahead, exchange_tag(axis, false), bytes);
  block.post_receive(behind, exchange_tag(axis, true), bytes);
  block.send(ahead, exchange_tag(axis, true), bytes);
  block.send(behind, exchange_tag(axis, false), bytes);
  block.wait_all();
}

// Two planes go ahead and one goes behind.
void Multigrid::expand(std::uint32_t number, unsigned axis, Block& block) const {
  const Level& level = levels_[number];
  if (all_.size == 1) return;
  const std::uint64_t bytes = plane_bytes(level, axis, true);
  const ProcessId ahead = neighbour(level, axis, true), behind = neighbour(level, axis, false);
  if (level.takes[axis]) {
    block.post_receive(ahead, expand_tag(axis, false), bytes);
    block.post_receive(behind, expand_tag(axis, true), 2 * bytes);
    block.wait_all();
  }
  if (level.gives[axis]) {
    block.send(ahead, expand_tag(axis, true), 2 * bytes);
    block.send(behind, expand_tag(axis, false), bytes);
  }
}

bool Multigrid::fill(const Place& place, Block& block) const {
  switch (place.phase) {
    case Phase::setup:
      return setup(place.block, block);
    case Phase::iteration:
      return iteration(place.block, block);
    case Phase::start:
      return start(place.block, block);
    case Phase::finish:
      return finish(place.block, block);
  }
  return false;
}

// Largest, and its place; smallest, and its place.
bool Multigrid::random_points(std::uint32_t number, Block& block) const {
  if (number < kRandomPoints) {
    for (int extreme = 0; extreme < 2; ++extreme) {
      block.collective(Collective::all_reduce, all_, kWord);
      block.collective(Collective::all_reduce, all_, 2 * kWord);
    }
    return true;
  }
  if (number >= kRandomBlocks) return false;
  exchange(finest_, number - kRandomPoints, false, block);
  return true;
}

void Multigrid::norms(Block& block) const {
  block.collective(Collective::all_reduce, all_, kWord);
  block.collective(Collective::all_reduce, all_, kWord);
}

// The number of levels, of iterations, three sides, eight flags for debugging, and whether to keep
// times; then the problem, its norms, the residual and its norms.
bool Multigrid::setup(std::uint32_t number, Block& block) const {
  if (number == 0) {
    for (int i = 0; i < 5; ++i) block.collective(Collective::broadcast, all_, 4);
    block.collective(Collective::broadcast, all_, 32);
    block.collective(Collective::broadcast, all_, 4);
    return true;
  }
  if (random_points(number - 1, block)) return true;
  const std::uint32_t rest = number - 1 - kRandomBlocks;
  if (rest == 0 || rest == 1 + kExchangeBlocks) {
    norms(block);
    return true;
  }
  if (rest > kExchangeBlocks) return false;
  exchange(finest_, rest - 1, true, block);
  return true;
}

bool Multigrid::start(std::uint32_t number, Block& block) const {
  if (random_points(number, block)) return true;
  const std::uint32_t rest = number - kRandomBlocks;
  if (rest == 0) {
    block.collective(Collective::barrier, all_, 0);
    return true;
  }
  if (rest <= kExchangeBlocks) {
    exchange(finest_, rest - 1, true, block);
    return true;
  }
  if (rest > kExchangeBlocks + 1) return false;
  norms(block);
  return true;
}

// Down: the residual is restricted to each coarser level. On the coarsest it is smoothed. Up: the
// correction is interpolated, the residual computed and smoothed. At the end the residual once
// more.
bool Multigrid::iteration(std::uint32_t number, Block& block) const {
  const std::uint32_t down = finest_ - 1;
  if (number < (down + 1) * kExchangeBlocks) {
    const std::uint32_t operation = number / kExchangeBlocks;
    const std::uint32_t level = operation < down ? finest_ - 1 - operation : 1;
    exchange(level, number % kExchangeBlocks, true, block);
    return true;
  }
  number -= (down + 1) * kExchangeBlocks;
  constexpr std::uint32_t kAxes = 3;
  constexpr std::uint32_t kLevelBlocks = kAxes + 2 * kExchangeBlocks;
  const std::uint32_t level = 2 + number / kLevelBlocks;
  if (level > finest_) {
    const std::uint32_t last = number - (finest_ - 1) * kLevelBlocks;
    if (last >= kExchangeBlocks) return false;
    exchange(finest_, last, true, block);
    return true;
  }
  const std::uint32_t within = number % kLevelBlocks;
  if (within < kAxes) {
    expand(level, within, block);
  } else {
    exchange(level, (within - kAxes) % kExchangeBlocks, true, block);
  }
  return true;
}

// The norms of the last residual, and the longest time.
bool Multigrid::finish(std::uint32_t number, Block& block) const {
  if (number > 0) return false;
  norms(block);
  block.collective(Collective::reduce, all_, kWord);
  return true;
}

}  // namespace holdfast::sim
