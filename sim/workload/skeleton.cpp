// From places to blocks to steps; see the header.
#include "sim/workload/skeleton.hpp"

#include "sim/workload/collective.hpp"
#include "sim/workload/problem.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::sim {
namespace {

// With the number of iterations that will be done.
Job completed(Job job) {
  HOLDFAST_ASSERT(check(job).is_ok());
  if (job.iterations == 0) job.iterations = class_iterations(job.benchmark, job.problem_class);
  return job;
}

}  // namespace

Skeleton::Skeleton(const Job& job, ProcessId self)
    : iterations_(completed(job).iterations), pattern_(make_pattern(completed(job), self)) {
  HOLDFAST_ASSERT(self.value < job.processes);
}

Skeleton::Pattern Skeleton::make_pattern(const Job& job, ProcessId self) {
  switch (job.benchmark) {
    case Benchmark::bt:
    case Benchmark::sp:
      return Multipartition(job, self);
    case Benchmark::lu:
      return Wavefront(job, self);
    case Benchmark::cg:
      return ConjugateGradient(job, self);
    case Benchmark::mg:
      return Multigrid(job, self);
    case Benchmark::ft:
      return Transpose(job, self);
    case Benchmark::is:
      break;
  }
  return BucketSort(job, self);
}

bool Skeleton::next(Step& step) {
  while (true) {
    if (expanding_ && next_message(step)) return true;
    if (at_ < block_.entries().size()) {
      const Block::Entry& entry = block_.entries()[at_++];
      expanding_ = entry.expand;
      round_ = 0;
      step = entry.step;
      return true;
    }
    if (!fill_block()) return false;
  }
}

// The next message of the operation that is being expanded; false: it has no more.
bool Skeleton::next_message(Step& step) {
  const Block::Entry& entry = block_.entries()[at_ - 1];
  while (message_at_ == messages_.entries().size()) {
    messages_.clear();
    message_at_ = 0;
    if (!collective_round(entry.step.collective, entry.group, entry.bytes, round_, messages_)) {
      expanding_ = false;
      return false;
    }
    ++round_;
  }
  step = messages_.entries()[message_at_++].step;
  return true;
}

// The next block of the program; it may be empty.
bool Skeleton::fill_block() {
  if (begun_) ++place_.block;
  begun_ = true;
  at_ = 0;
  while (true) {
    block_.clear();
    const bool filled =
        std::visit([this](const auto& pattern) { return pattern.fill(place_, block_); }, pattern_);
    if (filled) return true;
    if (!advance()) return false;
  }
}

bool Skeleton::advance() {
  switch (place_.phase) {
    case Phase::setup:
      place_ = {Phase::iteration, 0, 0};
      return true;
    case Phase::start:
      place_ = {Phase::iteration, 1, 0};
      return true;
    case Phase::iteration:
      if (place_.iteration == 0) {
        place_ = {Phase::start, 0, 0};
      } else if (place_.iteration < iterations_) {
        place_ = {Phase::iteration, place_.iteration + 1, 0};
      } else {
        place_ = {Phase::finish, 0, 0};
      }
      return true;
    case Phase::finish:
      break;
  }
  return false;
}

}  // namespace holdfast::sim
