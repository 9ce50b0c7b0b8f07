// LU: symmetric successive over-relaxation on a cube that is cut into columns for a grid of n × m
// processes with m <= n <= 2m. In an iteration a wave runs through the grid from the north-western
// corner and one back, plane after plane: a process takes an edge from two neighbours, computes its
// part of the plane, and hands an edge to the two others. So messages are small and many. Between
// the sweeps of two iterations the two outermost layers go to the neighbours (NPB's exchange_1 and
// exchange_3).
//
// North and south are neighbours along x, whose processes are numbered one after the other; west
// and east along y.
#pragma once

#include <cstdint>

#include "sim/workload/block.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/place.hpp"

namespace holdfast::sim {

struct WavefrontGrid {
  std::uint32_t x, y;
};
// The most square grid: y is the greatest divisor up to the root.
WavefrontGrid wavefront_grid(std::uint32_t processes);

class Wavefront {
 public:
  Wavefront(const Job& job, ProcessId self);

  bool fill(const Place& place, Block& block) const;

 private:
  bool setup(std::uint32_t number, Block& block) const;
  bool iteration(std::uint32_t number, bool last, Block& block) const;
  bool start(std::uint32_t number, Block& block) const;
  bool finish(std::uint32_t number, Block& block) const;
  void lower_plane(Block& block) const;
  void upper_plane(Block& block) const;
  // Two layers each way, along x (part 0) or y (part 1).
  void layers(std::uint32_t part, Block& block) const;
  void norm(Block& block) const;
  void integrate_front(Block& block) const;
  void integrate_sides(bool along_x, Block& block) const;

  std::uint32_t iterations_;
  std::uint32_t points_;
  WavefrontGrid grid_;
  std::uint32_t nx_, ny_;  // our points
  bool has_north_, has_south_, has_west_, has_east_;
  ProcessId north_, south_, west_, east_;
  std::uint64_t edge_x_, edge_y_;  // bytes of an edge of a plane along x and y
  Group all_;
  Duration work_;  // of a plane in a sweep
};

}  // namespace holdfast::sim
