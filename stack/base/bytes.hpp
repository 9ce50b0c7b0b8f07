// Little-endian loads and stores: the wire's byte order, whatever the processor's.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace holdfast {

static_assert(
    std::endian::native == std::endian::little,
    "Debian's targets of this project are little-endian; a big-endian port adds a swap here");

template <class Integer>
Integer load_le(const std::byte* from) {
  static_assert(std::is_unsigned_v<Integer>);
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Integer>
void store_le(std::byte* to, Integer value) {
  static_assert(std::is_unsigned_v<Integer>);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace holdfast
