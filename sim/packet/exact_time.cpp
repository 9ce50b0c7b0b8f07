// Exact times of bytes; see the header.
#include "sim/packet/exact_time.hpp"

#include <utility>

#include "stack/base/assert.hpp"

namespace holdfast::sim {

namespace {

// Of one byte at one bit a second.
constexpr Parts kUnitsPerByte = 8 * static_cast<Parts>(kSimUnitsPerSecond);

Parts common_divisor(Parts a, Parts b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

std::uint32_t Serialisation::add_rate(std::int64_t bits_per_second) {
  HOLDFAST_ASSERT(bits_per_second > 0);
  for (std::uint32_t i = 0; i < per_byte_.size(); ++i) {
    if (per_byte_[i].bits_per_second == bits_per_second) return i;
  }
  const Parts rate = static_cast<Parts>(bits_per_second);
  const Parts needed = rate / common_divisor(kUnitsPerByte, rate);
  const Parts factor = needed / common_divisor(parts_per_unit_, needed);
  const bool too_large = __builtin_mul_overflow(parts_per_unit_, factor, &parts_per_unit_);
  HOLDFAST_ASSERT(!too_large && parts_per_unit_ >> 76 == 0);
  for (PerByte& takes : per_byte_) takes.parts *= factor;
  const Parts rest = kUnitsPerByte % rate;
  per_byte_.push_back({bits_per_second, static_cast<std::int64_t>(kUnitsPerByte / rate),
                       rest / common_divisor(rest, rate) *
                           (parts_per_unit_ / (rate / common_divisor(rest, rate)))});
  return static_cast<std::uint32_t>(per_byte_.size() - 1);
}

Instant Serialisation::start_to_keep_up(const Instant& start, std::uint32_t bytes, std::uint32_t in,
                                        std::uint32_t out) const {
  if (per_byte_[out].bits_per_second <= per_byte_[in].bits_per_second) return start;
  const Instant tail = end(start, bytes, in);
  const Instant takes = end({}, bytes, out);
  if (tail.parts >= takes.parts) return {tail.units - takes.units, tail.parts - takes.parts};
  return {tail.units - takes.units - 1, tail.parts + parts_per_unit_ - takes.parts};
}

}  // namespace holdfast::sim
