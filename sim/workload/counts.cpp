// Counting by going through the steps; see the header.
#include "sim/workload/counts.hpp"

#include <algorithm>

#include "sim/workload/problem.hpp"
#include "sim/workload/skeleton.hpp"

namespace holdfast::sim {
namespace {

std::size_t size_of(std::uint64_t bytes) {
  constexpr std::array<std::uint64_t, Counts::kSizes - 1> kMost = {2u << 10, 16u << 10, 1u << 20};
  const auto size = std::lower_bound(kMost.begin(), kMost.end(), bytes);
  return static_cast<std::size_t>(size - kMost.begin());
}

void count(const Step& step, ProcessId self, Counts& counts) {
  const bool sends = step.kind == StepKind::send || step.kind == StepKind::post_send;
  const bool receives = step.kind == StepKind::receive || step.kind == StepKind::post_receive;
  const bool enters = step.kind == StepKind::enter && step.collective != Collective::barrier;
  const bool of_program = step.collective == Collective::none;
  if (enters) ++counts.collectives;
  if (enters || (of_program && (sends || receives))) ++counts.calls[size_of(step.bytes)];
  if (!sends) return;
  if (step.peer == self) {
    ++counts.to_itself;
    return;
  }
  ++counts.messages;
  counts.bytes += step.bytes;
  if (!of_program) return;
  ++counts.sends;
  counts.sent_bytes += step.bytes;
}

Counts count_steps(Job job, std::uint32_t iterations, ProcessId self) {
  job.iterations = iterations;
  Counts counts;
  Skeleton skeleton(job, self);
  for (Step step; skeleton.next(step);) count(step, self, counts);
  return counts;
}

void include(std::uint64_t value, bool first, Spread& spread) {
  spread.least = first ? value : std::min(spread.least, value);
  spread.most = std::max(spread.most, value);
  spread.sum += value;
}

}  // namespace

Counts count_process(const Job& job, ProcessId self) {
  const std::uint32_t iterations =
      job.iterations != 0 ? job.iterations : class_iterations(job.benchmark, job.problem_class);
  Counts counts = count_steps(job, 1, self);
  const Counts two = count_steps(job, 2, self);
  const auto extend = [&](std::uint64_t& of_one, std::uint64_t of_two) {
    of_one += (of_two - of_one) * (iterations - 1);
  };
  extend(counts.messages, two.messages);
  extend(counts.bytes, two.bytes);
  extend(counts.to_itself, two.to_itself);
  extend(counts.sends, two.sends);
  extend(counts.sent_bytes, two.sent_bytes);
  extend(counts.collectives, two.collectives);
  for (std::size_t size = 0; size < Counts::kSizes; ++size)
    extend(counts.calls[size], two.calls[size]);
  return counts;
}

JobCounts count_job(const Job& job) {
  JobCounts sum;
  for (std::uint32_t rank = 0; rank < job.processes; ++rank) {
    const Counts counts = count_process(job, {rank});
    include(counts.messages, rank == 0, sum.messages);
    include(counts.bytes, rank == 0, sum.bytes);
    include(counts.sends, rank == 0, sum.sends);
    include(counts.sent_bytes, rank == 0, sum.sent_bytes);
    sum.to_itself += counts.to_itself;
    sum.collectives += counts.collectives;
  }
  return sum;
}

}  // namespace holdfast::sim
