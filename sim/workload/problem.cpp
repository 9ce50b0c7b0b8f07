// The tables of sizes, and the polynomials by which the benchmarks count their operations.
#include "sim/workload/problem.hpp"

#include <array>

#include "stack/base/assert.hpp"
#include "stack/base/elementary.hpp"

namespace holdfast::sim {
namespace {

constexpr std::size_t kClasses = kProblemClasses.size();

template <class T>
const T& of(const std::array<T, kClasses>& values, ProblemClass problem_class) {
  return values[static_cast<std::size_t>(problem_class)];
}

// In the order S, W, A, B, C, D.
using Row = std::array<std::uint32_t, kClasses>;
constexpr Row kBtPoints = {12, 24, 64, 102, 162, 408};
constexpr Row kSpPoints = {12, 36, 64, 102, 162, 408};
constexpr Row kLuPoints = {12, 33, 64, 102, 162, 408};
constexpr Row kMgPoints = {32, 128, 256, 256, 512, 1024};

constexpr Row kBtIterations = {60, 200, 200, 200, 200, 250};
constexpr Row kSpIterations = {100, 400, 400, 400, 400, 500};
constexpr Row kLuIterations = {50, 300, 250, 250, 250, 300};
constexpr Row kCgIterations = {15, 15, 15, 75, 75, 100};
constexpr Row kMgIterations = {4, 4, 4, 20, 20, 50};
constexpr Row kFtIterations = {6, 6, 6, 20, 20, 25};
constexpr Row kIsIterations = {10, 10, 10, 10, 10, 10};

constexpr std::array<MatrixSize, kClasses> kMatrices = {
    {{1'400, 7}, {7'000, 8}, {14'000, 11}, {75'000, 13}, {150'000, 15}, {1'500'000, 21}}};
constexpr std::array<BoxSize, kClasses> kBoxes = {{{64, 64, 64},
                                                   {128, 128, 32},
                                                   {256, 256, 128},
                                                   {512, 256, 256},
                                                   {512, 512, 512},
                                                   {2048, 1024, 1024}}};
constexpr std::array<SortSize, kClasses> kSorts = {
    {{16, 11, 9}, {20, 16, 10}, {23, 19, 10}, {25, 21, 10}, {27, 23, 10}, {31, 27, 10}}};

// Of one iteration, on all processes together.
double operations(const Job& job) {
  const ProblemClass size = job.problem_class;
  switch (job.benchmark) {
    case Benchmark::bt: {
      const double n = cube_points(job.benchmark, size);
      return ((3478.8 * n - 17655.7) * n + 28023.7) * n;
    }
    case Benchmark::sp: {
      const double n = cube_points(job.benchmark, size);
      return ((881.174 * n - 4683.91) * n + 11484.5) * n - 19272.4;
    }
    case Benchmark::lu: {
      const double n = cube_points(job.benchmark, size);
      return ((1984.77 * n - 10923.3) * n + 27770.9) * n - 144010.0;
    }
    case Benchmark::mg: {
      const double n = cube_points(job.benchmark, size);
      return 58.0 * n * n * n;
    }
    case Benchmark::cg: {
      const MatrixSize matrix = matrix_size(size);
      const double row = double{1} * matrix.nonzero * (matrix.nonzero + 1);
      return 2.0 * matrix.order * (3.0 + row + 25.0 * (5.0 + row) + 3.0);
    }
    case Benchmark::ft: {
      const BoxSize box = box_size(size);
      const double points = double{1} * box.x * box.y * box.z;
      return points * (5.23518 + 7.21113 * natural_log(points));
    }
    case Benchmark::is:
      return static_cast<double>(std::uint64_t{1} << sort_size(size).keys);
  }
  return 0.0;
}

}  // namespace

std::uint32_t cube_points(Benchmark benchmark, ProblemClass problem_class) {
  switch (benchmark) {
    case Benchmark::bt:
      return of(kBtPoints, problem_class);
    case Benchmark::sp:
      return of(kSpPoints, problem_class);
    case Benchmark::lu:
      return of(kLuPoints, problem_class);
    case Benchmark::mg:
      return of(kMgPoints, problem_class);
    case Benchmark::cg:
    case Benchmark::ft:
    case Benchmark::is:
      break;
  }
  HOLDFAST_ASSERT(false);  // not on a cube
  return 0;
}

MatrixSize matrix_size(ProblemClass problem_class) {
  return of(kMatrices, problem_class);
}
BoxSize box_size(ProblemClass problem_class) {
  return of(kBoxes, problem_class);
}
SortSize sort_size(ProblemClass problem_class) {
  return of(kSorts, problem_class);
}

std::uint32_t class_iterations(Benchmark benchmark, ProblemClass problem_class) {
  switch (benchmark) {
    case Benchmark::bt:
      return of(kBtIterations, problem_class);
    case Benchmark::sp:
      return of(kSpIterations, problem_class);
    case Benchmark::lu:
      return of(kLuIterations, problem_class);
    case Benchmark::cg:
      return of(kCgIterations, problem_class);
    case Benchmark::mg:
      return of(kMgIterations, problem_class);
    case Benchmark::ft:
      return of(kFtIterations, problem_class);
    case Benchmark::is:
      return of(kIsIterations, problem_class);
  }
  return 0;
}

Duration iteration_work(const Job& job) {
  const double rate = job.benchmark == Benchmark::is ? kKeysPerSecond : kOperationsPerSecond;
  return {static_cast<std::int64_t>(operations(job) / job.processes * (1e9 / rate))};
}

}  // namespace holdfast::sim
