// XXH3 of 64 bits by the library xxHash, of which only the header is needed. It has no copy of its
// own, so a copy goes piece by piece: what has just been copied is read again from the innermost
// cache.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "stack/base/assert.hpp"
#include "stack/checksum/checksum.hpp"
#include "stack/checksum/stream_copy.hpp"

namespace holdfast {

namespace {

constexpr std::size_t kPieceBytes = 8192;

struct Progress {
  XXH3_state_t xxh3;
  std::uint64_t bytes;  // announced
};
static_assert(sizeof(Progress) <= ChecksumState::kBytes && alignof(Progress) <= 64);

Progress& progress(ChecksumState& state) {
  return *std::launder(reinterpret_cast<Progress*>(state.place.data()));
}

class Xxh3 final : public Checksum {
 public:
  explicit Xxh3(const ChecksumPlan& plan) : streaming_from_(plan.streaming_from) {}

  unsigned bits() const override { return 64; }

  void begin(ChecksumState& state, std::uint64_t seed, std::uint64_t bytes) const override {
    auto* begun = new (state.place.data()) Progress;
    begun->bytes = bytes;
    XXH3_INITSTATE(&begun->xxh3);
    const XXH_errorcode failed = XXH3_64bits_reset_withSeed(&begun->xxh3, seed);
    HOLDFAST_ASSERT(failed == XXH_OK);
  }

  void update(ChecksumState& state, std::span<const std::byte> from) const override {
    if (from.empty()) return;
    const XXH_errorcode failed =
        XXH3_64bits_update(&progress(state).xxh3, from.data(), from.size());
    HOLDFAST_ASSERT(failed == XXH_OK);
  }

  void copy(ChecksumState& state, std::byte* to, std::span<const std::byte> from) const override {
    const bool streams = progress(state).bytes >= streaming_from_;
    while (!from.empty()) {
      const std::size_t bytes = std::min(from.size(), kPieceBytes);
      update(state, from.first(bytes));
      if (streams) {
        stream_copy(to, from.data(), bytes);
      } else {
        std::memcpy(to, from.data(), bytes);
      }
      to += bytes;
      from = from.subspan(bytes);
    }
    if (streams) stream_fence();
  }

  std::uint64_t finish(const ChecksumState& state) const override {
    const auto& done = *std::launder(reinterpret_cast<const Progress*>(state.place.data()));
    HOLDFAST_ASSERT(done.xxh3.totalLen == done.bytes);
    return XXH3_64bits_digest(&done.xxh3);
  }

 private:
  std::uint64_t streaming_from_;
};

}  // namespace

std::unique_ptr<Checksum> make_xxh3(const ChecksumPlan& plan) {
  return std::make_unique<Xxh3>(plan);
}

}  // namespace holdfast
