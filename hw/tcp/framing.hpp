// Frames on a stream. Before each are 16 bytes: its length (four, little-endian), how many bytes
// without a meaning are behind it (one, less than 64), and zeros.
//
// The kernel copies whole cache lines faster (docs/speed.md). With the 48 bytes that begin the
// frame of a message the prefix is one, so a payload begins with a line; what each call writes ends
// with one, for the next goes on in the kernel's memory where it ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack/base/bytes.hpp"

namespace holdfast::hw {

constexpr std::size_t kFramePrefixBytes = 16;
constexpr std::uint32_t kLineBytes = 64;
// Shorter ones are not worth a call, nor a line, of their own.
constexpr std::uint32_t kLongFrameBytes = 4096;

struct FramePrefix {
  std::uint32_t size = 0;     // of the frame
  std::uint32_t padding = 0;  // behind it

  std::size_t all() const { return kFramePrefixBytes + size + padding; }
};

// What is missing to whole lines.
constexpr std::uint32_t padding_of(std::size_t bytes) {
  return static_cast<std::uint32_t>((kLineBytes - bytes % kLineBytes) % kLineBytes);
}

// kFramePrefixBytes there.
inline void put_prefix(const FramePrefix& prefix, std::byte* to) {
  store_le(to, std::uint64_t{prefix.padding} << 32 | prefix.size);
  store_le(to + 8, std::uint64_t{0});
}

// Of the same. False: nobody has written that.
inline bool take_prefix(const std::byte* from, FramePrefix& prefix) {
  const auto first = load_le<std::uint64_t>(from);
  prefix = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> 32)};
  return prefix.padding < kLineBytes && load_le<std::uint64_t>(from + 8) == 0;
}

}  // namespace holdfast::hw
