// A place in the stream of a segment list, and the walk from there: the convertor's state.
//
// The walk gives *runs*: equal blocks at equal distances, so that whoever moves bytes has a loop
// over many of them and asks only once. A cursor goes on from wherever it was left, also in the
// middle of a block, at no cost; it can be put anywhere in the time of a binary search among the
// segments, whatever the number of blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/segments/segment_list.hpp"

namespace holdfast {

// `rows` >= 1 rows of `blocks` >= 1 blocks of `block_bytes` >= 1 each, the first one at `first`.
struct BlockRun {
  std::byte* first;
  std::uint64_t block_bytes;
  std::uint64_t blocks;
  std::int64_t stride;  // bytes from one block's start to the next one's
  std::uint64_t rows = 1;
  std::int64_t row_stride = 0;  // likewise of rows

  std::uint64_t bytes() const { return block_bytes * blocks * rows; }
};

// A value: a copy goes on from where the original was. The list must outlive it, and if it
// describes something else meanwhile, `seek` is the only thing to do next.
class SegmentCursor {
 public:
  // Pieces of at most so many bytes are what `take_short` is for.
  static constexpr std::uint64_t kShortBytes = 64;

  explicit SegmentCursor(const SegmentList& list, std::uint64_t at = 0) : list_(&list) { seek(at); }

  const SegmentList& list() const { return *list_; }
  // Bytes of the stream before the cursor.
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return list_->bytes() - at_; }

  // Before byte `at` of the stream, at most its length.
  void seek(std::uint64_t at);

  // What lies in one piece of memory from here on: at least one byte unless nothing is left. A
  // transport may send it from where it is.
  std::span<std::byte> contiguous() const;

  // The longest run that begins here and has at most `bytes_max` bytes, which is more than none and
  // not more than are left. Moves behind it.
  BlockRun take(std::uint64_t bytes_max);

  // For lists of very short contiguous pieces, in which a run has one block: move(start, moved,
  // bytes) for each whole one from here on, until a longer one or until `bytes_max` would be
  // exceeded; `moved` bytes had those before. Returns how many bytes they had.
  template <class Move>
  std::uint64_t take_short(std::uint64_t bytes_max, Move move);

 private:
  void enter(std::size_t piece);
  BlockRun take_part(std::uint64_t bytes_max);
  void next_row(std::uint64_t rows);
  void place_block();
  std::int64_t shift_of_element() const {
    return static_cast<std::int64_t>(element_) * list_->elements_.stride;
  }

  const SegmentList* list_;
  std::uint64_t at_ = 0;
  std::uint64_t element_ = 0;  // how many went before
  std::size_t piece_ = 0;      // of the element; its end only where nothing is left
  // Of the piece, copied so that a walk does not look them up: its blocks, and how many went before
  // at each level.
  SegmentList::Shape shape_{};
  std::array<std::uint64_t, kLevels> done_{};
  std::byte* block_ = nullptr;  // where the current one starts
  std::uint64_t into_ = 0;      // bytes of it that went before, fewer than it has
};

template <class Move>
std::uint64_t SegmentCursor::take_short(std::uint64_t bytes_max, Move move) {
  if (into_ != 0 || left() == 0) return 0;
  const SegmentList::Piece* const first = list_->pieces_.data() + piece_;
  const SegmentList::Piece* const end = &list_->pieces_.back();
  const std::int64_t shift = shift_of_element();
  const SegmentList::Piece* piece = first;
  const std::uint64_t begins = first->begins;
  std::uint64_t moved = 0;
  while (piece != end && piece->shape == SegmentList::kContiguous) {
    const std::uint64_t behind = piece[1].begins - begins;
    if (behind - moved > kShortBytes || behind > bytes_max) break;
    move(piece->start + shift, moved, behind - moved);
    moved = behind;
    ++piece;
  }
  if (piece == first) return 0;
  at_ += moved;
  enter(static_cast<std::size_t>(piece - list_->pieces_.data()));
  return moved;
}

}  // namespace holdfast
