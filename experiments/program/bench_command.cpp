// holdfast bench: how fast parts of the stack are on this machine, beside what limits them.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/bench/checksum_figures.hpp"
#include "experiments/bench/checksum_shows.hpp"
#include "experiments/config/nearest.hpp"
#include "experiments/program/commands.hpp"
#include "experiments/runner/durable_file.hpp"
#include "experiments/runner/version.hpp"
#include "hw/probe/processor.hpp"
#include "hw/tune/tuned_checksums.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast::program {
namespace {

constexpr std::uint32_t kRounds = 31;
constexpr std::uint32_t kLargestMebibytes = 64;

const std::array kOptions = {
    Option{"--rounds", "N", "how often everything is measured; medians count; default 31"},
    Option{"--largest", "MIB",
           "the longest message in MiB, a power of two; default 64. The last\n"
           "figures need one that no cache holds"},
    Option{"--output", "DIR", "the results folder; default results/bench-checksum"},
    Option{"--quiet", nullptr, "no progress"},
};

int refuse(const std::string& message) {
  std::fprintf(stderr, "holdfast bench: %s\n", message.c_str());
  return kRefused;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string bandwidth_csv(const std::vector<bench::BandwidthRow>& rows) {
  std::string csv =
      "measurement,contender,message_bytes,samples,median_bytes_per_s,low_bytes_per_s,"
      "high_bytes_per_s\n";
  for (const bench::BandwidthRow& row : rows) {
    csv += row.measurement + "," + row.contender + "," + std::to_string(row.message_bytes) + "," +
           std::to_string(row.samples) + "," + number(row.median_bytes_per_second) + "," +
           number(row.bytes_per_second.low) + "," + number(row.bytes_per_second.high) + "\n";
  }
  return csv;
}

std::string shows_csv(const std::vector<bench::ShowRow>& rows) {
  std::string csv =
      "show,message_bytes,ratio,least_ratio,ours_bytes_per_s,peer_bytes_per_s,limit,"
      "limit_bytes_per_s\n";
  for (const bench::ShowRow& row : rows) {
    csv += "\"" + row.show + "\"," + std::to_string(row.message_bytes) + "," + number(row.ratio) +
           "," + number(row.least) + "," + number(row.bytes_per_second) + "," +
           number(row.peer_bytes_per_second) + "," + row.limit + "," +
           number(row.limit_bytes_per_second) + "\n";
  }
  return csv;
}

// On which machine all was measured, and by which build.
std::string machine_json(const ChecksumTuning& tuning) {
  const hw::FactGroup processor = hw::probe_processor();
  nlohmann::ordered_json json;
  json["measured"] = true;
  for (const hw::Fact& fact : processor.facts) {
    if (!fact.value) continue;
    std::visit([&](const auto& value) { json["processor"][fact.name] = value; }, *fact.value);
  }
  json["last_level_cache_bytes"] = last_level_cache_bytes();
  json["crc32c_kernel"] = tuning.crc32c_kernel;
  json["streaming_from_bytes"] = tuning.streaming_from;
  json["fastest_copied"] = tuning.fastest;
  json["version"] = {runner::version().number, runner::version().git, runner::version().compiler};
  return json.dump(2) + "\n";
}

void print_tuning(const hw::TunedChecksums& tuned) {
  std::printf(
      "this machine's tuning, %s: CRC-32C by %s, copies past the caches from %s, fastest "
      "copied %s\n\n",
      tuned.measured ? "measured now" : "measured before", tuned.tuning.crc32c_kernel.c_str(),
      tuned.tuning.streaming_from == ~std::uint64_t{0}
          ? "no length on"
          : (number(static_cast<double>(tuned.tuning.streaming_from) / (1 << 20)) + " MiB on")
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

void print_shows(const std::vector<bench::ShowRow>& rows) {
  std::printf("\n%-46s %10s %7s %6s %8s %8s %20s\n", "ratio, median of rounds", "bytes", "ratio",
              "least", "ours", "peer", "limit, GB/s");
  for (const bench::ShowRow& row : rows) {
    std::printf("%-46s %10zu %7.3f %6.2f %8.2f %8.2f %11s %8.2f%s\n", row.show.c_str(),
                row.message_bytes, row.ratio, row.least, row.bytes_per_second / 1e9,
                row.peer_bytes_per_second / 1e9, row.limit.c_str(),
                row.limit_bytes_per_second / 1e9, row.kept() ? "" : "  too slow");
  }
}

Status write_results(const std::string& folder, const ChecksumTuning& tuning,
                     const std::vector<bench::BandwidthRow>& rows,
                     const std::vector<bench::ShowRow>& shows) {
  for (const auto& [name, text] : {std::pair{"machine.json", machine_json(tuning)},
                                   {"shows.csv", shows_csv(shows)},
                                   {"bandwidth.csv", bandwidth_csv(rows)}}) {
    if (Status status = runner::write_durably(folder + "/" + name, text); !status.is_ok())
      return status;
  }
  return Status::ok();
}

int bench_checksum(const Arguments& arguments) {
  std::uint32_t rounds = 0, mebibytes = 0;
  if (!arguments.number("--rounds", kRounds, rounds) ||
      !arguments.number("--largest", kLargestMebibytes, mebibytes))
    return kRefused;
  if (mebibytes > 1024 || (mebibytes & (mebibytes - 1)) != 0)
    return refuse("--largest is " + std::to_string(mebibytes) +
                  "; expected a power of two from 1 to 1024");
  const std::string folder = arguments.value("--output", "results/bench-checksum");
  std::error_code error;
  if (std::filesystem::exists(folder, error))
    return refuse(folder + " is there already; name another one with --output, or remove it");
  std::filesystem::create_directories(folder, error);
  if (error) return refuse(folder + " cannot be made: " + error.message());

  const bool shown = !arguments.has("--quiet") && ::isatty(STDERR_FILENO) == 1;
  const hw::TunedChecksums tuned =
      hw::tuned_checksums(runner::version().git, hw::default_cache_folder());
  bench::BenchOptions options{tuned.tuning.plan(), rounds, std::size_t{mebibytes} << 20,
                              [shown](const std::string& what) {
                                if (shown) std::fprintf(stderr, "\r\033[K%s", what.c_str());
                              }};
  const bench::Buffers buffers(options.largest_bytes);
  std::vector<bench::BandwidthRow> rows = checksums_alone(buffers, options);
  for (const auto& more : {copy_then_checksum(buffers, options), fused_copies(buffers, options)})
    rows.insert(rows.end(), more.begin(), more.end());
  const std::vector<bench::ShowRow> shows = checksum_shows(buffers, options);
  if (shown) std::fprintf(stderr, "\r\033[K");
  if (Status status = write_results(folder, tuned.tuning, rows, shows); !status.is_ok())
    return refuse(status.message());
  print_tuning(tuned);
  print_alone(rows);
  print_shows(shows);
  std::printf("results: %s\n", folder.c_str());
  return kDone;
}

int bench_command(const Arguments& arguments) {
  const std::string what = arguments.operands()[0];
  if (what != "checksum")
    return refuse("there is no benchmark \"" + what + "\"" +
                  runner::config::did_you_mean(what, {"checksum"}) + "; expected checksum");
  return bench_checksum(arguments);
}

}  // namespace

const Command kBenchCommand = {
    "bench",
    "checksum [options]",
    "measure how fast parts of the stack are on this machine",
    "checksum: the bandwidth of every checksum on 32 KiB; of a copy and then the checksum, and of\n"
    "both in one pass, over the length of the message; and CRC-32C beside its copy, memcpy and\n"
    "ISA-L (where libisal2 is installed), with what is promised. Limits (memory read, memcpy) are\n"
    "measured in the same rounds. The first run finds out what is fastest here and keeps it in\n"
    "~/.cache/holdfast (or XDG_CACHE_HOME). Writes bandwidth.csv, shows.csv and machine.json;\n"
    "analysis/bench draws them. Takes about a minute; trust it on a quiet machine only.\n\n"
    "examples:\n"
    "  holdfast bench checksum\n"
    "  holdfast bench checksum --rounds 7 --largest 1 --output short",
    kOptions,
    1,
    1,
    bench_command};

}  // namespace holdfast::program
