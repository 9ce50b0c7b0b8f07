// CRC-32C (Castagnoli; RFC 3720, appendix B.4): finds up to 3 flipped bits in messages of up to
// 256 MiB, up to 5 in up to 655 bytes, each burst of up to 32 bits, and all but one in 2^32 of
// other damages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast {

// The CRC of what `crc` is the CRC of, followed by `from`; 0 is that of nothing.
std::uint32_t crc32c(std::span<const std::byte> from, std::uint32_t crc = 0);

// Likewise, and copies `from` to `to`; they may not overlap.
std::uint32_t copy_crc32c(std::byte* to, std::span<const std::byte> from, std::uint32_t crc = 0);

// The CRC of two pieces in a row from those of each and the length of the second, in bytes. Takes
// about a hundred nanoseconds whatever the length.
std::uint32_t combine_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

}  // namespace holdfast
