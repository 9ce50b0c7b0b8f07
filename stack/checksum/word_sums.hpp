// Sums and parities of 32-bit words at the speed of the memory: four vectors of sums side by side,
// compiled for the widest registers that the processor may have, chosen when it runs.
//
// `Combine` is one of those below; the order of the words changes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "stack/base/bytes.hpp"
#include "stack/checksum/block_checksum.hpp"
#include "stack/checksum/processor.hpp"

namespace holdfast::word_sums {

// The compiler's vectors: one register with AVX-512, four without.
using Words = std::uint32_t __attribute__((vector_size(64)));

// By reference: how a vector is handed over differs between targets.
struct Add {
  template <class Number>
  static void into(Number& sum, const Number& more) {
    sum += more;
  }
};
struct ExclusiveOr {
  template <class Number>
  static void into(Number& sum, const Number& more) {
    sum ^= more;
  }
};

// Inlined, so that it is compiled for the target of its caller. `bytes` is a multiple of 4.
template <class Combine, bool kCopies>
__attribute__((always_inline)) inline std::uint32_t combine_all(std::uint32_t value, std::byte* to,
                                                                const std::byte* from,
                                                                std::size_t bytes) {
  std::size_t done = 0;
  if (bytes >= 4 * sizeof(Words)) {
    Words a{}, b{}, c{}, d{};
    for (; bytes - done >= 4 * sizeof(Words); done += 4 * sizeof(Words)) {
      Words w, x, y, z;
      std::memcpy(&w, from + done, sizeof w);
      std::memcpy(&x, from + done + sizeof w, sizeof x);
      std::memcpy(&y, from + done + 2 * sizeof w, sizeof y);
      std::memcpy(&z, from + done + 3 * sizeof w, sizeof z);
      if constexpr (kCopies) {
        std::memcpy(to + done, &w, sizeof w);
        std::memcpy(to + done + sizeof w, &x, sizeof x);
        std::memcpy(to + done + 2 * sizeof w, &y, sizeof y);
        std::memcpy(to + done + 3 * sizeof w, &z, sizeof z);
      }
      Combine::into(a, w), Combine::into(b, x), Combine::into(c, y), Combine::into(d, z);
    }
    Combine::into(a, b), Combine::into(c, d), Combine::into(a, c);
    std::array<std::uint32_t, sizeof(Words) / 4> sums;
    std::memcpy(sums.data(), &a, sizeof a);
    for (const std::uint32_t sum : sums) Combine::into(value, sum);
  }
  for (; done < bytes; done += 4) {
    const auto word = load_le<std::uint32_t>(from + done);
    if constexpr (kCopies) store_le<std::uint32_t>(to + done, word);
    Combine::into(value, word);
  }
  return value;
}

#if defined(__x86_64__)
template <class Combine, bool kCopies>
__attribute__((target("avx512f"))) std::uint32_t with_avx512(std::uint32_t value, std::byte* to,
                                                             const std::byte* from,
                                                             std::size_t bytes) {
  return combine_all<Combine, kCopies>(value, to, from, bytes);
}
#endif

template <class Combine, bool kCopies>
std::uint32_t of_words(std::uint32_t value, std::byte* to, const std::byte* from,
                       std::size_t bytes) {
#if defined(__x86_64__)
  if (processor_features().avx512_vpclmulqdq)
    return with_avx512<Combine, kCopies>(value, to, from, bytes);
#endif
  return combine_all<Combine, kCopies>(value, to, from, bytes);
}

// A checksum that is nothing else: see BlockChecksum. The last word is filled up with zeros.
template <class Combine>
class WordSum {
 public:
  static constexpr unsigned kBits = 32;
  static constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
  struct Sums {
    std::uint32_t value;
  };

  static Sums begin(std::uint64_t seed, std::uint64_t /*bytes*/) { return {folded_seed(seed)}; }

  template <bool kCopies>
  static void absorb(Sums& sums, std::byte* to, const std::byte* from, std::size_t bytes) {
    sums.value = of_words<Combine, kCopies>(sums.value, to, from, bytes);
  }

  static std::uint64_t finish(Sums sums, const std::byte* tail, std::size_t tail_bytes,
                              std::uint64_t /*bytes*/) {
    Combine::into(sums.value, padded_word<std::uint32_t>(tail, tail_bytes));
    return sums.value;
  }
};

}  // namespace holdfast::word_sums
