// The grid of CG and its exchanges; see the header.
#include "sim/workload/conjugate_gradient.hpp"

#include <bit>

#include "sim/workload/problem.hpp"

namespace holdfast::sim {
namespace {

constexpr std::uint64_t kWord = 8;
constexpr std::uint32_t kSteps = 25;  // of conjugate gradients in an iteration

// Tags: of sums in a row, of the transposition.
constexpr std::uint32_t kRowTag = 0;
constexpr std::uint32_t kTransposeTag = 1;

}  // namespace

ConjugateGradient::ConjugateGradient(const Job& job, ProcessId self)
    : order_(matrix_size(job.problem_class).order),
      rows_(1u << static_cast<std::uint32_t>(std::countr_zero(job.processes)) / 2),
      columns_(job.processes / rows_),
      doublings_(static_cast<std::uint32_t>(std::countr_zero(columns_))),
      self_(self),
      row_(self.value / columns_),
      column_(self.value % columns_),
      all_(all_processes(job.processes, self)),
      work_(iteration_work(job) / (kSteps + 1)) {}

// The rows of the matrix that a row of processes has: the first ones take what is left over.
std::uint64_t ConjugateGradient::rows_of(std::uint32_t row) const {
  return order_ / rows_ + (row < order_ % rows_ ? 1 : 0);
}

ProcessId ConjugateGradient::row_partner(std::uint32_t distance) const {
  return {row_ * columns_ + (column_ ^ distance)};
}

void ConjugateGradient::matrix_times_vector(std::uint32_t round, Block& block) const {
  const std::uint64_t whole = rows_of(row_);
  // With twice as many columns as rows, two neighbours share the rows: the even one has the first
  // half and the odd one the second, and they hand each other what the other one is to have.
  const bool shared = columns_ != rows_;
  const bool even = column_ % 2 == 0;
  const std::uint64_t own = !shared ? whole : even ? (whole + 1) / 2 : whole / 2;
  if (round < doublings_) {
    const std::uint32_t distance = 1u << round;
    const std::uint64_t out = shared && distance == 1 ? whole - own : own;
    const ProcessId partner = row_partner(distance);
    block.exchange(partner, own * kWord, partner, out * kWord, kRowTag);
    return;
  }
  const std::uint32_t square = shared ? column_ / 2 : column_;
  const ProcessId transposed = shared ? ProcessId{2 * (square * rows_ + row_) + self_.value % 2}
                                      : ProcessId{square * rows_ + row_};
  const std::uint64_t its_rows = rows_of(square);
  const std::uint64_t in = !shared ? its_rows : even ? (its_rows + 1) / 2 : its_rows / 2;
  block.exchange(transposed, in * kWord, transposed, own * kWord, kTransposeTag);
}

// Scalars start with the farthest partner, pieces of vectors with the nearest.
void ConjugateGradient::row_sum(std::uint32_t round, std::uint64_t bytes, Block& block) const {
  const ProcessId partner = row_partner(columns_ >> (round + 1));
  block.exchange(partner, bytes, partner, bytes, kRowTag);
}

bool ConjugateGradient::fill(const Place& place, Block& block) const {
  switch (place.phase) {
    case Phase::setup:
      if (place.block > 0) return false;
      block.collective(Collective::broadcast, all_, 4);  // whether to keep times
      return true;
    case Phase::iteration:
      return iteration(place.block, block);
    case Phase::start:
      if (place.block > 0) return false;
      block.collective(Collective::barrier, all_, 0);
      return true;
    case Phase::finish:
      if (place.block > 0) return false;
      block.collective(Collective::reduce, all_, kWord);  // the longest time
      return true;
  }
  return false;
}

// Blocks in order: the first residual's norm; each step's multiplication and its two scalar
// products; the multiplication and the norm of the residual at the end; two norms in one message.
bool ConjugateGradient::iteration(std::uint32_t number, Block& block) const {
  const std::uint32_t sums = doublings_;
  if (number < sums) {
    row_sum(number, kWord, block);
    return true;
  }
  number -= sums;
  // A multiplication is one block that computes, and on more than one process the exchanges.
  const std::uint32_t multiplication = doublings_ == 0 ? 1 : 1 + doublings_ + 1;
  const std::uint32_t step = multiplication + 2 * sums;
  std::uint32_t within = number % step;
  if (number >= kSteps * step) {
    within = number - kSteps * step;
    if (within >= multiplication + sums) {
      const std::uint32_t last = within - multiplication - sums;
      if (last >= sums) return false;
      row_sum(last, 2 * kWord, block);
      return true;
    }
  }
  if (within == 0) {
    block.compute(work_);
  } else if (within < multiplication) {
    matrix_times_vector(within - 1, block);
  } else {
    row_sum((within - multiplication) % sums, kWord, block);
  }
  return true;
}

}  // namespace holdfast::sim
