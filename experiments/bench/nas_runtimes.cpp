// The clusters, the papers' jobs and numbers, and what is made of one played iteration.
#include "experiments/bench/nas_runtimes.hpp"

#include <algorithm>
#include <array>

#include "sim/jobs/play.hpp"
#include "sim/workload/problem.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::bench {

namespace {

using sim::Benchmark;
using sim::Job;
using sim::ProblemClass;

constexpr std::uint32_t kFewProcesses = 64;  // what is played of more takes gigabytes

// So many iterations are played; the one before, which nobody times, opens windows and measures
// round trips.
std::uint32_t played_iterations(const Job& job) {
  return job.processes <= kFewProcesses ? 4 : 1;
}

NasFigure dr_6() {
  NasFigure figure{"dr-6", dr_sdr(), true, {}};
  for (const Benchmark benchmark : {Benchmark::bt, Benchmark::cg, Benchmark::mg, Benchmark::sp}) {
    figure.jobs.push_back({{benchmark, ProblemClass::c, 16, 0}, {}});
    figure.jobs.push_back({{benchmark, ProblemClass::c, 64, 0}, {}});
    figure.jobs.push_back({{benchmark, ProblemClass::d, 256, 0}, {}});
  }
  figure.jobs.push_back({{Benchmark::is, ProblemClass::c, 16, 0}, {}});
  figure.jobs.push_back({{Benchmark::is, ProblemClass::c, 64, 0}, {}});
  return figure;
}

// Columns: Open MPI ob1, Open MPI csum, MPICH2-nmad without checksum, with FNV1a.
NasFigure csum_table_1() {
  constexpr std::array kTable = {
      std::pair{Benchmark::is, std::array{0.35, 0.43, 0.37, 0.37}},
      std::pair{Benchmark::lu, std::array{17.89, 19.30, 18.54, 18.57}},
      std::pair{Benchmark::ft, std::array{4.89, 5.45, 5.06, 5.05}},
      std::pair{Benchmark::cg, std::array{5.60, 6.59, 5.72, 5.69}},
      std::pair{Benchmark::mg, std::array{0.71, 0.79, 0.71, 0.72}},
  };
  NasFigure figure{"csum-table-1", graphene(), false, {}};
  for (const auto& [benchmark, seconds] : kTable) {
    figure.jobs.push_back({{benchmark, ProblemClass::b, 16, 0},
                           {{NasContender::unprotected, seconds[0]},
                            {NasContender::unprotected_summed, seconds[1]},
                            {NasContender::reliable, seconds[2]},
                            {NasContender::reliable_checked, seconds[3]}}});
  }
  return figure;
}

bool is_unprotected(NasContender contender) {
  return contender == NasContender::unprotected || contender == NasContender::unprotected_summed;
}

// Without checksums.
NasContender unsummed(NasContender contender) {
  if (contender == NasContender::unprotected_summed) return NasContender::unprotected;
  return contender == NasContender::reliable_checked ? NasContender::reliable : contender;
}

sim::FrameWork work_of(const Cluster& cluster, NasContender contender) {
  switch (contender) {
    case NasContender::reliable_untimed:
      return {};
    case NasContender::reliable_uncopied:
      return {cluster.copied.each, 0};
    case NasContender::reliable_checked:
      return cluster.checked;
    case NasContender::unprotected:
    case NasContender::unprotected_summed:
    case NasContender::reliable:
      break;
  }
  return cluster.copied;
}

// In the order of their rows.
std::vector<NasContender> contenders_of(const NasFigure& figure, const NasJob& job) {
  std::vector<NasContender> contenders = {NasContender::unprotected};
  if (figure.cluster.sum_bytes_per_second > 0) {
    contenders.push_back(NasContender::unprotected_summed);
  }
  if (figure.takes_apart && job.job.processes <= kFewProcesses) {
    contenders.push_back(NasContender::reliable_untimed);
    contenders.push_back(NasContender::reliable_uncopied);
  }
  contenders.push_back(NasContender::reliable);
  contenders.push_back(NasContender::reliable_checked);
  return contenders;
}

sim::PlayOptions options_of(const Cluster& cluster, NasContender contender, double compute_scale) {
  sim::PlayOptions options;
  options.transport = is_unprotected(contender) ? sim::Transport::raw : sim::Transport::reliable;
  options.bits_per_second = cluster.bits_per_second;
  options.latency = cluster.latency;
  options.fragment_bytes = cluster.fragment_bytes;
  options.player.compute_scale = compute_scale;
  if (contender == NasContender::unprotected_summed) {
    options.player.sum_bytes_per_second = cluster.sum_bytes_per_second;
  }
  options.checksum = contender == NasContender::reliable_checked ? "crc32c" : "";
  options.work = work_of(cluster, contender);
  return options;
}

Job played_job(const Job& job) {
  Job played = job;
  played.iterations = played_iterations(job);
  return played;
}

double seconds_of(Duration duration) {
  return static_cast<double>(duration.ns) / 1e9;
}

const PublishedTime* published(const NasJob& job, NasContender contender) {
  const auto found =
      std::find_if(job.published.begin(), job.published.end(),
                   [&](const PublishedTime& time) { return time.contender == contender; });
  return found == job.published.end() ? nullptr : &*found;
}

// What is computed, of what the skeleton says, so that an unprotected run takes the published time.
// Where computing and messages overlap, what is left is less than the difference: so three steps.
double compute_scale_of(const NasFigure& figure, const NasJob& job) {
  const PublishedTime* const target = published(job, NasContender::unprotected);
  if (target == nullptr) return 1.0;
  const double of_iteration =
      target->seconds / sim::class_iterations(job.job.benchmark, job.job.problem_class);
  double scale = 0.0;
  for (int step = 0; step < 3; ++step) {
    const sim::Played played = sim::play(
        options_of(figure.cluster, NasContender::unprotected, scale), played_job(job.job));
    scale += (of_iteration - seconds_of(played.timed) / played_iterations(job.job)) /
             seconds_of(sim::iteration_work(job.job));
    scale = std::max(scale, 0.0);
  }
  return scale;
}

void compare(const NasJob& job, const std::vector<NasRow>& of_job, NasRow& row) {
  const auto seconds_by = [&](NasContender contender) {
    if (contender == row.contender) return row.seconds;
    const auto found = std::find_if(of_job.begin(), of_job.end(), [&](const NasRow& other) {
      return other.contender == contender;
    });
    HOLDFAST_ASSERT(found != of_job.end());
    return found->seconds;
  };
  const NasContender without = unsummed(row.contender);
  row.over_unprotected = row.seconds / seconds_by(NasContender::unprotected);
  if (without != row.contender) row.over_unsummed = row.seconds / seconds_by(without);
  const PublishedTime* const theirs = published(job, row.contender);
  if (theirs == nullptr) return;
  row.published_seconds = theirs->seconds;
  if (without != row.contender) {
    row.published_over_unsummed = theirs->seconds / published(job, without)->seconds;
  }
}

}  // namespace

std::string_view name_of(NasContender contender) {
  switch (contender) {
    case NasContender::unprotected:
      return "unprotected";
    case NasContender::unprotected_summed:
      return "unprotected, summed up";
    case NasContender::reliable_untimed:
      return "reliable, untimed";
    case NasContender::reliable_uncopied:
      return "reliable, uncopied";
    case NasContender::reliable:
      return "reliable";
    case NasContender::reliable_checked:
      break;
  }
  return "reliable, crc32c";
}

std::vector<std::string_view> nas_figures() {
  return {"dr-6", "csum-table-1"};
}

NasFigure nas_figure(std::string_view name) {
  return name == "dr-6" ? dr_6() : csum_table_1();
}

Status nas_runtimes(const NasFigure& figure,
                    const std::function<void(const std::string&)>& progress,
                    std::vector<NasRow>& rows) {
  for (const NasJob& job : figure.jobs) {
    const double scale = compute_scale_of(figure, job);
    std::vector<NasRow> of_job;
    for (const NasContender contender : contenders_of(figure, job)) {
      const std::string what = name_of(job.job) + ", " + std::string(name_of(contender));
      progress(what);
      const sim::Played played =
          sim::play(options_of(figure.cluster, contender, scale), played_job(job.job));
      if (!played.failure.empty()) return Status::error(what + ": " + played.failure);
      NasRow row;
      row.job = job.job;
      row.contender = contender;
      row.iterations = sim::class_iterations(job.job.benchmark, job.job.problem_class);
      const double whole = double{1} * row.iterations;
      row.seconds = seconds_of(played.timed) / played_iterations(job.job) * whole;
      row.compute_seconds = seconds_of(sim::iteration_work(job.job)) * scale * whole;
      row.messages = played.messages;
      row.bytes = played.bytes;
      row.resent = played.resent;
      compare(job, of_job, row);
      of_job.push_back(row);
    }
    rows.insert(rows.end(), of_job.begin(), of_job.end());
  }
  progress("");
  return Status::ok();
}

}  // namespace holdfast::bench
