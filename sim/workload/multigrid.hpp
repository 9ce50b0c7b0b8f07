// MG: V-cycles of a multigrid solver on a cube, cut into boxes for a grid of processes whose three
// sides are powers of two. The cube is periodic, so every process has six neighbours; where a side
// of the grid is one process it is its own neighbour and sends to itself.
//
// After each operation on a level the outermost planes of a box go to the neighbours, direction
// after direction: what came along x goes on along y, with the edges. On coarse levels there are
// fewer points than processes: those without points take no part (and on the way up are given
// planes by those that have some, in both directions).
#pragma once

#include <array>
#include <cstdint>

#include "sim/workload/block.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/place.hpp"

namespace holdfast::sim {

// The most processes on which each has two points in each direction.
std::uint32_t multigrid_processes_max(ProblemClass problem_class);

class Multigrid {
 public:
  Multigrid(const Job& job, ProcessId self);

  bool fill(const Place& place, Block& block) const;

 private:
  static constexpr std::uint32_t kLevelsMax = 10;  // class D: 1,024 points

  // A level of the cube from one process's side; the finest has 2^level points in each direction.
  struct Level {
    std::array<std::uint32_t, 3> points;    // of our box with one plane of others' on each side
    std::array<std::uint32_t, 3> distance;  // to the next process that has points
    // On the way up to this level: whether our neighbours or we had points on the one below.
    std::array<bool, 3> takes;
    std::array<bool, 3> gives;
    bool idle = false;  // we have no points here
  };

  void set_up_levels();
  ProcessId neighbour(const Level& level, unsigned axis, bool ahead) const;
  // The blocks of one operation of the cycle on a level: computing, then an exchange an axis.
  static constexpr std::uint32_t kExchangeBlocks = 4;
  void exchange(std::uint32_t level, std::uint32_t number, bool computes, Block& block) const;
  void expand(std::uint32_t level, unsigned axis, Block& block) const;
  std::uint64_t plane_bytes(const Level& level, unsigned axis, bool with_edges) const;

  bool setup(std::uint32_t number, Block& block) const;
  bool iteration(std::uint32_t number, Block& block) const;
  bool start(std::uint32_t number, Block& block) const;
  bool finish(std::uint32_t number, Block& block) const;
  // Ten largest and ten smallest random numbers are found, each in four messages to all; then the
  // planes are exchanged.
  static constexpr std::uint32_t kRandomPoints = 10;
  static constexpr std::uint32_t kRandomBlocks = kRandomPoints + kExchangeBlocks;
  bool random_points(std::uint32_t number, Block& block) const;
  void norms(Block& block) const;

  std::uint32_t finest_;
  std::array<std::uint32_t, 3> grid_;  // processes along each axis
  std::array<std::uint32_t, 3> at_;    // where we are
  std::array<Level, kLevelsMax + 1> levels_{};
  Group all_;
  Duration
      work_;  // of one operation on the finest level; an eighth of it one level below, and so on
};

}  // namespace holdfast::sim
