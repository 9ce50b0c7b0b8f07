// The numbers; their sources are in the header.
#include "sim/workload/published_counts.hpp"

namespace holdfast::sim {
namespace {

constexpr Job class_b(Benchmark benchmark, std::uint32_t processes) {
  return {benchmark, ProblemClass::b, processes};
}

constexpr Job class_c(Benchmark benchmark) {
  return {benchmark, ProblemClass::c, 64};
}

constexpr std::array<PublishedCounts, 7> kPublished = {{
    {class_b(Benchmark::bt, 4), {9, 0, 4'836, 0}},
    {class_b(Benchmark::sp, 4), {9, 0, 9'636, 0}},
    {class_b(Benchmark::lu, 8), {100'021, 0, 1'008, 0}},
    {class_b(Benchmark::cg, 8), {16'113, 0, 11'856, 0}},
    {class_b(Benchmark::mg, 8), {1'607, 630, 3'702, 0}},
    {class_b(Benchmark::ft, 8), {24, 0, 0, 22}},
    {class_b(Benchmark::is, 8), {14, 11, 0, 11}},
}};

constexpr std::array<MeasuredRank, 14> kMeasuredRanks = {{
    {class_c(Benchmark::bt), ProcessId{0}, 9'654, 797'286'520, 0},
    {class_c(Benchmark::bt), ProcessId{8}, 9'654, 798'660'120, 0},
    {class_c(Benchmark::bt), ProcessId{19}, 9'654, 800'486'200, 0},
    {class_c(Benchmark::cg), ProcessId{1}, 19'988, 1'185'698'496, 0},
    {class_c(Benchmark::cg), ProcessId{9}, 18'012, 889'298'496, 1'976},
    {class_c(Benchmark::cg), ProcessId{18}, 18'012, 889'298'496, 1'976},
    {class_c(Benchmark::mg), ProcessId{8}, 3'048, 70'828'912, 0},
    {class_c(Benchmark::mg), ProcessId{9}, 3'090, 70'833'448, 0},
    {class_c(Benchmark::mg), ProcessId{13}, 3'132, 70'837'984, 0},
    {class_c(Benchmark::mg), ProcessId{21}, 3'426, 70'851'256, 0},
    {class_c(Benchmark::lu), ProcessId{2}, 121'244, 300'479'744, 0},
    {class_c(Benchmark::lu), ProcessId{7}, 80'830, 197'616'704, 0},
    {class_c(Benchmark::lu), ProcessId{9}, 161'658, 411'452'864, 0},
    {class_c(Benchmark::lu), ProcessId{18}, 161'658, 391'859'872, 0},
}};

// Sends: the sites of each kind, times the count of each.
constexpr std::array<MeasuredJob, 6> kMeasuredJobs = {{
    {class_c(Benchmark::bt), 6 * 12'928 + 6 * 90'048, 64 * 9},
    {class_c(Benchmark::cg), 3 * 364'800 + 121'600 + 3 * 14'592 + 4'864 + 14'400 + 192, 64 * 2},
    {class_c(Benchmark::ft), 0, 64 * 47},
    {class_c(Benchmark::is), 63, 64 * 36},
    {class_c(Benchmark::lu), 4 * 2'248'960 + 4 * 14'224 + 2 * 56 + 2 * 14, 64 * 20},
    {class_c(Benchmark::mg), 6 * 32'848 + 6 * 672, 64 * 96},
}};

}  // namespace

std::span<const PublishedCounts> published_counts() {
  return kPublished;
}

std::span<const MeasuredRank> measured_ranks() {
  return kMeasuredRanks;
}

std::span<const MeasuredJob> measured_jobs() {
  return kMeasuredJobs;
}

}  // namespace holdfast::sim
