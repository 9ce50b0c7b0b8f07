// Where the bytes of a message lie in the program's memory: in one piece, or as a list of segments
// says, which is the convertor's business (stack/segments). A message of several pieces is never
// made one: fragments are packed straight into their frames, and unpacked from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/segments/segment_list.hpp"

namespace holdfast::reliable {

// A view: what it names must outlive it.
struct MessageMemory {
  std::byte* start = nullptr;         // of what lies in one piece
  const SegmentList* list = nullptr;  // null: it does
};

// Of a list whose bytes lie in one piece only that is kept.
MessageMemory memory_of(const SegmentList& list);

// Copies `bytes` to where byte `at` of the message belongs, and what follows it.
void scatter(const MessageMemory& to, std::uint64_t at, std::span<const std::byte> bytes);
// Copies the first `bytes` of a message. They may not overlap.
void copy(const MessageMemory& to, const MessageMemory& from, std::uint64_t bytes);

}  // namespace holdfast::reliable
