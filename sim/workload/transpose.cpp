// The grid of FT and its transpositions; see the header.
#include "sim/workload/transpose.hpp"

#include "sim/workload/problem.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint64_t kComplexBytes = 16;

}  // namespace

Transpose::Transpose(const Job& job, ProcessId self)
    : all_(all_processes(job.processes, self)), work_(iteration_work(job)) {
  const BoxSize box = box_size(job.problem_class);
  const std::uint32_t rows = job.processes <= box.z ? 1 : box.z;
  const std::uint32_t columns = job.processes / rows;
  const std::uint32_t row = self.value / columns, column = self.value % columns;
  row_ = {row * columns, 1, columns, column};
  column_ = {column, columns, rows, row};
  const std::uint64_t bytes = std::uint64_t{box.x} * box.y * box.z / job.processes * kComplexBytes;
  row_bytes_ = bytes / columns;
  column_bytes_ = bytes / rows;
}

void Transpose::transform(bool backward, Block& block) const {
  block.compute(work_);
  const auto along = [&](const Group& group, std::uint64_t bytes) {
    if (group.size > 1) block.collective(Collective::all_to_all, group, bytes);
  };
  // Forward x and y change places first, then x and z; backward the other way round.
  if (!backward) along(column_, column_bytes_);
  along(row_, row_bytes_);
  if (backward) along(column_, column_bytes_);
}

// The iteration that is not timed is the transform forward only, and so is the start.
bool Transpose::fill(const Place& place, Block& block) const {
  if (place.block > 0) return false;
  switch (place.phase) {
    case Phase::setup:
      // Two sides of the grid of processes, the layout, the iterations, and whether to keep times.
      for (int i = 0; i < 5; ++i) block.collective(Collective::broadcast, all_, 4);
      return true;
    case Phase::iteration:
      transform(place.iteration > 0, block);
      if (place.iteration > 0) block.collective(Collective::reduce, all_, kComplexBytes);
      return true;
    case Phase::start:
      block.collective(Collective::barrier, all_, 0);
      transform(false, block);
      return true;
    case Phase::finish:
      return false;
  }
  return false;
}

}  // namespace holdfast::sim
