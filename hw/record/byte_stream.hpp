// Values to bytes and back, little-endian, for recordings. Reading trusts nothing: past the end
// every value is zero and good() is false.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/base/bytes.hpp"

namespace holdfast::hw {

class ByteWriter {
 public:
  void clear() { bytes_.clear(); }
  std::span<const std::byte> bytes() const { return bytes_; }

  template <class Integer>
  void put(Integer value) {
    std::array<std::byte, sizeof(Integer)> encoded;
    store_le(encoded.data(), value);
    put_bytes(encoded);
  }
  void put_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // With a length of 32 bits in front.
  void put_block(std::span<const std::byte> bytes) {
    put(static_cast<std::uint32_t>(bytes.size()));
    put_bytes(bytes);
  }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

  template <class Integer>
  Integer get() {
    const std::span<const std::byte> bytes = get_bytes(sizeof(Integer));
    return bytes.empty() ? Integer{0} : load_le<Integer>(bytes.data());
  }
  // Empty past the end.
  std::span<const std::byte> get_bytes(std::size_t count) {
    if (count > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const std::span<const std::byte> bytes = rest_.first(count);
    rest_ = rest_.subspan(count);
    return bytes;
  }
  std::span<const std::byte> get_block() { return get_bytes(get<std::uint32_t>()); }
  // What was read last means nothing.
  void fail() {
    good_ = false;
    rest_ = {};
  }

 private:
  std::span<const std::byte> rest_;
  bool good_ = true;
};

}  // namespace holdfast::hw
