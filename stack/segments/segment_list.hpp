// Where the bytes of one message lie: the *convertor* of Shipman, Graham and Bosilca (Euro-Par
// 2007, section 3.4), its description half.
//
// A message is one stream of bytes, however its memory lies. A segment describes blocks at regular
// distances, nested up to three deep, as MPI's vectors and subarrays have them, so the column of a
// matrix takes as much memory as a single number. A list puts segments in a row, as indexed types
// do, and may itself be repeated, as MPI sends `count` elements of a type. Nothing is copied here
// and nothing of the message is touched: segment_cursor.hpp walks along a list, convertor.hpp moves
// the bytes.
//
// A list never writes to what is described for sending; it takes plain pointers all the same, as
// iovec does, so that one description serves both directions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace holdfast {

// `count` times what is within, `stride` bytes from one start to the next; it may be negative.
struct Level {
  std::uint64_t count = 1;
  std::int64_t stride = 0;

  friend bool operator==(const Level&, const Level&) = default;
};

constexpr std::size_t kLevels = 3;

// Blocks of `block_bytes`, the first one at `start`; levels[0] is the innermost. With levels as
// they are by default it is one contiguous piece.
struct Segment {
  std::byte* start = nullptr;
  std::uint64_t block_bytes = 0;
  std::array<Level, kLevels> levels{};
};

// What is wrong with a list.
enum class [[nodiscard]] SegmentFault : std::uint8_t{
    none,
    too_long,     // its bytes do not fit into 64 bits
    outside,      // a block would begin at address 0, or lie beyond the address space
    overlapping,  // to receive: the same byte would be written twice
};
// For people, the middle of a sentence.
std::string_view explain(SegmentFault fault);

enum class MemoryUse : std::uint8_t { sending, receiving };

class SegmentList {
 public:
  // Describes no bytes. Has room for `segments` segments; a longer description allocates, the same
  // list described anew does so only if it is longer than ever before.
  explicit SegmentList(std::size_t segments = 1);

  // Describes `segments`, in a row, the whole `elements.count` times; what was described before is
  // forgotten. The memory must stay the caller's to lend for as long as the list is used; the array
  // of segments need not. With a fault the list describes no bytes.
  //
  // For receiving, these overlaps are found: blocks of one segment that are longer than a stride of
  // it; more bytes than there is room for between the lowest and the highest address, in one
  // segment and in all; contiguous segments that follow each other in the list. So a list of
  // contiguous pieces in order of their addresses is checked fully. Not found: what only shows when
  // all blocks are compared, such as strides that interleave, or pieces far apart in the list that
  // overlap; then the bytes that come last in the stream stay.
  SegmentFault describe(std::span<const Segment> segments, MemoryUse use, Level elements = {});
  // Likewise, of contiguous pieces.
  SegmentFault describe(std::span<const std::span<std::byte>> pieces, MemoryUse use,
                        Level elements = {});

  // Of the stream.
  std::uint64_t bytes() const { return bytes_; }
  MemoryUse use() const { return use_; }

 private:
  friend class SegmentCursor;

  // A segment as it is kept; empty ones are not, and neighbours that touch are one.
  struct Piece {
    std::byte* start;
    std::uint64_t begins;  // bytes of the element before it
    std::size_t shape;     // in shapes_; kContiguous: one block up to the next piece's beginning
  };
  static constexpr std::size_t kContiguous = ~std::size_t{0};
  struct Shape {
    std::uint64_t block_bytes;
    std::array<Level, kLevels> levels;  // those that there are come first; others have count 1

    friend bool operator==(const Shape&, const Shape&) = default;
  };
  // Lowest address and the one behind the highest.
  struct Extent {
    std::uint64_t low, high;
  };

  template <class Each>
  SegmentFault describe_each(std::span<const Each> all, MemoryUse use, Level elements);
  void clear(MemoryUse use);
  SegmentFault add(const Segment& segment);
  SegmentFault repeat(Level elements);
  std::size_t number_of(const Shape& shape);
  bool hits_itself(Level elements) const;

  // Bytes of the stream, and where they lie; of an empty segment only that it is empty.
  static SegmentFault measure(const Segment& segment, std::uint64_t& bytes, Extent& extent);
  static bool surely_overlaps(const Segment& segment, std::uint64_t bytes, Extent extent);
  static Shape simplified(const Shape& shape);

  MemoryUse use_ = MemoryUse::sending;
  std::vector<Piece> pieces_;  // and at the end one that begins where the element ends
  std::vector<Shape> shapes_;
  Level elements_;
  std::uint64_t element_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  Extent extent_{};  // of all
};

}  // namespace holdfast
