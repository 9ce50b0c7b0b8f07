// Where chunks begin is a closed form, and a chunk is what lies between two beginnings: so rounding
// to whole fragments never adds up, and leaves neither gaps nor overlaps.
#include "stack/pipeline/chunk_plan.hpp"

#include <algorithm>
#include <cmath>

#include "stack/base/assert.hpp"
#include "stack/base/elementary.hpp"

namespace holdfast {

namespace {

// So that double-precision numbers of fragments are exact to far less than one.
constexpr std::uint64_t kFragmentsMax = std::uint64_t{1} << 32;

bool is_rate(double bytes_per_s) {
  return bytes_per_s > 0 && std::isfinite(bytes_per_s);
}

std::uint64_t rounded_up(std::uint64_t n, std::uint64_t divisor) {
  return n / divisor + (n % divisor != 0 ? 1 : 0);
}

}  // namespace

std::optional<ChunkGrowth> ChunkGrowth::of(const NetworkCost& network, double copy_bytes_per_s,
                                           const ChunkLimits& limits) {
  if (!is_rate(network.bytes_per_s) || !is_rate(copy_bytes_per_s)) return std::nullopt;
  if (network.latency < Duration{0} || limits.fragment_bytes == 0 || limits.block_bytes == 0)
    return std::nullopt;
  ChunkGrowth growth;
  growth.limits_ = limits;
  growth.most_ = limits.chunk_bytes_max / limits.fragment_bytes;
  if (growth.most_ == 0 || growth.most_ > kFragmentsMax) return std::nullopt;

  const double most = static_cast<double>(growth.most_);
  const double fragment_bytes = static_cast<double>(limits.fragment_bytes);
  const double first = first_chunk_bytes(network, copy_bytes_per_s) / fragment_bytes;
  growth.first_ = static_cast<std::uint64_t>(std::clamp(first + 0.5, 1.0, most));
  const double ratio = chunk_ratio(network, copy_bytes_per_s);
  if (!std::isfinite(ratio)) return std::nullopt;
  if (ratio < kLeastRatio) {
    growth.most_ = growth.first_;
    return growth;
  }
  growth.ratio_ = ratio;
  // Chunk n grows if C_0 q^n, and one fragment more for rounding, is no more than the most.
  const double times = (most - 1) / static_cast<double>(growth.first_);
  if (times >= 1)
    growth.growing_ = static_cast<std::uint64_t>(natural_log(times) / natural_log(ratio)) + 1;
  growth.growing_fragments_ = growth.fragments_before(growth.growing_);
  return growth;
}

// C_0 (1 + q + ... + q^(n-1)) fragments.
double ChunkGrowth::grown(std::uint64_t n) const {
  const double all = (power(ratio_, static_cast<double>(n)) - 1) / (ratio_ - 1);
  return static_cast<double>(first_) * all;
}

std::uint64_t ChunkGrowth::fragments_before(std::uint64_t n) const {
  if (n > growing_) return growing_fragments_ + (n - growing_) * most_;
  return n == 0 ? 0 : static_cast<std::uint64_t>(grown(n) + 0.5);
}

std::uint64_t ChunkGrowth::chunk_from(std::uint64_t fragment) const {
  if (fragment >= growing_fragments_)
    return growing_ + rounded_up(fragment - growing_fragments_, most_);
  // The inverse of the closed form is right but for rounding.
  const double count =
      chunk_count(static_cast<double>(fragment), static_cast<double>(first_), ratio_);
  auto n = static_cast<std::uint64_t>(count);
  while (fragments_before(n) < fragment) ++n;
  while (n > 0 && fragments_before(n - 1) >= fragment) --n;
  return n;
}

ChunkPlan::ChunkPlan(const ChunkGrowth& growth, std::uint64_t message_bytes)
    : growth_(growth),
      message_bytes_(message_bytes),
      chunks_(growth.chunk_from(rounded_up(message_bytes, growth.limits().fragment_bytes))) {}

ByteRange ChunkPlan::chunk(std::uint64_t n) const {
  HOLDFAST_ASSERT(n < chunks_);
  const std::uint64_t fragment_bytes = growth_.limits().fragment_bytes;
  const std::uint64_t before = growth_.fragments_before(n);
  const std::uint64_t offset = before * fragment_bytes;
  const std::uint64_t whole = (growth_.fragments_before(n + 1) - before) * fragment_bytes;
  return {offset, std::min(whole, message_bytes_ - offset)};
}

std::uint64_t ChunkPlan::blocks(std::uint64_t n) const {
  return rounded_up(chunk(n).bytes, growth_.limits().block_bytes);
}

ByteRange ChunkPlan::block(std::uint64_t n, std::uint64_t i) const {
  const ByteRange whole = chunk(n);
  const std::uint64_t block_bytes = growth_.limits().block_bytes;
  HOLDFAST_ASSERT(i < rounded_up(whole.bytes, block_bytes));
  const std::uint64_t before = i * block_bytes;
  return {whole.offset + before, std::min(block_bytes, whole.bytes - before)};
}

}  // namespace holdfast
