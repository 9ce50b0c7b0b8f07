// Pieces for readv, and what to make of them.
#include "hw/tcp/expected_frames.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"
#include "stack/base/bytes.hpp"

namespace holdfast::hw {

void ExpectedFrames::add_piece(std::byte* memory, std::size_t bytes) {
  pieces_[piece_count_++] = {memory, bytes};
  bytes_ += bytes;
}

void ExpectedFrames::begin(std::span<const std::byte> here, std::byte* place) {
  HOLDFAST_ASSERT(count_ == 0 && here.size() >= kFramePrefixBytes);
  const auto size = load_le<std::uint32_t>(here.data());
  begun_ = here.subspan(kFramePrefixBytes);
  HOLDFAST_ASSERT(begun_.size() < size);
  add_piece(place + begun_.size(), size - begun_.size());
  sizes_[count_++] = size;
  is_begun_ = true;
}

void ExpectedFrames::add(std::uint32_t size, std::byte* place) {
  HOLDFAST_ASSERT(count_ < kMax);
  add_piece(prefixes_[count_].data(), kFramePrefixBytes);
  add_piece(place, size);
  sizes_[count_++] = size;
}

bool ExpectedFrames::is_as_expected(std::size_t frame) const {
  if (is_begun_ && frame == 0) return true;
  return load_le<std::uint32_t>(prefixes_[frame].data()) == sizes_[frame];
}

std::size_t ExpectedFrames::settle(std::size_t got) {
  std::size_t frames = 0;
  rest_from_ = 0;
  rest_bytes_ = got;
  for (; frames < count_; ++frames) {
    const std::size_t pieces = is_begun_ && frames == 0 ? 1 : 2;
    std::size_t due = 0;
    for (std::size_t i = 0; i < pieces; ++i) due += pieces_[rest_from_ + i].iov_len;
    if (rest_bytes_ < due || !is_as_expected(frames)) break;
    rest_from_ += pieces;
    rest_bytes_ -= due;
  }
  if (is_begun_ && frames > 0) {
    auto* const behind = static_cast<std::byte*>(pieces_[0].iov_base);
    std::copy(begun_.begin(), begun_.end(), behind - begun_.size());
  }
  return frames;
}

void ExpectedFrames::copy_rest(std::byte* to) const {
  std::size_t left = rest_bytes_;
  for (std::size_t i = rest_from_; left > 0; ++i) {
    const std::size_t here = std::min(left, pieces_[i].iov_len);
    to = std::copy_n(static_cast<const std::byte*>(pieces_[i].iov_base), here, to);
    left -= here;
  }
}

}  // namespace holdfast::hw
