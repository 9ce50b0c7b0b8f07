// The benchmarks' sizes and what they run on, as NPB's reports have them; written down apart from
// the product.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload/job.hpp"

namespace holdfast::sim {

struct Size {
  std::uint64_t points;  // in each direction; of CG the order of the matrix
  std::uint64_t iterations;
};

inline Size size_in_reports(Benchmark benchmark, ProblemClass problem_class) {
  const auto row = static_cast<std::size_t>(problem_class);  // S W A B C D
  static const std::vector<Size> bt = {{12, 60},   {24, 200},  {64, 200},
                                       {102, 200}, {162, 200}, {408, 250}};
  static const std::vector<Size> sp = {{12, 100},  {36, 400},  {64, 400},
                                       {102, 400}, {162, 400}, {408, 500}};
  static const std::vector<Size> lu = {{12, 50},   {33, 300},  {64, 250},
                                       {102, 250}, {162, 250}, {408, 300}};
  static const std::vector<Size> cg = {{1400, 15},  {7000, 15},   {14000, 15},
                                       {75000, 75}, {150000, 75}, {1500000, 100}};
  static const std::vector<Size> mg = {{32, 4},   {128, 4},  {256, 4},
                                       {256, 20}, {512, 20}, {1024, 50}};
  static const std::vector<Size> ft = {{0, 6}, {0, 6}, {0, 6}, {0, 20}, {0, 20}, {0, 25}};
  switch (benchmark) {
    case Benchmark::bt:
      return bt[row];
    case Benchmark::sp:
      return sp[row];
    case Benchmark::lu:
      return lu[row];
    case Benchmark::cg:
      return cg[row];
    case Benchmark::mg:
      return mg[row];
    case Benchmark::ft:
      return ft[row];
    case Benchmark::is:
      break;
  }
  return {0, 10};
}

inline bool is_power_of_two(std::uint32_t n) {
  while (n % 2 == 0) n /= 2;
  return n == 1;
}

// Whether NPB runs on so many: BT and SP on squares, LU on n × m with n/2 <= m <= n, the others on
// powers of two; parts must not be smaller than what the algorithms look at.
inline bool runs_on(Benchmark benchmark, ProblemClass problem_class, std::uint32_t processes) {
  const std::uint64_t points = size_in_reports(benchmark, problem_class).points;
  switch (benchmark) {
    case Benchmark::bt:
    case Benchmark::sp:
      for (std::uint32_t p = 1; p <= points / 3; ++p)
        if (p * p == processes) return true;
      return false;
    case Benchmark::lu: {
      std::uint32_t m = 1;  // the most square grid
      for (std::uint32_t divisor = 1; divisor * divisor <= processes; ++divisor)
        m = processes % divisor == 0 ? divisor : m;
      const std::uint32_t n = processes / m;
      return n <= 2 * m && points / n >= 3;
    }
    case Benchmark::is:
      if (processes < (problem_class == ProblemClass::d ? 4u : 1u)) return false;
      return is_power_of_two(processes) &&
             processes <= (problem_class == ProblemClass::s ? 128u : 256u);
    default:
      return is_power_of_two(processes);
  }
}

// All jobs on up to `most` processes.
inline std::vector<Job> jobs_up_to(std::uint32_t most, std::uint32_t iterations) {
  std::vector<Job> jobs;
  for (const Benchmark benchmark : kBenchmarks) {
    for (const ProblemClass problem_class : kProblemClasses) {
      for (std::uint32_t processes = 1; processes <= most; ++processes) {
        if (runs_on(benchmark, problem_class, processes))
          jobs.push_back({benchmark, problem_class, processes, iterations});
      }
    }
  }
  return jobs;
}

}  // namespace holdfast::sim
