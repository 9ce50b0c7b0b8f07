// holdfast info skeletons: what the processes of the NAS Parallel Benchmarks send, counted from the
// skeletons, and the counts that others have published.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "experiments/program/commands.hpp"
#include "experiments/program/info.hpp"
#include "sim/workload/counts.hpp"
#include "sim/workload/published_counts.hpp"

namespace holdfast::program {
namespace {

using sim::Benchmark;
using sim::Job;
using sim::ProblemClass;

// What the papers run. Shipman, Graham and Bosilca (2007), figure 6: class C on 16 and on 64, class
// D on 256; Denis, Trahay and Ishikawa (2012), table 1: class B on 16.
constexpr std::array kPapersJobs = {
    Job{Benchmark::bt, ProblemClass::c, 16},  Job{Benchmark::bt, ProblemClass::c, 64},
    Job{Benchmark::bt, ProblemClass::d, 256}, Job{Benchmark::cg, ProblemClass::c, 16},
    Job{Benchmark::cg, ProblemClass::c, 64},  Job{Benchmark::cg, ProblemClass::d, 256},
    Job{Benchmark::mg, ProblemClass::c, 16},  Job{Benchmark::mg, ProblemClass::c, 64},
    Job{Benchmark::mg, ProblemClass::d, 256}, Job{Benchmark::sp, ProblemClass::c, 16},
    Job{Benchmark::sp, ProblemClass::c, 64},  Job{Benchmark::sp, ProblemClass::d, 256},
    Job{Benchmark::is, ProblemClass::c, 16},  Job{Benchmark::is, ProblemClass::c, 64},
    Job{Benchmark::is, ProblemClass::b, 16},  Job{Benchmark::lu, ProblemClass::b, 16},
    Job{Benchmark::ft, ProblemClass::b, 16},  Job{Benchmark::cg, ProblemClass::b, 16},
    Job{Benchmark::mg, ProblemClass::b, 16},
};

double mean(std::uint64_t sum, const Job& job) {
  return static_cast<double>(sum) / job.processes;
}

// Messages and their bytes: the least, the mean and the most of a process.
void print_spreads(const Job& job, const sim::Spread& messages, const sim::Spread& bytes) {
  constexpr double kMega = 1e6;
  std::printf("%-9s %5c %9" PRIu32 " | %8" PRIu64 " %8.1f %8" PRIu64 " | %8.1f %8.1f %8.1f",
              std::string(name_of(job.benchmark)).c_str(), name_of(job.problem_class),
              job.processes, messages.least, mean(messages.sum, job), messages.most,
              static_cast<double>(bytes.least) / kMega, mean(bytes.sum, job) / kMega,
              static_cast<double>(bytes.most) / kMega);
}

void print_messages(std::span<const Job> jobs, std::span<const sim::JobCounts> counts) {
  std::printf("%-9s %5s %9s | %-26s | %-26s | %9s | %9s\n", "", "", "", "messages a process sends",
              "MB a process sends", "mean KiB", "to itself");
  std::printf("%-9s %5s %9s | %8s %8s %8s | %8s %8s %8s | %9s | %9s\n", "benchmark", "class",
              "processes", "least", "mean", "most", "least", "mean", "most", "a message", "mean");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const sim::JobCounts& of_job = counts[i];
    const double message = static_cast<double>(of_job.bytes.sum) /
                           static_cast<double>(std::max<std::uint64_t>(1, of_job.messages.sum));
    print_spreads(jobs[i], of_job.messages, of_job.bytes);
    std::printf(" | %9.2f | %9.1f\n", message / 1024.0, mean(of_job.to_itself, jobs[i]));
  }
}

// The same as tools see it that stand between a program and MPI.
void print_sends(std::span<const Job> jobs, std::span<const sim::JobCounts> counts) {
  std::printf(
      "\nWithout the messages that collective operations are made of, as tools between a program "
      "and MPI count:\n\n");
  std::printf("%-9s %5s %9s | %-26s | %-26s | %10s\n", "", "", "", "sends of a process",
              "MB of these", "collective");
  std::printf("%-9s %5s %9s | %8s %8s %8s | %8s %8s %8s | %10s\n", "benchmark", "class",
              "processes", "least", "mean", "most", "least", "mean", "most", "calls");
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    print_spreads(jobs[i], counts[i].sends, counts[i].sent_bytes);
    std::printf(" | %10.1f\n", mean(counts[i].collectives, jobs[i]));
  }
}

void print_jobs(std::span<const Job> jobs) {
  std::vector<sim::JobCounts> counts;
  for (const Job& job : jobs) counts.push_back(sim::count_job(job));
  print_messages(jobs, counts);
  print_sends(jobs, counts);
}

void print_beside(int width, std::uint64_t ours, std::uint64_t theirs) {
  std::printf(" | %*" PRIu64 " %*" PRIu64 " %+10" PRId64, width, ours, width, theirs,
              static_cast<std::int64_t>(ours - theirs));
}

void print_measured_ranks() {
  std::printf(
      "\nThe same of single processes, and as mpiP has measured it "
      "(https://github.com/CNCA-CeNAT/comm-patterns-clustering):\n\n");
  std::printf("%-9s %4s | %-28s | %-32s | %s\n", "", "", "sends to others", "bytes of these",
              "sends to itself");
  std::printf("%-9s %4s", "job", "rank");
  for (const int width : {8, 10, 8})
    std::printf(" | %*s %*s %10s", width, "ours", width, "measured", "difference");
  std::printf("\n");
  for (const sim::MeasuredRank& measured : sim::measured_ranks()) {
    const sim::Counts counts = sim::count_process(measured.job, measured.rank);
    std::printf("%-9s %4" PRIu32, name_of(measured.job).c_str(), measured.rank.value);
    print_beside(8, counts.sends, measured.sends);
    print_beside(10, counts.sent_bytes, measured.sent_bytes);
    print_beside(8, counts.to_itself, measured.to_itself);
    std::printf("\n");
  }
}

void print_measured_jobs() {
  std::printf("\nAnd the sums over all processes:\n\n");
  std::printf("%-9s | %-28s | %s\n", "", "sends, to itself or others", "collective calls");
  std::printf("%-9s", "job");
  for (int column = 0; column < 2; ++column)
    std::printf(" | %8s %8s %10s", "ours", "measured", "difference");
  std::printf("\n");
  for (const sim::MeasuredJob& measured : sim::measured_jobs()) {
    const sim::JobCounts counts = sim::count_job(measured.job);
    std::printf("%-9s", name_of(measured.job).c_str());
    print_beside(8, counts.sends.sum + counts.to_itself, measured.sends);
    print_beside(8, counts.collectives, measured.collectives);
    std::printf("\n");
  }
}

void print_published() {
  std::printf(
      "\nCalls of process 0 by the size of their buffers, and published ones (Liu et al., SC "
      "2003; from memory):\n\n");
  std::printf("%-9s %5s %9s | %-10s | %8s | %8s | %10s\n", "benchmark", "class", "processes",
              "buffer", "ours", "published", "difference");
  constexpr std::array<const char*, sim::Counts::kSizes> kSizes = {"<= 2 KiB", "<= 16 KiB",
                                                                   "<= 1 MiB", "> 1 MiB"};
  for (const sim::PublishedCounts& published : sim::published_counts()) {
    const sim::Counts counts = sim::count_process(published.job, ProcessId{0});
    for (std::size_t size = 0; size < kSizes.size(); ++size) {
      const std::uint64_t ours = counts.calls[size], theirs = published.calls[size];
      if (ours == 0 && theirs == 0) continue;
      std::printf("%-9s %5c %9" PRIu32 " | %-10s | %8" PRIu64 " | %9" PRIu64 " | %+10" PRId64 "\n",
                  std::string(name_of(published.job.benchmark)).c_str(),
                  name_of(published.job.problem_class), published.job.processes, kSizes[size], ours,
                  theirs, static_cast<std::int64_t>(ours - theirs));
    }
  }
}

}  // namespace

int info_skeletons(const Arguments& arguments) {
  if (arguments.has("--job")) {
    Job job;
    const Status status = sim::parse_job(arguments.value("--job"), job);
    if (!status.is_ok()) {
      std::fprintf(stderr, "holdfast info: --job: %s\n", status.message().c_str());
      return kRefused;
    }
    print_jobs({&job, 1});
    return kDone;
  }
  print_jobs(kPapersJobs);
  print_measured_ranks();
  print_measured_jobs();
  print_published();
  return kDone;
}

}  // namespace holdfast::program
