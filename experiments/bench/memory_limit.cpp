// Four running ORs, so that loads are the only limit. The compiler's vectors become the widest
// registers of the target that a function is compiled for.
#include "experiments/bench/memory_limit.hpp"

#include <cstring>

#include "stack/checksum/processor.hpp"

namespace holdfast::bench {
namespace {

using Words = std::uint64_t __attribute__((vector_size(64)));

// Inlined, so that it is compiled for the target of its caller.
__attribute__((always_inline)) inline std::uint64_t read_all(std::span<const std::byte> from) {
  Words a{}, b{}, c{}, d{};
  const std::byte* at = from.data();
  std::size_t left = from.size();
  for (; left >= 4 * sizeof(Words); left -= 4 * sizeof(Words), at += 4 * sizeof(Words)) {
    Words w, x, y, z;
    std::memcpy(&w, at, sizeof w);
    std::memcpy(&x, at + sizeof w, sizeof x);
    std::memcpy(&y, at + 2 * sizeof w, sizeof y);
    std::memcpy(&z, at + 3 * sizeof w, sizeof z);
    a |= w, b |= x, c |= y, d |= z;
  }
  a |= b, c |= d, a |= c;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < 8; ++i) all |= a[i];
  for (; left != 0; --left, ++at) all |= std::to_integer<std::uint64_t>(*at);
  return all;
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) std::uint64_t read_avx512(std::span<const std::byte> from) {
  return read_all(from);
}
#endif

}  // namespace

std::uint64_t read_memory(std::span<const std::byte> from) {
#if defined(__x86_64__)
  if (processor_features().avx512_vpclmulqdq) return read_avx512(from);
#endif
  return read_all(from);
}

}  // namespace holdfast::bench
