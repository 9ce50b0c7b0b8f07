// Each figure has contenders that are measured in turns, length by length.
#include "experiments/bench/checksum_figures.hpp"

#include <cstring>

#include "experiments/bench/isal.hpp"
#include "experiments/bench/memory_limit.hpp"

namespace holdfast::bench {
namespace {

constexpr std::size_t kFigure1Bytes = 32768;
constexpr std::size_t kSmallestBytes = 64;
constexpr double kSliceSeconds = 100e-6;

struct NamedChecksum {
  std::string name;
  std::shared_ptr<Checksum> checksum;
};

std::vector<NamedChecksum> all_checksums(const ChecksumPlan& plan) {
  std::vector<NamedChecksum> all;
  for (const ChecksumEntry& entry : checksums())
    all.push_back({std::string(entry.name), entry.make(plan)});
  return all;
}

Contender plain_copy(const Buffers& buffers, std::size_t bytes) {
  return {"memcpy", [&buffers, bytes] {
            std::memcpy(buffers.target(), buffers.source(bytes).data(), bytes);
            keep(std::to_integer<std::uint64_t>(*buffers.target()));
          }};
}

void add_rows(const std::string& measurement, const std::vector<Contender>& contenders,
              std::size_t bytes, const BenchOptions& options, std::vector<BandwidthRow>& rows) {
  options.before_each(measurement + ", " + std::to_string(bytes) + " bytes");
  const Alternation measured(contenders, options.rounds, kSliceSeconds);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::vector<double> rates;
    for (const double seconds : measured.seconds(i))
      rates.push_back(static_cast<double>(bytes) / seconds);
    rows.push_back({measurement, contenders[i].name, bytes, rates.size(), median(rates),
                    median_interval(rates)});
  }
}

// Over the length of the message, in steps of four.
template <class MakeContenders>
std::vector<BandwidthRow> over_length(const std::string& measurement, const BenchOptions& options,
                                      const MakeContenders& contenders) {
  std::vector<BandwidthRow> rows;
  for (std::size_t bytes = kSmallestBytes; bytes <= options.largest_bytes; bytes *= 4)
    add_rows(measurement, contenders(bytes), bytes, options, rows);
  return rows;
}

}  // namespace

void keep(std::uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

std::vector<BandwidthRow> checksums_alone(const Buffers& buffers, const BenchOptions& options) {
  const auto from = buffers.source(kFigure1Bytes);
  std::vector<Contender> contenders = {{"memory_read", [from] { keep(read_memory(from)); }},
                                       plain_copy(buffers, kFigure1Bytes)};
  for (const NamedChecksum& each : all_checksums(options.plan))
    contenders.push_back({each.name, [from, each] { keep(each.checksum->of(from)); }});
  if (const IsalCrc32c isal = find_isal_crc32c())
    contenders.push_back({"isal_crc32c", [from, isal] { keep(isal(from)); }});
  std::vector<BandwidthRow> rows;
  add_rows("checksum", contenders, kFigure1Bytes, options, rows);
  return rows;
}

std::vector<BandwidthRow> copy_then_checksum(const Buffers& buffers, const BenchOptions& options) {
  const auto all = all_checksums(options.plan);
  return over_length("copy_then_checksum", options, [&](std::size_t bytes) {
    std::vector<Contender> contenders = {plain_copy(buffers, bytes)};
    for (const NamedChecksum& each : all) {
      contenders.push_back({each.name, [&buffers, bytes, each] {
                              std::memcpy(buffers.target(), buffers.source(bytes).data(), bytes);
                              keep(each.checksum->of({buffers.target(), bytes}));
                            }});
    }
    return contenders;
  });
}

std::vector<BandwidthRow> fused_copies(const Buffers& buffers, const BenchOptions& options) {
  const auto all = all_checksums(options.plan);
  return over_length("fused", options, [&](std::size_t bytes) {
    std::vector<Contender> contenders = {plain_copy(buffers, bytes)};
    for (const NamedChecksum& each : all) {
      contenders.push_back({each.name, [&buffers, bytes, each] {
                              keep(each.checksum->copy_of(buffers.target(), buffers.source(bytes)));
                            }});
    }
    return contenders;
  });
}

}  // namespace holdfast::bench
