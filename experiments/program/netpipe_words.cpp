// Lengths, and the first line that a person looks for.
#include "experiments/program/netpipe_words.hpp"

#include <cstdint>
#include <cstdio>
#include <set>

#include "experiments/program/bench_results.hpp"
#include "experiments/program/bench_words.hpp"

namespace holdfast::program {

constexpr std::uint32_t kSizeMost = 64 << 20;

std::string parse_sizes(const Arguments& arguments, std::vector<std::size_t>& to) {
  std::set<std::uint32_t> sizes;
  if (arguments.has("--sizes")) {
    if (std::string wrong = parse_numbers(arguments, "--sizes", 1, kSizeMost, sizes);
        !wrong.empty())
      return wrong;
  } else {
    for (std::uint32_t bytes = 1; bytes <= 4u << 20; bytes *= 4) sizes.insert(bytes);
    sizes.insert(8);
  }
  to.assign(sizes.begin(), sizes.end());
  return "";
}

void print_small(const std::string& target, const std::vector<bench::BandwidthRow>& rows) {
  std::printf("%s, half a round trip of the shortest message, µs\n", target.c_str());
  std::size_t shortest = 0;
  for (const bench::BandwidthRow& row : rows) {
    if (!row.measurement.ends_with("ping_pong")) continue;
    if (shortest == 0) shortest = row.message_bytes;
    if (row.message_bytes != shortest) continue;
    std::printf("  %-24s %8.2f\n", row.contender.c_str(),
                1e6 * static_cast<double>(row.message_bytes) / row.median_bytes_per_second);
  }
}

std::string overhead_csv(const std::vector<netpipe::OverheadRow>& rows) {
  std::string csv =
      "measurement,contender,message_bytes,samples,median_share,low_share,high_share\n";
  for (const netpipe::OverheadRow& row : rows) {
    csv += row.measurement + "," + row.contender + "," + std::to_string(row.message_bytes) + "," +
           std::to_string(row.samples) + "," + short_number(row.median_share) + "," +
           interval_cells(row.share) + "\n";
  }
  return csv;
}

}  // namespace holdfast::program
