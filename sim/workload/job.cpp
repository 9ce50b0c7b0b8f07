// Names of jobs, and which numbers of processes the benchmarks take; see the header.
#include "sim/workload/job.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>

#include "sim/workload/multigrid.hpp"
#include "sim/workload/problem.hpp"
#include "sim/workload/wavefront.hpp"
#include "stack/base/excerpt.hpp"

namespace holdfast::sim {
namespace {

constexpr std::array<std::string_view, kBenchmarks.size()> kNames = {"BT", "SP", "LU", "CG",
                                                                     "MG", "FT", "IS"};
constexpr std::string_view kClassNames = "SWABCD";

std::uint32_t root_of(std::uint32_t number) {
  std::uint32_t root = 1;
  while ((root + 1) * (root + 1) <= number) ++root;
  return root;
}

// "BT.C on 15 processes: " and what is possible instead.
Status refused(const Job& job, const std::string& expected) {
  std::string found(name_of(job.benchmark));
  found += '.';
  found += name_of(job.problem_class);
  found += " does not run on " + std::to_string(job.processes) + " processes; expected ";
  return Status::error(found + expected);
}

Status check_square(const Job& job) {
  // A cell must have three points in each direction, as the solvers look two points ahead.
  const std::uint32_t root_max = cube_points(job.benchmark, job.problem_class) / 3;
  const std::uint32_t root = root_of(job.processes);
  const std::uint32_t square_max = root_max * root_max;
  if (job.processes > square_max) {
    return refused(job, "at most " + std::to_string(square_max) +
                            ", where a cell still has three points in each direction");
  }
  if (root * root == job.processes) return Status::ok();
  return refused(job, "a square number, such as " + std::to_string(root * root) + " or " +
                          std::to_string(std::min((root + 1) * (root + 1), square_max)));
}

Status check_wavefront(const Job& job) {
  const WavefrontGrid grid = wavefront_grid(job.processes);
  if (grid.x > 2 * grid.y) {
    return refused(job,
                   "n * m processes with m <= n <= 2 * m; a power of two is always such a number");
  }
  const std::uint32_t points = cube_points(job.benchmark, job.problem_class);
  if (points / grid.x < 3 || points / grid.y < 3)
    return refused(job, "so few that each has three points in each direction");
  return Status::ok();
}

// The numbers beside one that is no power of two.
std::string powers_beside(std::uint32_t number) {
  return "a power of two, such as " + std::to_string(std::bit_floor(number)) + " or " +
         std::to_string(std::bit_ceil(number));
}

Status check_box(const Job& job) {
  const BoxSize box = box_size(job.problem_class);
  const std::uint32_t most = box.z * std::min(box.y, box.z);
  if (job.processes <= most) return Status::ok();
  return refused(job, "at most " + std::to_string(most) + ", a line of the grid for each");
}

Status check_sort(const Job& job) {
  // With more, a bucket has more keys than a process should get, and some get none.
  constexpr std::uint32_t kMost = 256;
  const bool small = job.problem_class == ProblemClass::s;
  const std::uint32_t most = small ? 128 : kMost;
  if (job.processes > most) {
    return refused(
        job, "at most " + std::to_string(most) + ", so that every process is given keys to rank");
  }
  const std::uint32_t least = job.problem_class == ProblemClass::d ? 4 : 1;
  if (job.processes < least) return refused(job, "at least " + std::to_string(least));
  return Status::ok();
}

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capitals;
}

}  // namespace

std::string_view name_of(Benchmark benchmark) {
  return kNames[static_cast<std::size_t>(benchmark)];
}
char name_of(ProblemClass problem_class) {
  return kClassNames[static_cast<std::size_t>(problem_class)];
}

std::string name_of(const Job& job) {
  std::string name(name_of(job.benchmark));
  name += '.';
  name += name_of(job.problem_class);
  return name + '.' + std::to_string(job.processes);
}

Status parse_job(std::string_view text, Job& job) {
  const auto wrong = [&](const std::string& what) {
    return Status::error("\"" + excerpt(text) + "\" names no job: " + what +
                         "; expected BENCHMARK.CLASS.PROCESSES, such as bt.C.16");
  };
  const std::string word = in_capitals(text);
  const auto name = std::find(kNames.begin(), kNames.end(), word.substr(0, word.find('.')));
  if (name == kNames.end()) return wrong("the benchmarks are BT, SP, LU, CG, MG, FT and IS");
  if (word.size() < 6 || word[2] != '.' || word[4] != '.') return wrong("its parts are three");
  const std::size_t class_at = kClassNames.find(word[3]);
  if (class_at == std::string_view::npos) return wrong("the classes are S, W, A, B, C and D");
  std::uint32_t processes = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data() + 5, end, processes);
  if (error != std::errc() || stopped != end || processes == 0 || processes > kJobProcessesMax)
    return wrong("the processes are a number from 1 to " + std::to_string(kJobProcessesMax));
  job = {kBenchmarks[static_cast<std::size_t>(name - kNames.begin())], kProblemClasses[class_at],
         processes};
  return check(job);
}

Status check(const Job& job) {
  if (job.processes == 0 || job.processes > kJobProcessesMax)
    return refused(job, "1 to " + std::to_string(kJobProcessesMax));
  if (job.benchmark == Benchmark::bt || job.benchmark == Benchmark::sp) return check_square(job);
  if (job.benchmark == Benchmark::lu) return check_wavefront(job);
  if (!std::has_single_bit(job.processes)) return refused(job, powers_beside(job.processes));
  switch (job.benchmark) {
    case Benchmark::mg: {
      const std::uint32_t most = multigrid_processes_max(job.problem_class);
      if (job.processes <= most) return Status::ok();
      return refused(
          job, "at most " + std::to_string(most) + ", where each has two points in each direction");
    }
    case Benchmark::ft:
      return check_box(job);
    case Benchmark::is:
      return check_sort(job);
    default:
      return Status::ok();  // CG: its rows are more than the processes that there can be in a row
  }
}

}  // namespace holdfast::sim
