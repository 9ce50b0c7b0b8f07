// What all checksums that take a word at a time have in common: words that are cut by the end of a
// piece, and the copy on the way.
//
// A core is a class with
//   kBits, kWordBytes (a power of two)   bits of the value, bytes of a word
//   Sums                                 trivially copyable: what it remembers
//   begin(seed, bytes) -> Sums
//   absorb<kCopies>(Sums&, to, from, bytes)   whole words; with kCopies it stores what it loads
//   finish(Sums, tail, tail_bytes, bytes) -> value   with what was no whole word
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"
#include "stack/checksum/checksum.hpp"
#include "stack/checksum/stream_copy.hpp"

namespace holdfast {

template <class Core>
class BlockChecksum final : public Checksum {
 public:
  explicit BlockChecksum(const ChecksumPlan& plan) : streaming_from_(plan.streaming_from) {}

  unsigned bits() const override { return Core::kBits; }

  void begin(ChecksumState& state, std::uint64_t seed, std::uint64_t bytes) const override {
    new (state.place.data()) Progress{Core::begin(seed, bytes), bytes, 0, {}};
  }

  void update(ChecksumState& state, std::span<const std::byte> from) const override {
    take<false>(progress(state), nullptr, from);
  }

  void copy(ChecksumState& state, std::byte* to, std::span<const std::byte> from) const override {
    Progress& done = progress(state);
    if (done.bytes < streaming_from_) return take<true>(done, to, from);
    constexpr std::size_t kPieceBytes = 4096;
    stream_in_pieces(to, from.data(), from.size(), kPieceBytes,
                     [&done](const std::byte* piece, std::size_t bytes) {
                       take<false>(done, nullptr, {piece, bytes});
                     });
  }

  std::uint64_t finish(const ChecksumState& state) const override {
    const Progress& done = *std::launder(reinterpret_cast<const Progress*>(state.place.data()));
    HOLDFAST_ASSERT(done.seen == done.bytes);
    return Core::finish(done.sums, done.tail.data(), done.seen % Core::kWordBytes, done.bytes);
  }

 private:
  struct Progress {
    typename Core::Sums sums;
    std::uint64_t bytes;  // announced
    std::uint64_t seen;   // the last seen % kWordBytes of them are in `tail`
    std::array<std::byte, Core::kWordBytes> tail;
  };
  static_assert(std::is_trivially_copyable_v<Progress> &&
                sizeof(Progress) <= ChecksumState::kBytes);

  static Progress& progress(ChecksumState& state) {
    return *std::launder(reinterpret_cast<Progress*>(state.place.data()));
  }

  template <bool kCopies>
  static void take(Progress& done, std::byte* to, std::span<const std::byte> from) {
    const std::size_t held = done.seen % Core::kWordBytes;
    done.seen += from.size();
    if (held != 0) {
      const std::size_t missing = std::min(Core::kWordBytes - held, from.size());
      if (missing == 0) return;
      std::memcpy(done.tail.data() + held, from.data(), missing);
      if constexpr (kCopies) std::memcpy(to, from.data(), missing), to += missing;
      from = from.subspan(missing);
      if (held + missing < Core::kWordBytes) return;
      Core::template absorb<false>(done.sums, nullptr, done.tail.data(), Core::kWordBytes);
    }
    const std::size_t whole = from.size() / Core::kWordBytes * Core::kWordBytes;
    Core::template absorb<kCopies>(done.sums, to, from.data(), whole);
    from = from.subspan(whole);
    if (from.empty()) return;
    std::memcpy(done.tail.data(), from.data(), from.size());
    if constexpr (kCopies) std::memcpy(to + whole, from.data(), from.size());
  }

  std::uint64_t streaming_from_;
};

// For cores: the word at `from`, which with kCopies is also stored at `to`.
template <bool kCopies, class Word>
inline Word take_word(std::byte* to, const std::byte* from) {
  const Word word = load_le<Word>(from);
  if constexpr (kCopies) store_le<Word>(to, word);
  return word;
}

// For cores that take single bytes: `take(byte)` for each, in order. Eight are loaded and stored at
// a time, as single bytes on their way to memory would fill the processor's queue of stores.
template <bool kCopies, class Take>
inline void take_bytes(std::byte* to, const std::byte* from, std::size_t bytes, Take take) {
  std::size_t done = 0;
  for (; bytes - done >= sizeof(std::uint64_t); done += sizeof(std::uint64_t)) {
    auto word = take_word<kCopies, std::uint64_t>(kCopies ? to + done : nullptr, from + done);
    for (std::size_t i = 0; i < sizeof word; ++i, word >>= 8)
      take(static_cast<std::uint32_t>(word & 0xff));
  }
  for (; done < bytes; ++done) {
    if constexpr (kCopies) to[done] = from[done];
    take(std::to_integer<std::uint32_t>(from[done]));
  }
}

// The last word, filled up with zero bytes.
template <class Word>
inline Word padded_word(const std::byte* tail, std::size_t bytes) {
  std::array<std::byte, sizeof(Word)> padded{};
  if (bytes != 0) std::memcpy(padded.data(), tail, bytes);
  return load_le<Word>(padded.data());
}

// A seed for an algorithm whose state has 32 bits; 0 stays 0.
inline std::uint32_t folded_seed(std::uint64_t seed) {
  return static_cast<std::uint32_t>(seed ^ (seed >> 32));
}

}  // namespace holdfast
