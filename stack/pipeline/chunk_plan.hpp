// How a long message is cut for the super-pipeline (Denis, Trahay and Ishikawa, EuroMPI 2012,
// section 4.3; Denis, Euro-Par 2011).
//
// Long messages are copied into memory that the adapter may use, with their checksum on the way. A
// chunk is copied while the one before is on the wire, so with a copy q times as fast as the wire
// each may be q times as long: the first one as long as is copied during the rendezvous, few of
// them for a long message, and the wire never waits.
//
// The receiver would copy out the last chunk with nothing else under way, so the paper handles that
// one block by block, as the blocks arrive. That is enough if q^2 > q + 1: else the receiver is
// still busy with the chunk before the last when the last has come, so every chunk should be copied
// out in blocks (tests/unit/pipeline shows it). Blocks are there for each chunk.
//
// A plan is a value, computed and not stored: chunk n is found in a few multiplications.
#pragma once

#include <cstdint>
#include <optional>

#include "stack/pipeline/cost_model.hpp"

namespace holdfast {

struct ChunkLimits {
  // Chunks are whole fragments, but for the end of the message.
  std::uint64_t fragment_bytes;
  // What a receiver copies out at a time; the last block of a chunk may be shorter.
  std::uint64_t block_bytes;
  // Buffers have an end: chunks grow up to as many whole fragments as this holds, 1 to 2^32.
  std::uint64_t chunk_bytes_max;
};

// How chunks grow on one rail, whatever the message.
class ChunkGrowth {
 public:
  // A ratio q closer to 1 is taken for 1: chunks that hardly grow are equal chunks.
  static constexpr double kLeastRatio = 1 + 0x1p-10;

  // The first chunk is C_0 = 2 latency B_copy in whole fragments, at least one; the ratio is q =
  // B_copy / B_net, and chunks of C_0 follow each other where that does not exceed 1. Nothing if a
  // bandwidth is not above 0 and finite, the latency is negative, or a limit out of its range.
  static std::optional<ChunkGrowth> of(const NetworkCost& network, double copy_bytes_per_s,
                                       const ChunkLimits& limits);

  // Fragments before chunk n.
  std::uint64_t fragments_before(std::uint64_t n) const;
  // The first chunk that begins at fragment `fragment` or later.
  std::uint64_t chunk_from(std::uint64_t fragment) const;

  std::uint64_t first_bytes() const { return first_ * limits_.fragment_bytes; }
  // q; 1: chunks are equal.
  double ratio() const { return ratio_; }
  const ChunkLimits& limits() const { return limits_; }

 private:
  ChunkGrowth() = default;
  double grown(std::uint64_t n) const;

  ChunkLimits limits_{};
  double ratio_ = 1;
  std::uint64_t first_ = 1;              // fragments of chunk 0
  std::uint64_t most_ = 1;               // fragments of the chunks that do not grow any more
  std::uint64_t growing_ = 0;            // how many chunks come before those
  std::uint64_t growing_fragments_ = 0;  // their fragments
};

// Bytes of a message.
struct ByteRange {
  std::uint64_t offset;
  std::uint64_t bytes;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// The chunks of one message: in order, without a gap, none empty.
class ChunkPlan {
 public:
  ChunkPlan(const ChunkGrowth& growth, std::uint64_t message_bytes);

  // None for an empty message.
  std::uint64_t chunks() const { return chunks_; }
  // n < chunks().
  ByteRange chunk(std::uint64_t n) const;
  // Chunk n in blocks: in order, without a gap, none empty. n < chunks().
  std::uint64_t blocks(std::uint64_t n) const;
  // i < blocks(n).
  ByteRange block(std::uint64_t n, std::uint64_t i) const;

 private:
  ChunkGrowth growth_;
  std::uint64_t message_bytes_;
  std::uint64_t chunks_;
};

}  // namespace holdfast
