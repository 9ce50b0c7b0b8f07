// The compiler's cpuid helpers look at what the operating system saves as well.
#include "hw/probe/processor.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "hw/probe/kernel_file.hpp"

namespace holdfast::hw {
namespace {

constexpr int kLooks = 1000;  // at the clock; takes less than a millisecond

// "model name : …" of the first processor; not every architecture has the line.
void add_model(FactGroup& group, const std::string& path) {
  std::string text;
  if (!read_kernel_file(path, text)) return group.add_unknown("model", text);
  const std::size_t line = text.find("model name");
  const std::size_t colon = text.find(": ", line);
  if (line == std::string::npos || colon == std::string::npos)
    return group.add_unknown("model", path + " names none");
  group.add("model", text.substr(colon + 2, text.find('\n', colon) - colon - 2));
}

void add_features(FactGroup& group) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  group.add("sse4_2", __builtin_cpu_supports("sse4.2") != 0);
  group.add("pclmulqdq", __builtin_cpu_supports("pclmul") != 0);
  group.add("avx2_vpclmulqdq",
            __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0);
  group.add("avx512_vpclmulqdq",
            __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0);
#else
  for (const char* feature : {"sse4_2", "pclmulqdq", "avx2_vpclmulqdq", "avx512_vpclmulqdq"})
    group.add_unknown(feature, "this is no x86 processor");
#endif
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t smallest_step() {
  std::int64_t step = std::numeric_limits<std::int64_t>::max();
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  for (int i = 0; i < kLooks; ++i) {
    const std::int64_t before = nanoseconds(time);
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    if (nanoseconds(time) > before) step = std::min(step, nanoseconds(time) - before);
  }
  return step;
}

}  // namespace

FactGroup probe_processor(const KernelFiles& files) {
  FactGroup processor{"processor", {}, {}};
  add_model(processor, files.proc + "/cpuinfo");
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    processor.add("cores", std::int64_t{CPU_COUNT(&allowed)});
  } else {
    processor.add_unknown("cores", std::strerror(errno));
  }
  processor.add("online", std::int64_t{::sysconf(_SC_NPROCESSORS_ONLN)});
  add_features(processor);
  return processor;
}

FactGroup probe_clock(const KernelFiles& files) {
  FactGroup clock{"clock", {}, {}};
  add_text(clock, "source",
           files.sys + "/devices/system/clocksource/clocksource0/current_clocksource");
  timespec resolution{};
  if (::clock_getres(CLOCK_MONOTONIC, &resolution) == 0)
    clock.add("resolution", nanoseconds(resolution), "ns");
  clock.add("smallest_step", smallest_step(), "ns");
  return clock;
}

}  // namespace holdfast::hw
