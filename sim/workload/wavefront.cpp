// The grid of LU, its sweeps and its exchanges of layers; see the header.
#include "sim/workload/wavefront.hpp"

#include "sim/workload/problem.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kVariables = 5;  // at each point

// A message's tag says from which side it comes.
constexpr std::uint32_t kFromNorth = 0, kFromSouth = 1, kFromWest = 2, kFromEast = 3;

// Bytes of an edge: the points at the boundary of the cube do not change.
std::uint64_t edge(std::uint32_t points, bool neighbour_before, bool neighbour_behind) {
  const std::uint32_t fixed = (neighbour_before ? 0u : 1u) + (neighbour_behind ? 0u : 1u);
  return kVariables * (points - fixed) * kWord;
}

}  // namespace

WavefrontGrid wavefront_grid(std::uint32_t processes) {
  std::uint32_t y = 1;
  for (std::uint32_t divisor = 1; std::uint64_t{divisor} * divisor <= processes; ++divisor) {
    if (processes % divisor == 0) y = divisor;
  }
  return {processes / y, y};
}

Wavefront::Wavefront(const Job& job, ProcessId self)
    : iterations_(job.iterations),
      points_(cube_points(job.benchmark, job.problem_class)),
      grid_(wavefront_grid(job.processes)),
      all_(all_processes(job.processes, self)) {
  const std::uint32_t row = self.value % grid_.x, column = self.value / grid_.x;
  nx_ = points_ / grid_.x + (row < points_ % grid_.x ? 1 : 0);
  ny_ = points_ / grid_.y + (column < points_ % grid_.y ? 1 : 0);
  has_north_ = row > 0;
  has_south_ = row + 1 < grid_.x;
  has_west_ = column > 0;
  has_east_ = column + 1 < grid_.y;
  north_ = {self.value - 1};
  south_ = {self.value + 1};
  west_ = {self.value - grid_.x};
  east_ = {self.value + grid_.x};
  edge_x_ = edge(nx_, has_north_, has_south_);
  edge_y_ = edge(ny_, has_west_, has_east_);
  // Half of the work is in the sweeps, half in the right-hand side.
  work_ = iteration_work(job) / (4 * std::int64_t{points_ - 2});
}

void Wavefront::lower_plane(Block& block) const {
  if (has_north_) block.receive(north_, kFromNorth, edge_y_);
  if (has_west_) block.receive(west_, kFromWest, edge_x_);
  block.compute(work_);
  if (has_south_) block.send(south_, kFromNorth, edge_y_);
  if (has_east_) block.send(east_, kFromWest, edge_x_);
}

void Wavefront::upper_plane(Block& block) const {
  if (has_south_) block.receive(south_, kFromSouth, edge_y_);
  if (has_east_) block.receive(east_, kFromEast, edge_x_);
  block.compute(work_);
  if (has_north_) block.send(north_, kFromSouth, edge_y_);
  if (has_west_) block.send(west_, kFromEast, edge_x_);
}

void Wavefront::layers(std::uint32_t part, Block& block) const {
  constexpr std::uint64_t kLayers = 2;
  const bool along_x = part == 0;
  const std::uint64_t bytes =
      kLayers * kVariables * (along_x ? ny_ : nx_) * std::uint64_t{points_} * kWord;
  const bool has_before = along_x ? has_north_ : has_west_;
  const bool has_behind = along_x ? has_south_ : has_east_;
  const ProcessId before = along_x ? north_ : west_, behind = along_x ? south_ : east_;
  const std::uint32_t from_before = along_x ? kFromNorth : kFromWest;
  const std::uint32_t from_behind = along_x ? kFromSouth : kFromEast;
  if (has_before) block.post_receive(before, from_before, bytes);
  if (has_behind) block.send(behind, from_before, bytes);
  if (has_before) block.wait_all();
  if (has_behind) block.post_receive(behind, from_behind, bytes);
  if (has_before) block.send(before, from_behind, bytes);
  if (has_behind) block.wait_all();
  block.compute(work_ * std::int64_t{points_ - 2});
}

void Wavefront::norm(Block& block) const {
  block.collective(Collective::all_reduce, all_, kVariables * kWord);
}

bool Wavefront::fill(const Place& place, Block& block) const {
  switch (place.phase) {
    case Phase::setup:
      return setup(place.block, block);
    case Phase::iteration:
      return iteration(place.block, place.iteration == iterations_, block);
    case Phase::start:
      return start(place.block, block);
    case Phase::finish:
      return finish(place.block, block);
  }
  return false;
}

// The parameters; the forcing term, and the first residual with its norm.
bool Wavefront::setup(std::uint32_t number, Block& block) const {
  if (number == 0) {
    for (const std::uint64_t bytes : {4u, 4u, 4u, 8u, 8u, 40u, 4u, 4u, 4u, 4u})
      block.collective(Collective::broadcast, all_, bytes);
    return true;
  }
  if (number > 4) return false;
  layers((number - 1) % 2, block);
  if (number == 4) norm(block);
  return true;
}

bool Wavefront::iteration(std::uint32_t number, bool last, Block& block) const {
  const std::uint32_t planes = points_ - 2;
  if (number < planes) {
    lower_plane(block);
  } else if (number < 2 * planes) {
    upper_plane(block);
  } else if (number < 2 * planes + 2) {
    const std::uint32_t part = number - 2 * planes;
    // Of the correction before, of the residual behind.
    if (last && part == 0) norm(block);
    layers(part, block);
    if (last && part == 1) norm(block);
  } else {
    return false;
  }
  return true;
}

// The time of what was not timed; the residual anew.
bool Wavefront::start(std::uint32_t number, Block& block) const {
  if (number > 1) return false;
  if (number == 0) block.collective(Collective::all_reduce, all_, kWord);
  layers(number, block);
  if (number == 1) {
    norm(block);
    block.collective(Collective::barrier, all_, 0);
  }
  return true;
}

// An edge of the bottom and of the top, along y and then along x, with its ends.
void Wavefront::integrate_front(Block& block) const {
  const std::uint64_t along_x = 2 * std::uint64_t{nx_} * kWord;
  const std::uint64_t along_y = 2 * (std::uint64_t{ny_} + 2) * kWord;
  if (has_east_) block.receive(east_, kFromEast, along_x);
  if (has_west_) block.send(west_, kFromEast, along_x);
  if (has_south_) block.receive(south_, kFromSouth, along_y);
  if (has_north_) block.send(north_, kFromSouth, along_y);
  block.collective(Collective::all_reduce, all_, kWord);
}

// A line in z, on each of the two sides of the cube that we lie at.
void Wavefront::integrate_sides(bool along_x, Block& block) const {
  const std::uint64_t bytes = std::uint64_t{points_} * kWord;
  const std::uint32_t sides = along_x ? (has_west_ ? 0u : 1u) + (has_east_ ? 0u : 1u)
                                      : (has_north_ ? 0u : 1u) + (has_south_ ? 0u : 1u);
  for (std::uint32_t side = 0; side < sides; ++side) {
    if (along_x && has_south_) block.receive(south_, kFromSouth, bytes);
    if (along_x && has_north_) block.send(north_, kFromSouth, bytes);
    if (!along_x && has_east_) block.receive(east_, kFromEast, bytes);
    if (!along_x && has_west_) block.send(west_, kFromEast, bytes);
  }
  block.collective(Collective::all_reduce, all_, kWord);
}

// The longest time, the error of the solution, and three surface integrals.
bool Wavefront::finish(std::uint32_t number, Block& block) const {
  if (number == 0) {
    block.collective(Collective::all_reduce, all_, kWord);
    norm(block);
    integrate_front(block);
  } else if (number < 3) {
    integrate_sides(number == 1, block);
  } else {
    return false;
  }
  return true;
}

}  // namespace holdfast::sim
