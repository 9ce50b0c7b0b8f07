// BT and SP: implicit solvers on a cube that is cut into p^3 cells for p^2 processes. Each process
// has p cells, one in every layer of every direction, so that in a sweep along any direction all
// processes work all the time (Van der Wijngaart: Efficient implementation of a 3-dimensional ADI
// method on the iPSC/860, Supercomputing '93; the multipartition of Bruno and Cappello).
//
// An iteration: the two outermost layers of all cells go to the six neighbouring processes in one
// message each; then the lines are solved along x, y and z. Along a direction the cells go through
// p stages, and between two stages what the next cell needs goes to the neighbour ahead; on the way
// back the solution goes to the one behind.
#pragma once

#include <array>
#include <cstdint>

#include "sim/workload/block.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/place.hpp"

namespace holdfast::sim {

class Multipartition {
 public:
  Multipartition(const Job& job, ProcessId self);

  // Fills an empty block with the steps at a place; false: there is nothing there, nor at any later
  // block of that phase.
  bool fill(const Place& place, Block& block) const;

 private:
  using Coordinates = std::array<std::uint32_t, 3>;

  Coordinates cell(std::uint32_t number) const;
  // The number of our cell in a layer of a direction.
  std::uint32_t cell_in_layer(unsigned direction, std::uint32_t layer) const;
  std::uint32_t points(std::uint32_t layer) const;        // of a cell, along one direction
  std::uint32_t inner_points(std::uint32_t layer) const;  // without the boundary of the cube
  ProcessId neighbour(unsigned direction, bool ahead) const;
  std::uint64_t face_bytes(unsigned direction, bool ahead) const;
  std::uint64_t forward_bytes(unsigned direction, std::uint32_t stage) const;
  std::uint64_t backward_bytes(unsigned direction, std::uint32_t stage) const;

  bool setup(std::uint32_t number, Block& block) const;
  bool iteration(std::uint32_t number, Block& block) const;
  bool finish(std::uint32_t number, Block& block) const;
  void copy_faces(Block& block) const;
  void solve(unsigned direction, std::uint32_t stage, Block& block) const;

  bool block_solver_;  // BT; else SP
  std::uint32_t points_;
  std::uint32_t layers_;  // p
  std::uint32_t x_, y_;   // of our cell in layer 0 of z
  Group all_;
  Duration work_;  // of each of the steps that compute
};

}  // namespace holdfast::sim
