// CRC-32C of so few bytes that to choose a kernel takes longer than the CRC: a header, a seed. How
// many they are is known when they are compiled, so it is a row of instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack/checksum/crc32c.hpp"
#include "stack/checksum/crc32c_scalar.hpp"

namespace holdfast {

#if defined(__x86_64__)

// False as well until it is initialised, as other globals are: then the way of every processor is
// taken.
extern const bool kHasCrc32Instruction;

template <std::size_t kBytes>
HOLDFAST_SSE42 std::uint32_t crc32c_by_instruction(const std::byte* from, std::uint32_t crc) {
  return ~crc32c_scalar::few<false>(~crc, nullptr, from, kBytes);
}

#endif

// As crc32c() of the kBytes at `from`.
template <std::size_t kBytes>
std::uint32_t short_crc32c(const std::byte* from, std::uint32_t crc = 0) {
#if defined(__x86_64__)
  if (kHasCrc32Instruction) return crc32c_by_instruction<kBytes>(from, crc);
#endif
  return crc32c({from, kBytes}, crc);
}

}  // namespace holdfast
