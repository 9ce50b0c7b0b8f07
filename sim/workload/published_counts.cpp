// The numbers; their source is in the header.
#include "sim/workload/published_counts.hpp"

namespace holdfast::sim {
namespace {

constexpr Job class_b(Benchmark benchmark, std::uint32_t processes) {
  return {benchmark, ProblemClass::b, processes};
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

}  // namespace

std::span<const PublishedCounts> published_counts() {
  return kPublished;
}

}  // namespace holdfast::sim
