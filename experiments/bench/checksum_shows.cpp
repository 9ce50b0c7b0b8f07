// Rows of three contenders: ours, the peer, and the limit of both.
#include "experiments/bench/checksum_shows.hpp"

#include <algorithm>
#include <cstring>

#include "experiments/bench/isal.hpp"
#include "experiments/bench/memory_limit.hpp"
#include "stack/checksum/crc32c_kernel.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast::bench {
namespace {

constexpr double kSliceSeconds = 50e-6;
constexpr double kFusedLeast = 0.9;
constexpr double kFromMemoryLeast = 1.0;
constexpr double kIsalLeast = 0.9;
constexpr double kIsalLeastFrom4KiB = 1.0;  // with AVX-512

struct Compared {
  std::string show;
  std::size_t bytes;
  double least;
  Contender ours, peer, limit;
};

ShowRow measured(const Compared& compared, const BenchOptions& options) {
  options.before_each(compared.show + ", " + std::to_string(compared.bytes) + " bytes");
  const Alternation rounds({compared.ours, compared.peer, compared.limit}, options.rounds,
                           kSliceSeconds);
  const auto rate = [&](std::size_t contender) {
    return static_cast<double>(compared.bytes) / median(rounds.seconds(contender));
  };
  return {compared.show, compared.bytes, rounds.speed_ratio(0, 1), compared.least,
          rate(0),       rate(1),        compared.limit.name,      rate(2)};
}

class Crc32cContenders {
 public:
  Crc32cContenders(const Buffers& buffers, const ChecksumPlan& plan)
      : buffers_(buffers), crc32c_(make_checksum("crc32c", plan)) {}

  Contender alone(std::size_t bytes) const {
    return {"crc32c", [this, bytes] { keep(crc32c_->of(buffers_.source(bytes))); }};
  }
  Contender fused(std::size_t bytes) const {
    return {"fused",
            [this, bytes] { keep(crc32c_->copy_of(buffers_.target(), buffers_.source(bytes))); }};
  }
  Contender copy(std::size_t bytes) const {
    return {"memcpy", [this, bytes] {
              std::memcpy(buffers_.target(), buffers_.source(bytes).data(), bytes);
              keep(std::to_integer<std::uint64_t>(*buffers_.target()));
            }};
  }
  Contender read(std::size_t bytes) const {
    return {"memory_read", [this, bytes] { keep(read_memory(buffers_.source(bytes))); }};
  }
  Contender isal(IsalCrc32c crc32c, std::size_t bytes) const {
    return {"isal_crc32c", [this, crc32c, bytes] { keep(crc32c(buffers_.source(bytes))); }};
  }

 private:
  const Buffers& buffers_;
  std::unique_ptr<Checksum> crc32c_;
};

}  // namespace

bool reaches_memory(const BenchOptions& options) {
  return options.largest_bytes > last_level_cache_bytes();
}

std::vector<ShowRow> checksum_shows(const Buffers& buffers, const BenchOptions& options) {
  const Crc32cContenders crc32c(buffers, options.plan);
  const bool is_avx512 = options.plan.crc32c->name.starts_with("avx512");
  std::vector<ShowRow> rows;
  // Both buffers in the caches of one core.
  for (const std::size_t bytes : {4096u, 16384u, 65536u}) {
    rows.push_back(measured({"copy with CRC-32C / CRC-32C alone, in cache", bytes, kFusedLeast,
                             crc32c.fused(bytes), crc32c.alone(bytes), crc32c.copy(bytes)},
                            options));
  }
  const std::size_t largest = options.largest_bytes;
  if (reaches_memory(options)) {
    rows.push_back(measured({"copy with CRC-32C / memcpy, from memory", largest, kFromMemoryLeast,
                             crc32c.fused(largest), crc32c.copy(largest), crc32c.copy(largest)},
                            options));
  }
  const IsalCrc32c isal = find_isal_crc32c();
  if (isal == nullptr) return rows;
  std::vector<std::size_t> lengths = {1, 7, 16, 33, 100, 255, 1400, 1500, 9000};
  for (std::size_t bytes = 64; bytes <= largest; bytes *= 4) lengths.push_back(bytes);
  std::sort(lengths.begin(), lengths.end());
  for (const std::size_t bytes : lengths) {
    const double least = is_avx512 && bytes >= 4096 ? kIsalLeastFrom4KiB : kIsalLeast;
    rows.push_back(measured({"CRC-32C / ISA-L's", bytes, least, crc32c.alone(bytes),
                             crc32c.isal(isal, bytes), crc32c.read(bytes)},
                            options));
  }
  return rows;
}

}  // namespace holdfast::bench
