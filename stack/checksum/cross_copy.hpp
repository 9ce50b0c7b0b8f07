// A checksum and a copy into memory that another processor reads, and has in its caches: a ring
// that two processes share. A store of a register fetches its line from there before it changes
// it; memcpy of some length takes lines over without. So a checksum that copies on its way is slow
// there if the two have no cache in common, and if they have one it is the faster way
// (tests/bench/cross_bench). Here memcpy alone stores: the checksum of a piece comes first, which
// leaves the piece in the innermost cache, and then the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/checksum/checksum.hpp"

namespace holdfast {

// Summed and then copied at a time: half of the smallest first-level cache there is, and more than
// memcpy takes to think a string instruction worth its start (2,112 bytes with glibc 2.36).
inline constexpr std::size_t kCrossPieceBytes = 16384;

// As Checksum::copy, and as Checksum::copy_of.
void cross_copy(const Checksum& checksum, ChecksumState& state, std::byte* to,
                std::span<const std::byte> from);
std::uint64_t cross_copy_of(const Checksum& checksum, std::byte* to,
                            std::span<const std::byte> from, std::uint64_t seed);

}  // namespace holdfast
