// A checksum and a copy in two passes, for memory that another processor reads, and has in its
// caches: a ring that two processes share. A store of a register fetches its line from there before
// it changes it; memcpy of some length, where it has a string instruction for that, takes lines
// over without. On one machine whose processors had no cache in common a checksum that copies on
// its way took three times as long; on another one it is the faster way (tests/bench/cross_bench).
// Here the checksum of a piece comes first, which leaves the piece in the innermost cache, and then
// memcpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/checksum/checksum.hpp"

namespace holdfast {

// Summed and then copied at a time: half of the smallest first-level cache there is, and more than
// memcpy takes to think a string instruction worth its start (2,112 bytes with glibc 2.36).
inline constexpr std::size_t kSumThenCopyBytes = 16384;

// As Checksum::copy, and as Checksum::copy_of.
void sum_then_copy(const Checksum& checksum, ChecksumState& state, std::byte* to,
                   std::span<const std::byte> from);
std::uint64_t sum_then_copy_of(const Checksum& checksum, std::byte* to,
                               std::span<const std::byte> from, std::uint64_t seed);

}  // namespace holdfast
