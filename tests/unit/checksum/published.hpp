// The checksums once more, each written from its published definition and without regard to speed:
// bit by bit, byte by byte, with the length and all data at hand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace holdfast::published {

using Data = std::span<const std::uint8_t>;

// The n-th word of `Bytes` bytes, little-endian, zero bytes after the end.
template <unsigned Bytes>
std::uint64_t word(Data data, std::size_t n) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < Bytes && n * Bytes + i < data.size(); ++i)
    value |= std::uint64_t{data[n * Bytes + i]} << (8 * i);
  return value;
}

inline std::size_t words(Data data, std::size_t bytes) {
  return (data.size() + bytes - 1) / bytes;
}

inline std::uint64_t sum32(Data data) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < words(data, 4); ++i)
    sum += static_cast<std::uint32_t>(word<4>(data, i));
  return sum;
}

inline std::uint64_t xor32(Data data) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < words(data, 4); ++i)
    sum ^= static_cast<std::uint32_t>(word<4>(data, i));
  return sum;
}

// RFC 1950, section 8.2.
inline std::uint64_t adler32(Data data) {
  std::uint64_t s1 = 1, s2 = 0;
  for (const std::uint8_t byte : data) {
    s1 = (s1 + byte) % 65521;
    s2 = (s2 + s1) % 65521;
  }
  return s2 << 16 | s1;
}

inline std::uint64_t fletcher64(Data data) {
  std::uint64_t s1 = 0, s2 = 0;
  for (std::size_t i = 0; i < words(data, 4); ++i) {
    s1 = (s1 + word<4>(data, i)) % 0xffffffff;
    s2 = (s2 + s1) % 0xffffffff;
  }
  return s2 << 32 | s1;
}

inline std::uint64_t jenkins_oaat(Data data) {
  std::uint32_t hash = 0;
  for (const std::uint8_t byte : data) {
    hash += byte;
    hash += hash << 10;
    hash ^= hash >> 6;
  }
  hash += hash << 3;
  hash ^= hash >> 11;
  hash += hash << 15;
  return hash;
}

// FNV-1a of 64 bits over 64-bit words, then over the bytes that are left.
inline std::uint64_t fnv1a(Data data) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < data.size() / 8; ++i)
    hash = (hash ^ word<8>(data, i)) * 0x100000001b3;
  for (std::size_t i = data.size() / 8 * 8; i < data.size(); ++i)
    hash = (hash ^ data[i]) * 0x100000001b3;
  return hash;
}

inline std::uint64_t knuth(Data data) {
  auto hash = static_cast<std::uint32_t>(data.size());
  for (const std::uint8_t byte : data) hash = ((hash << 5) ^ (hash >> 27)) ^ byte;
  return hash;
}

inline std::uint64_t murmur2a(Data data) {
  const std::uint32_t m = 0x5bd1e995;
  std::uint32_t hash = 0;
  const auto mix = [&](std::uint32_t k) {
    k *= m;
    k ^= k >> 24;
    k *= m;
    hash *= m;
    hash ^= k;
  };
  for (std::size_t i = 0; i < data.size() / 4; ++i)
    mix(static_cast<std::uint32_t>(word<4>(data, i)));
  mix(data.size() % 4 == 0 ? 0 : static_cast<std::uint32_t>(word<4>(data, data.size() / 4)));
  mix(static_cast<std::uint32_t>(data.size()));
  hash ^= hash >> 13;
  hash *= m;
  hash ^= hash >> 15;
  return hash;
}

inline std::uint64_t superfast(Data data) {
  auto hash = static_cast<std::uint32_t>(data.size());
  const auto half = [&](std::size_t n) { return static_cast<std::uint32_t>(word<2>(data, n)); };
  const auto last = [&] {
    const int value = data.back();
    return static_cast<std::uint32_t>(value < 128 ? value : value - 256);
  };
  const std::size_t whole = data.size() / 4;
  for (std::size_t i = 0; i < whole; ++i) {
    hash += half(2 * i);
    const std::uint32_t other = (half(2 * i + 1) << 11) ^ hash;
    hash = (hash << 16) ^ other;
    hash += hash >> 11;
  }
  switch (data.size() % 4) {
    case 3:
      hash += half(2 * whole);
      hash ^= hash << 16;
      hash ^= last() << 18;
      hash += hash >> 11;
      break;
    case 2:
      hash += half(2 * whole);
      hash ^= hash << 11;
      hash += hash >> 17;
      break;
    case 1:
      hash += last();
      hash ^= hash << 10;
      hash += hash >> 1;
      break;
    default:
      break;
  }
  hash ^= hash << 3;
  hash += hash >> 5;
  hash ^= hash << 4;
  hash += hash >> 17;
  hash ^= hash << 25;
  hash += hash >> 6;
  return hash;
}

// RFC 3720, appendix B.4, one bit after the other.
inline std::uint64_t crc32c(Data data) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : data) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

}  // namespace holdfast::published
