// What one process of a NAS Parallel Benchmark says to the others: its steps, one after the other,
// and none of its numbers.
//
//   Skeleton skeleton({Benchmark::cg, ProblemClass::b, 16}, ProcessId{3});
//   for (Step step; skeleton.next(step);) { do it }
//
// A skeleton is a value: it may be copied, and the copy goes on from there. Its memory is the same
// for every number of processes and of iterations (of MG: some words for each level), because each
// block of steps is computed from its place in the program. All processes of a job have the same
// program, and each message that one sends is one that its receiver asks for.
//
// The programs follow the descriptions of NPB 3.3.1 (see problem.hpp) and its decomposition for
// message passing; collective operations are expanded into messages (collective.hpp). Of NPB's
// barriers only the one before the timed part is there.
#pragma once

#include <cstddef>
#include <variant>

#include "sim/workload/block.hpp"
#include "sim/workload/bucket_sort.hpp"
#include "sim/workload/conjugate_gradient.hpp"
#include "sim/workload/job.hpp"
#include "sim/workload/multigrid.hpp"
#include "sim/workload/multipartition.hpp"
#include "sim/workload/place.hpp"
#include "sim/workload/transpose.hpp"
#include "sim/workload/wavefront.hpp"

namespace holdfast::sim {

class Skeleton {
 public:
  // check(job) is ok, and the process is one of the job.
  Skeleton(const Job& job, ProcessId self);

  // The next step; false at the end of the run, and the step is left as it is.
  bool next(Step& step);

  // Where the step that next() gave last belongs. The timed part of the run is everything in
  // Phase::start behind its barrier, and the iterations from 1 on.
  const Place& place() const { return place_; }
  // How many iterations are timed; one that is not comes before.
  std::uint32_t iterations() const { return iterations_; }

 private:
  using Pattern =
      std::variant<Multipartition, Wavefront, ConjugateGradient, Multigrid, Transpose, BucketSort>;

  static Pattern make_pattern(const Job& job, ProcessId self);
  bool next_message(Step& step);
  bool fill_block();
  // To the phase or iteration behind; false: there is none.
  bool advance();

  std::uint32_t iterations_;
  Pattern pattern_;
  Place place_;
  bool begun_ = false;
  Block block_;
  std::size_t at_ = 0;  // of block_
  // The collective operation of the entry before at_ is expanded, round by round.
  bool expanding_ = false;
  std::uint32_t round_ = 0;
  Block messages_;
  std::size_t message_at_ = 0;
};

}  // namespace holdfast::sim
