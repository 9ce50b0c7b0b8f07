// Which benchmark, in which size, on how many processes: what NPB writes as bt.C.16.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "stack/base/status.hpp"

namespace holdfast::sim {

enum class Benchmark : std::uint8_t { bt, sp, lu, cg, mg, ft, is };
inline constexpr std::array kBenchmarks = {Benchmark::bt, Benchmark::sp, Benchmark::lu,
                                           Benchmark::cg, Benchmark::mg, Benchmark::ft,
                                           Benchmark::is};

enum class ProblemClass : std::uint8_t { s, w, a, b, c, d };
inline constexpr std::array kProblemClasses = {ProblemClass::s, ProblemClass::w, ProblemClass::a,
                                               ProblemClass::b, ProblemClass::c, ProblemClass::d};

// "BT", …, in capitals.
std::string_view name_of(Benchmark benchmark);
char name_of(ProblemClass problem_class);

constexpr std::uint32_t kJobProcessesMax = 1u << 20;

struct Job {
  Benchmark benchmark = Benchmark::bt;
  ProblemClass problem_class = ProblemClass::s;
  std::uint32_t processes = 1;
  // Timed iterations; 0: as many as the class has. Fewer make a shorter run with the same
  // beginning and end.
  std::uint32_t iterations = 0;
};

// "BT.C.16"
std::string name_of(const Job& job);
// Reads "bt.C.16", in capitals or not. An error names what was found and what was expected.
Status parse_job(std::string_view text, Job& job);
// Whether the benchmark runs on so many processes; an error says which numbers are possible.
Status check(const Job& job);

}  // namespace holdfast::sim
