// Copies without a checksum; those with one are PayloadSum's.
#include "stack/reliable/message_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "stack/segments/convertor.hpp"
#include "stack/segments/segment_cursor.hpp"

namespace holdfast::reliable {

namespace {
// Of a message between two lists, at a time: what stays in the innermost cache.
constexpr std::uint64_t kPieceBytes = 8192;
}  // namespace

MessageMemory memory_of(const SegmentList& list) {
  const std::span<std::byte> first = SegmentCursor(list).contiguous();
  if (first.size() == list.bytes()) return {first.data(), nullptr};
  return {nullptr, &list};
}

void scatter(const MessageMemory& to, std::uint64_t at, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (to.list == nullptr) {
    std::memcpy(to.start + at, bytes.data(), bytes.size());
    return;
  }
  SegmentCursor cursor(*to.list, at);
  unpack(cursor, bytes.data(), bytes.size());
}

void copy(const MessageMemory& to, const MessageMemory& from, std::uint64_t bytes) {
  if (from.list == nullptr) return scatter(to, 0, {from.start, bytes});
  SegmentCursor out(*from.list);
  if (to.list == nullptr) return pack(out, to.start, bytes);
  SegmentCursor in(*to.list);
  std::array<std::byte, kPieceBytes> piece;
  for (std::uint64_t left = bytes; left > 0;) {
    const std::uint64_t some = std::min(left, kPieceBytes);
    pack(out, piece.data(), some);
    unpack(in, piece.data(), some);
    left -= some;
  }
}

}  // namespace holdfast::reliable
