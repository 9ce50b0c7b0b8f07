// Frames on a stream. Before each are 16 bytes: its length, four bytes, little-endian, and zeros.
// Behind it are so many bytes without a meaning that the next begins at a multiple of 64.
//
// The kernel copies whole cache lines faster (docs/speed.md). With the 48 bytes that begin the
// frame of a message the prefix is one, so its payload begins with a line wherever the kernel goes
// on in its memory; and that is where the call before ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack/base/bytes.hpp"

namespace holdfast::hw {

constexpr std::size_t kFramePrefixBytes = 16;
constexpr std::size_t kCacheLineBytes = 64;

// Of a frame on the stream, the bytes before and behind it included.
constexpr std::size_t stream_bytes(std::uint32_t frame_bytes) {
  return (kFramePrefixBytes + frame_bytes + kCacheLineBytes - 1) / kCacheLineBytes *
         kCacheLineBytes;
}

// Behind it.
constexpr std::size_t padding_bytes(std::uint32_t frame_bytes) {
  return stream_bytes(frame_bytes) - kFramePrefixBytes - frame_bytes;
}

// `to` has room for kFramePrefixBytes.
inline void put_prefix(std::uint32_t frame_bytes, std::byte* to) {
  store_le(to, std::uint64_t{frame_bytes});
  store_le(to + 8, std::uint64_t{0});
}

// From kFramePrefixBytes. False: those are no prefix.
inline bool take_prefix(const std::byte* from, std::uint32_t& frame_bytes) {
  const auto first = load_le<std::uint64_t>(from);
  frame_bytes = static_cast<std::uint32_t>(first);
  return first >> 32 == 0 && load_le<std::uint64_t>(from + 8) == 0;
}

}  // namespace holdfast::hw
