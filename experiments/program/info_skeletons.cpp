// holdfast info skeletons: what the processes of the NAS Parallel Benchmarks send, counted from the
// skeletons, and the counts that others have published.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <span>
#include <string>

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

void print_jobs(std::span<const Job> jobs) {
  std::printf("%-9s %5s %9s | %-26s | %-26s | %9s | %9s\n", "", "", "", "messages a process sends",
              "MB a process sends", "mean KiB", "to itself");
  std::printf("%-9s %5s %9s | %8s %8s %8s | %8s %8s %8s | %9s | %9s\n", "benchmark", "class",
              "processes", "least", "mean", "most", "least", "mean", "most", "a message", "mean");
  for (const Job& job : jobs) {
    const sim::JobCounts counts = sim::count_job(job);
    const double processes = job.processes;
    const auto mean = [&](std::uint64_t sum) { return static_cast<double>(sum) / processes; };
    const auto megabytes = [](double bytes) { return bytes / 1e6; };
    const double message = static_cast<double>(counts.bytes.sum) /
                           static_cast<double>(std::max<std::uint64_t>(1, counts.messages.sum));
    std::printf("%-9s %5c %9" PRIu32 " | %8" PRIu64 " %8.1f %8" PRIu64
                " | %8.1f %8.1f %8.1f | %9.2f | %9.1f\n",
                std::string(name_of(job.benchmark)).c_str(), name_of(job.problem_class),
                job.processes, counts.messages.least, mean(counts.messages.sum),
                counts.messages.most, megabytes(static_cast<double>(counts.bytes.least)),
                megabytes(mean(counts.bytes.sum)),
                megabytes(static_cast<double>(counts.bytes.most)), message / 1024.0,
                mean(counts.to_itself));
  }
}

void print_published() {
  std::printf(
      "Calls of process 0 by the size of their buffers, and published ones (Liu et al., SC "
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
  std::printf("\nOf these no published count was found. ");
  print_published();
  return kDone;
}

}  // namespace holdfast::program
