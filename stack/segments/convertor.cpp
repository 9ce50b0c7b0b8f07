// Pieces of the stream that fit the innermost cache: between the blocks and the checksum of a piece
// nothing leaves it.
#include "stack/segments/convertor.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "stack/base/assert.hpp"
#include "stack/checksum/sum_then_copy.hpp"
#include "stack/segments/block_loops.hpp"

namespace holdfast {

namespace {

// Of the stream, at a time: a quarter of the smallest first-level cache there is.
constexpr std::uint64_t kPieceBytes = 8192;
// A block that is worth a call of the checksum by itself.
constexpr std::uint64_t kLongBytes = 4096;

// Whether what lies at the cursor is long, or is all that is asked for.
bool lies_long(const SegmentCursor& cursor, std::uint64_t bytes) {
  return cursor.contiguous().size() >= std::min(bytes, kLongBytes);
}

// copy_long(to, block) sums a long block and copies it.
template <class CopyLong>
void pack_summed(SegmentCursor& cursor, std::byte* to, std::uint64_t bytes,
                 RunningChecksum checksum, CopyLong copy_long) {
  HOLDFAST_ASSERT(bytes <= cursor.left());
  while (bytes > 0) {
    std::uint64_t some = std::min(bytes, kPieceBytes);
    if (lies_long(cursor, bytes)) {
      const BlockRun run = cursor.take(std::min<std::uint64_t>(bytes, cursor.contiguous().size()));
      some = run.bytes();
      copy_long(to, std::span<const std::byte>(run.first, some));
    } else {
      pack(cursor, to, some);
      checksum.algorithm.update(checksum.state, {to, some});
    }
    to += some;
    bytes -= some;
  }
}

}  // namespace

void pack(SegmentCursor& cursor, std::byte* to, std::uint64_t bytes) {
  HOLDFAST_ASSERT(bytes <= cursor.left());
  while (bytes > 0) {
    const std::uint64_t moved =
        cursor.take_short(bytes, [to](const std::byte* from, std::uint64_t done,
                                      std::uint64_t some) { copy_short(to + done, from, some); });
    to += moved;
    bytes -= moved;
    if (bytes == 0) return;
    const BlockRun run = cursor.take(bytes);
    gather_blocks(to, run);
    to += run.bytes();
    bytes -= run.bytes();
  }
}

void unpack(SegmentCursor& cursor, const std::byte* from, std::uint64_t bytes) {
  HOLDFAST_ASSERT(bytes <= cursor.left());
  HOLDFAST_ASSERT(cursor.list().use() == MemoryUse::receiving);
  while (bytes > 0) {
    const std::uint64_t moved =
        cursor.take_short(bytes, [from](std::byte* to, std::uint64_t done, std::uint64_t some) {
          copy_short(to, from + done, some);
        });
    from += moved;
    bytes -= moved;
    if (bytes == 0) return;
    const BlockRun run = cursor.take(bytes);
    scatter_blocks(run, from);
    from += run.bytes();
    bytes -= run.bytes();
  }
}

void pack(SegmentCursor& cursor, std::byte* to, std::uint64_t bytes, RunningChecksum checksum) {
  pack_summed(cursor, to, bytes, checksum, [&](std::byte* place, std::span<const std::byte> block) {
    checksum.algorithm.copy(checksum.state, place, block);
  });
}

void pack_in_two_passes(SegmentCursor& cursor, std::byte* to, std::uint64_t bytes,
                        RunningChecksum checksum) {
  pack_summed(cursor, to, bytes, checksum, [&](std::byte* place, std::span<const std::byte> block) {
    sum_then_copy(checksum.algorithm, checksum.state, place, block);
  });
}

void unpack(SegmentCursor& cursor, const std::byte* from, std::uint64_t bytes,
            RunningChecksum checksum) {
  HOLDFAST_ASSERT(bytes <= cursor.left());
  HOLDFAST_ASSERT(cursor.list().use() == MemoryUse::receiving);
  while (bytes > 0) {
    std::uint64_t some = std::min(bytes, kPieceBytes);
    if (lies_long(cursor, bytes)) {
      const BlockRun run = cursor.take(std::min<std::uint64_t>(bytes, cursor.contiguous().size()));
      some = run.bytes();
      checksum.algorithm.copy(checksum.state, run.first, {from, some});
    } else {
      checksum.algorithm.update(checksum.state, {from, some});
      unpack(cursor, from, some);
    }
    from += some;
    bytes -= some;
  }
}

void checksum_only(SegmentCursor& cursor, std::uint64_t bytes, RunningChecksum checksum) {
  HOLDFAST_ASSERT(bytes <= cursor.left());
  std::array<std::byte, kPieceBytes> gathered;
  while (bytes > 0) {
    std::uint64_t some = std::min(bytes, kPieceBytes);
    if (lies_long(cursor, bytes)) {
      const BlockRun run = cursor.take(std::min<std::uint64_t>(bytes, cursor.contiguous().size()));
      some = run.bytes();
      checksum.algorithm.update(checksum.state, {run.first, some});
    } else {
      pack(cursor, gathered.data(), some);
      checksum.algorithm.update(checksum.state, {gathered.data(), some});
    }
    bytes -= some;
  }
}

}  // namespace holdfast
