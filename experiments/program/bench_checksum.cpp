// holdfast bench checksum: every checksum alone, after a copy and within it, and CRC-32C beside
// what it is compared with.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "experiments/bench/checksum_figures.hpp"
#include "experiments/bench/checksum_shows.hpp"
#include "experiments/bench/isal.hpp"
#include "experiments/program/bench_results.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/runner/version.hpp"
#include "hw/tune/tuned_checksums.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kRounds = 31;
constexpr std::uint32_t kLargestMebibytes = 64;
constexpr std::uint32_t kLargestMost = 1024;

std::string json_of(const ChecksumTuning& tuning) {
  nlohmann::ordered_json json;
  json["crc32c_kernel"] = tuning.crc32c_kernel;
  json["streaming_from_bytes"] = tuning.streaming_from;
  json["fastest_copied"] = tuning.fastest;
  return json.dump();
}

void print_tuning(const hw::TunedChecksums& tuned) {
  std::printf(
      "this machine's tuning, %s: CRC-32C by %s, copies past the caches from %s, fastest "
      "copied %s\n\n",
      tuned.measured ? "measured now" : "measured before", tuned.tuning.crc32c_kernel.c_str(),
      tuned.tuning.streaming_from == ~std::uint64_t{0}
          ? "no length on"
          : (short_number(static_cast<double>(tuned.tuning.streaming_from) / (1 << 20)) + " MiB on")
                .c_str(),
      tuned.tuning.fastest.c_str());
}

void print_alone(const std::vector<bench::BandwidthRow>& rows) {
  std::printf("32 KiB, GB/s\n");
  for (const bench::BandwidthRow& row : rows) {
    if (row.measurement == "checksum")
      std::printf("  %-14s %8.2f\n", row.contender.c_str(), row.median_bytes_per_second / 1e9);
  }
}

}  // namespace

int bench_checksum(const Arguments& arguments) {
  std::uint32_t rounds = 0, mebibytes = 0;
  if (!arguments.number("--rounds", kRounds, rounds) ||
      !arguments.number("--largest", kLargestMebibytes, mebibytes, kLargestMost))
    return kRefused;
  if ((mebibytes & (mebibytes - 1)) != 0)
    return refuse_bench("--largest is " + std::to_string(mebibytes) +
                        "; expected a power of two from 1 to " + std::to_string(kLargestMost));
  std::string folder;
  if (Status status = make_results_folder(arguments, "results/bench-checksum", folder);
      !status.is_ok())
    return refuse_bench(status.message());

  const hw::TunedChecksums tuned =
      hw::tuned_checksums(runner::version().git, hw::default_cache_folder());
  const bench::BenchOptions options{tuned.tuning.plan(), rounds, std::size_t{mebibytes} << 20,
                                    bench_progress(arguments)};
  const bench::Buffers buffers(options.largest_bytes);
  std::vector<bench::BandwidthRow> rows = checksums_alone(buffers, options);
  for (const auto& more : {copy_then_checksum(buffers, options), fused_copies(buffers, options)})
    rows.insert(rows.end(), more.begin(), more.end());
  const std::vector<bench::ShowRow> shows = checksum_shows(buffers, options);
  options.before_each("");
  if (Status status = write_bench_results(folder, json_of(tuned.tuning), rows, shows);
      !status.is_ok())
    return refuse_bench(status.message());
  print_tuning(tuned);
  print_alone(rows);
  print_shows(shows);
  if (bench::find_isal_crc32c() == nullptr)
    std::printf(
        "note: CRC-32C is not compared with ISA-L's, which is not installed (Debian: libisal2)\n");
  if (!bench::reaches_memory(options))
    std::printf(
        "note: %u MiB fit into the last-level cache, so no copy from memory is compared; a larger "
        "--largest would have one\n",
        mebibytes);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

}  // namespace holdfast::program
