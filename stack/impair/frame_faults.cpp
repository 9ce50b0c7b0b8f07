// The draws.
#include "stack/impair/frame_faults.hpp"

namespace holdfast {

bool FrameFaults::possible() const {
  static constexpr Duration kLongest = seconds(std::int64_t{86'400} * 1'000);
  const auto is_share = [](double share) { return share >= 0.0 && share <= 1.0; };
  const auto is_wait = [](Duration wait) { return wait >= Duration{0} && wait <= kLongest; };
  return is_share(loss) && is_share(duplicate) && is_share(corrupt) && is_share(truncate) &&
         is_share(reorder) && is_wait(delay) && is_wait(jitter);
}

FrameFaults FrameFaults::and_then(const FrameFaults& more) const {
  // Of two independent events; one that is 0 leaves the other as it is, bit by bit.
  const auto either = [](double p, double q) { return p + (1.0 - p) * q; };
  return {.loss = either(loss, more.loss),
          .duplicate = either(duplicate, more.duplicate),
          .corrupt = either(corrupt, more.corrupt),
          .truncate = either(truncate, more.truncate),
          .reorder = either(reorder, more.reorder),
          .delay = delay + more.delay,
          .jitter = jitter + more.jitter};
}

namespace {

// Purposes of random streams; see Random.
constexpr std::uint64_t kLossStream = 0x6c6f7373;
constexpr std::uint64_t kDuplicateStream = 0x64757065;
constexpr std::uint64_t kCorruptStream = 0x636f7272;
constexpr std::uint64_t kTruncateStream = 0x7472756e;
constexpr std::uint64_t kReorderStream = 0x72656f72;
constexpr std::uint64_t kJitterStream = 0x6a697474;

// A rate of zero draws nothing: then there is no other run with which to agree.
bool happens(Random& random, double share) {
  return share > 0.0 && random.unit() < share;
}

}  // namespace

FrameFates::FrameFates(std::uint64_t seed, std::uint64_t life)
    : loss_(seed, kLossStream, life),
      duplicate_(seed, kDuplicateStream, life),
      corrupt_(seed, kCorruptStream, life),
      truncate_(seed, kTruncateStream, life),
      reorder_(seed, kReorderStream, life),
      jitter_(seed, kJitterStream, life) {}

FrameFate FrameFates::next(const FrameFaults& faults, std::uint32_t bytes) {
  FrameFate fate;
  fate.lost = happens(loss_, faults.loss);
  fate.duplicated = happens(duplicate_, faults.duplicate);
  if (faults.corrupt > 0.0) {
    fate.corrupted = corrupt_.unit() < faults.corrupt && bytes > 0;
    // Drawn in any case, and from a number of bits that all sizes share, to keep the stream in
    // step.
    const std::uint64_t place = corrupt_.next();
    if (fate.corrupted) fate.wrong_bit = static_cast<std::uint32_t>(place % (8ull * bytes));
  }
  if (faults.truncate > 0.0) {
    fate.truncated = truncate_.unit() < faults.truncate && bytes > 1;
    const std::uint64_t place = truncate_.next();  // likewise in any case
    if (fate.truncated) fate.bytes_left = 1 + static_cast<std::uint32_t>(place % (bytes - 1));
  }
  if (!faults.delays()) return fate;
  fate.reordered = happens(reorder_, faults.reorder);
  fate.delay = faults.delay;
  if (faults.jitter > Duration{0}) {
    const double late = jitter_.unit() * static_cast<double>(faults.jitter.ns);
    fate.delay = fate.delay + nanoseconds(static_cast<std::int64_t>(late));
  }
  if (fate.reordered) fate.delay = Duration{0};
  return fate;
}

FrameFaultCounts& FrameFaultCounts::operator+=(const FrameFaultCounts& more) {
  lost += more.lost;
  duplicated += more.duplicated;
  corrupted += more.corrupted;
  truncated += more.truncated;
  reordered += more.reordered;
  delayed += more.delayed;
  overflowed += more.overflowed;
  return *this;
}

}  // namespace holdfast
