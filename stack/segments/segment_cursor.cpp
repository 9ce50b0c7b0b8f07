// Counters of blocks at each level, as an odometer has wheels: the innermost turns with each block,
// the next one when that is through, and the last one takes the walk to the next piece.
#include "stack/segments/segment_cursor.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast {

void SegmentCursor::seek(std::uint64_t at) {
  HOLDFAST_ASSERT(at <= list_->bytes());
  at_ = at;
  if (left() == 0) {
    element_ = 0;
    into_ = 0;
    return;
  }
  element_ = at / list_->element_bytes_;
  const std::uint64_t within = at % list_->element_bytes_;
  const auto& pieces = list_->pieces_;
  const auto behind = std::ranges::upper_bound(pieces, within, {}, &SegmentList::Piece::begins);
  const auto piece = static_cast<std::size_t>(behind - pieces.begin()) - 1;
  enter(piece);
  std::uint64_t blocks = (within - pieces[piece].begins) / shape_.block_bytes;
  into_ = (within - pieces[piece].begins) % shape_.block_bytes;
  for (std::size_t level = 0; level < kLevels; ++level) {
    done_[level] = blocks % shape_.levels[level].count;
    blocks /= shape_.levels[level].count;
  }
  place_block();
}

std::span<std::byte> SegmentCursor::contiguous() const {
  if (left() == 0) return {};
  return {block_ + into_, shape_.block_bytes - into_};
}

BlockRun SegmentCursor::take(std::uint64_t bytes_max) {
  HOLDFAST_ASSERT(bytes_max > 0 && bytes_max <= left());
  if (into_ != 0 || bytes_max < shape_.block_bytes) return take_part(bytes_max);
  const Level& blocks = shape_.levels[0];
  const Level& rows = shape_.levels[1];
  BlockRun run{block_, shape_.block_bytes, blocks.count - done_[0], blocks.stride};
  // All rows are in the list, so their bytes can be counted.
  if (run.bytes() > bytes_max) {
    run.blocks = bytes_max / run.block_bytes;
    done_[0] += run.blocks;
    block_ += static_cast<std::int64_t>(run.blocks) * run.stride;
    at_ += run.bytes();
    return run;
  }
  if (done_[0] == 0) {
    run.rows = rows.count - done_[1];
    run.row_stride = rows.stride;
    if (run.bytes() > bytes_max) run.rows = bytes_max / (run.block_bytes * run.blocks);
  }
  at_ += run.bytes();
  next_row(run.rows);
  return run;
}

// Of one block, up to its end or to as many bytes.
BlockRun SegmentCursor::take_part(std::uint64_t bytes_max) {
  const BlockRun run{block_ + into_, std::min(shape_.block_bytes - into_, bytes_max), 1, 0};
  at_ += run.block_bytes;
  into_ += run.block_bytes;
  if (into_ < shape_.block_bytes) return run;
  into_ = 0;
  if (++done_[0] < shape_.levels[0].count) {
    block_ += shape_.levels[0].stride;
  } else {
    next_row(1);
  }
  return run;
}

// Behind so many rows, the last one of which is through.
void SegmentCursor::next_row(std::uint64_t rows) {
  done_[0] = 0;
  std::uint64_t more = rows;
  for (std::size_t level = 1; level < kLevels; ++level, more = 1) {
    done_[level] += more;
    if (done_[level] < shape_.levels[level].count) return place_block();
    done_[level] = 0;
  }
  enter(piece_ + 1);
}

// At the first byte of a piece, or of the next element where there is no further one.
void SegmentCursor::enter(std::size_t piece) {
  if (piece + 1 == list_->pieces_.size()) {
    if (left() == 0) return;
    piece = 0;
    ++element_;
  }
  piece_ = piece;
  const SegmentList::Piece& entered = list_->pieces_[piece];
  if (entered.shape == SegmentList::kContiguous) {
    shape_ = {(&entered)[1].begins - entered.begins, {}};
  } else {
    shape_ = list_->shapes_[entered.shape];
  }
  done_ = {};
  into_ = 0;
  block_ = entered.start + shift_of_element();
}

void SegmentCursor::place_block() {
  block_ = list_->pieces_[piece_].start + shift_of_element();
  for (std::size_t level = 0; level < kLevels; ++level)
    block_ += static_cast<std::int64_t>(done_[level]) * shape_.levels[level].stride;
}

}  // namespace holdfast
