// Moving a message between its memory and the stream that goes over a network: the convertor of
// Shipman, Graham and Bosilca (Euro-Par 2007, section 3.4).
//
// Every operation moves any number of bytes from where the cursor is and leaves it behind them, so
// that a message is packed fragment by fragment, each when there is room for it, and one lost
// fragment is packed anew from wherever it begins. With a checksum memory is read once: long blocks
// are copied by the checksum itself, or meet it in the innermost cache as short ones do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stack/checksum/checksum.hpp"
#include "stack/segments/segment_cursor.hpp"

namespace holdfast {

// A computation under way, begun by the caller with the bytes that it will be of, and finished by
// him; of the bytes in the order of the stream.
struct RunningChecksum {
  const Checksum& algorithm;
  ChecksumState& state;
};

// Copies the next `bytes` of the stream, at most those that are left, from their segments to `to`.
void pack(SegmentCursor& cursor, std::byte* to, std::uint64_t bytes);
void pack(SegmentCursor& cursor, std::byte* to, std::uint64_t bytes, RunningChecksum checksum);
// Likewise; long blocks are summed before they are copied (sum_then_copy.hpp).
void pack_in_two_passes(SegmentCursor& cursor, std::byte* to, std::uint64_t bytes,
                        RunningChecksum checksum);

// Copies `bytes` at `from` to where they belong. The list was described for receiving.
void unpack(SegmentCursor& cursor, const std::byte* from, std::uint64_t bytes);
void unpack(SegmentCursor& cursor, const std::byte* from, std::uint64_t bytes,
            RunningChecksum checksum);

// Computes and copies nothing, for what is sent from where it lies.
void checksum_only(SegmentCursor& cursor, std::uint64_t bytes, RunningChecksum checksum);

}  // namespace holdfast
