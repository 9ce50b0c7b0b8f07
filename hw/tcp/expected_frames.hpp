// Where the bytes of one read go if all frames are as long as expected: each length apart, each
// frame into its place. What came otherwise can be put together again.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/tcp/framing.hpp"

namespace holdfast::hw {

class ExpectedFrames {
 public:
  static constexpr std::size_t kMax = 16;

  // Of the first frame its length and perhaps more is here, and stays until settle(); the rest of
  // it is expected.
  void begin(std::span<const std::byte> here, std::byte* place);
  // At most kMax in all.
  void add(std::uint32_t size, std::byte* place);

  std::size_t count() const { return count_; }
  // That are still to come.
  std::size_t bytes() const { return bytes_; }
  std::span<iovec> pieces() { return std::span(pieces_).first(piece_count_); }

  // After so many bytes have come: how many frames, from the first on, are whole and as expected.
  std::size_t settle(std::size_t got);
  std::uint32_t size(std::size_t frame) const { return sizes_[frame]; }
  // What came behind those frames, as it came. `to` is none of the places.
  std::size_t rest_bytes() const { return rest_bytes_; }
  void copy_rest(std::byte* to) const;

 private:
  bool is_as_expected(std::size_t frame) const;
  void add_piece(std::byte* memory, std::size_t bytes);

  std::array<std::uint32_t, kMax> sizes_;
  std::array<std::array<std::byte, kFramePrefixBytes>, kMax> prefixes_;
  std::array<iovec, 2 * kMax> pieces_;
  std::size_t count_ = 0, piece_count_ = 0, bytes_ = 0;
  bool is_begun_ = false;                       // the length of the first one was here
  std::span<const std::byte> begun_;            // and this of it
  std::size_t rest_from_ = 0, rest_bytes_ = 0;  // since settle(): the piece that the rest begins in
};

}  // namespace holdfast::hw
