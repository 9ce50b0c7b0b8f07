// Cells, neighbours and sizes of messages of the multipartition; see the header.
#include "sim/workload/multipartition.hpp"

#include "sim/workload/problem.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint64_t kWord = 8;       // bytes of a number
constexpr std::uint64_t kVariables = 5;  // at each point
constexpr std::uint64_t kFaceLayers = 2;

// Tags: faces by direction and side, then the sweeps by direction and sense.
constexpr std::uint32_t face_tag(unsigned direction, bool ahead) {
  return 2 * direction + (ahead ? 1 : 0);
}
constexpr std::uint32_t sweep_tag(unsigned direction, bool forward) {
  return 6 + 2 * direction + (forward ? 1 : 0);
}

}  // namespace

Multipartition::Multipartition(const Job& job, ProcessId self)
    : block_solver_(job.benchmark == Benchmark::bt),
      points_(cube_points(job.benchmark, job.problem_class)),
      layers_(1),
      x_(0),
      y_(0),
      all_(all_processes(job.processes, self)) {
  while (layers_ * layers_ < job.processes) ++layers_;
  x_ = self.value % layers_;
  y_ = self.value / layers_;
  // The right-hand side once, and each cell once on the way there and once on the way back.
  work_ = iteration_work(job) / (1 + 6 * std::int64_t{layers_});
}

// One up in z is one ahead in x and one behind in y, counted round.
Multipartition::Coordinates Multipartition::cell(std::uint32_t number) const {
  return {(x_ + number) % layers_, (y_ + layers_ - number) % layers_, number};
}

std::uint32_t Multipartition::cell_in_layer(unsigned direction, std::uint32_t layer) const {
  if (direction == 0) return (layer + layers_ - x_) % layers_;
  if (direction == 1) return (y_ + layers_ - layer) % layers_;
  return layer;
}

std::uint32_t Multipartition::points(std::uint32_t layer) const {
  return points_ / layers_ + (layer < points_ % layers_ ? 1 : 0);
}

std::uint32_t Multipartition::inner_points(std::uint32_t layer) const {
  const std::uint32_t at_boundary = (layer == 0 ? 1u : 0u) + (layer + 1 == layers_ ? 1u : 0u);
  return points(layer) - at_boundary;
}

// All our cells have their neighbours in a direction at the same process.
ProcessId Multipartition::neighbour(unsigned direction, bool ahead) const {
  const std::uint32_t one = ahead ? 1 : layers_ - 1;
  const std::uint32_t back = layers_ - one;
  const auto process = [this](std::uint32_t x, std::uint32_t y) {
    return ProcessId{x % layers_ + layers_ * (y % layers_)};
  };
  if (direction == 0) return process(x_ + one, y_);
  if (direction == 1) return process(x_, y_ + one);
  return process(x_ + back, y_ + one);
}

// Cells at the boundary of the cube have no neighbour there.
std::uint64_t Multipartition::face_bytes(unsigned direction, bool ahead) const {
  std::uint64_t sum = 0;
  for (std::uint32_t number = 0; number < layers_; ++number) {
    const Coordinates at = cell(number);
    if (at[direction] == (ahead ? layers_ - 1 : 0)) continue;
    sum += std::uint64_t{points(at[(direction + 1) % 3])} * points(at[(direction + 2) % 3]);
  }
  return sum * kVariables * kFaceLayers * kWord;
}

// BT hands on a block and a vector for each line, in a buffer that fits the largest cell. SP hands
// on two rows of three systems, of which the first is that of three variables: of each system the
// two upper diagonals, and the right-hand sides; for the lines inside the cube only.
std::uint64_t Multipartition::forward_bytes(unsigned direction, std::uint32_t stage) const {
  if (block_solver_) {
    const std::uint64_t lines = points_ / layers_ + 1;
    return lines * lines * (kVariables * kVariables + kVariables) * kWord;
  }
  const Coordinates at = cell(cell_in_layer(direction, stage));
  const std::uint64_t lines =
      std::uint64_t{inner_points(at[(direction + 1) % 3])} * inner_points(at[(direction + 2) % 3]);
  constexpr std::uint64_t kRows = 2, kDiagonals = 2, kSystems = 3;
  return lines * kRows * (kSystems * kDiagonals + kVariables) * kWord;
}

std::uint64_t Multipartition::backward_bytes(unsigned direction, std::uint32_t stage) const {
  if (block_solver_) {
    const std::uint64_t lines = points_ / layers_ + 1;
    return lines * lines * kVariables * kWord;
  }
  const Coordinates at = cell(cell_in_layer(direction, stage));
  constexpr std::uint64_t kRows = 2;
  return std::uint64_t{inner_points(at[(direction + 1) % 3])} *
         inner_points(at[(direction + 2) % 3]) * kRows * kVariables * kWord;
}

bool Multipartition::fill(const Place& place, Block& block) const {
  switch (place.phase) {
    case Phase::setup:
      return setup(place.block, block);
    case Phase::iteration:
      return iteration(place.block, block);
    case Phase::start:
      if (place.block > 0) return false;
      block.collective(Collective::barrier, all_, 0);
      return true;
    case Phase::finish:
      return finish(place.block, block);
  }
  return false;
}

// Number of steps, length of a step, grid; BT also says when to write its results; and whether to
// keep times.
bool Multipartition::setup(std::uint32_t number, Block& block) const {
  if (number > 0) return false;
  const auto broadcast = [&](std::uint64_t bytes) {
    block.collective(Collective::broadcast, all_, bytes);
  };
  broadcast(4);
  broadcast(8);
  broadcast(12);
  if (block_solver_) {
    broadcast(4);
    broadcast(4);
  }
  broadcast(4);
  return true;
}

bool Multipartition::iteration(std::uint32_t number, Block& block) const {
  if (number == 0) {
    copy_faces(block);
    return true;
  }
  const std::uint32_t stages = 2 * layers_;  // there and back
  const std::uint32_t direction = (number - 1) / stages;
  if (direction >= 3) return false;
  solve(direction, (number - 1) % stages, block);
  return true;
}

void Multipartition::copy_faces(Block& block) const {
  if (layers_ > 1) {
    for (unsigned direction = 0; direction < 3; ++direction) {
      for (const bool ahead : {true, false}) {
        // What the neighbour ahead sends is what it has for the one behind it. As many of its cells
        // have a neighbour as of ours, and they are as large.
        block.post_receive(neighbour(direction, ahead), face_tag(direction, !ahead),
                           face_bytes(direction, ahead));
      }
    }
    for (unsigned direction = 0; direction < 3; ++direction) {
      for (const bool ahead : {true, false}) {
        block.post_send(neighbour(direction, ahead), face_tag(direction, ahead),
                        face_bytes(direction, ahead));
      }
    }
    block.wait_all();
  }
  block.compute(work_);
}

// Stage 0 … p-1 forward, then p-1 … 0 back. What was sent before is waited for together with what
// comes.
void Multipartition::solve(unsigned direction, std::uint32_t stage, Block& block) const {
  const ProcessId ahead = neighbour(direction, true), behind = neighbour(direction, false);
  const std::uint32_t last = layers_ - 1;
  if (stage <= last) {
    const std::uint32_t tag = sweep_tag(direction, true);
    if (stage > 0) {
      block.post_receive(behind, tag, forward_bytes(direction, stage));
      block.wait_all();
    }
    block.compute(work_);
    if (stage < last) block.post_send(ahead, tag, forward_bytes(direction, stage));
    return;
  }
  const std::uint32_t layer = 2 * layers_ - 1 - stage;
  const std::uint32_t tag = sweep_tag(direction, false);
  if (layer < last) {
    block.post_receive(ahead, tag, backward_bytes(direction, layer));
    block.wait_all();
  }
  block.compute(work_);
  if (layer > 0) block.post_send(behind, tag, backward_bytes(direction, layer));
}

// The error of the solution, the residual (which needs faces once more), and the longest time.
bool Multipartition::finish(std::uint32_t number, Block& block) const {
  if (number == 0) {
    block.collective(Collective::all_reduce, all_, kVariables * kWord);
  } else if (number == 1) {
    copy_faces(block);
  } else if (number == 2) {
    block.collective(Collective::all_reduce, all_, kVariables * kWord);
    block.collective(Collective::reduce, all_, kWord);
  } else {
    return false;
  }
  return true;
}

}  // namespace holdfast::sim
