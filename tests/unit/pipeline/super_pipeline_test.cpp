// The super-pipeline computed step by step in whole numbers, as the oracle of its closed form
// (Denis, Trahay and Ishikawa, section 4.3), and what explains their difference.
//
// Time is counted in ticks such that a byte takes `copy` ticks on the wire and `wire` ticks to be
// copied, where `copy` and `wire` are the two bandwidths in tenths of a byte a nanosecond: so every
// instant is a whole number. It begins with the end of the rendezvous, during which the first chunk
// has been copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "stack/base/random.hpp"
#include "stack/pipeline/chunk_plan.hpp"

namespace holdfast {
namespace {

struct Machine {
  std::int64_t copy, wire;          // bandwidths, in 0.1 bytes a nanosecond
  std::int64_t latency_ns, gap_ns;  // multiples of 10

  std::int64_t ticks(std::int64_t ns) const { return ns * copy * wire / 10; }
  std::int64_t copying(std::uint64_t bytes) const {
    return static_cast<std::int64_t>(bytes) * wire;
  }
  std::int64_t sending(std::uint64_t bytes) const {
    return static_cast<std::int64_t>(bytes) * copy;
  }

  NetworkCost network() const {
    return {static_cast<double>(wire) * 1e8, nanoseconds(latency_ns), nanoseconds(gap_ns)};
  }
  double copy_rate() const { return static_cast<double>(copy) * 1e8; }
  double closed_form(std::uint64_t bytes, std::uint64_t block) const {
    return super_pipeline_seconds(static_cast<double>(bytes), network(), copy_rate(),
                                  static_cast<double>(block)) *
           1e9 * static_cast<double>(copy * wire) / 10;
  }
};

enum class Receiver { blocks_of_the_last, blocks_of_all };

// When the last byte has been copied to its place.
std::int64_t time_of(const Machine& machine, const std::vector<std::uint64_t>& chunks,
                     std::uint64_t block, Receiver receiver) {
  const std::int64_t gap = machine.ticks(machine.gap_ns),
                     latency = machine.ticks(machine.latency_ns);
  std::int64_t copied_in = 0, wire_free = 0, copied_out = 0;
  for (std::size_t n = 0; n < chunks.size(); ++n) {
    if (n > 0) copied_in += machine.copying(chunks[n]);
    const std::int64_t begins = std::max(wire_free, copied_in) + gap;
    wire_free = begins + machine.sending(chunks[n]);
    const bool whole = receiver == Receiver::blocks_of_the_last && n + 1 < chunks.size();
    const std::uint64_t step = whole ? chunks[n] : block;
    for (std::uint64_t done = 0; done < chunks[n]; done += step) {
      const std::uint64_t some = std::min(step, chunks[n] - done);
      const std::int64_t here = begins + machine.sending(done + some) + latency;
      copied_out = std::max(copied_out, here) + machine.copying(some);
    }
  }
  return copied_out;
}

// The same of a message whose frames are packed one by one, `post` of them before they are handed
// to the wire, with a gap for each, and copied out one by one: as stack/reliable does it, from the
// grant on.
std::int64_t time_of_frames(const Machine& machine, std::uint64_t bytes, std::uint64_t frame,
                            std::uint64_t post) {
  const std::int64_t gap = machine.ticks(machine.gap_ns),
                     latency = machine.ticks(machine.latency_ns);
  std::int64_t copied_in = 0, wire_free = 0, copied_out = 0;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t posted = std::min(post * frame, bytes - done);
    copied_in += machine.copying(posted);
    for (const std::uint64_t end = done + posted; done < end;) {
      const std::uint64_t some = std::min(frame, end - done);
      wire_free = std::max(wire_free, copied_in) + gap + machine.sending(some);
      copied_out = std::max(copied_out, wire_free + latency) + machine.copying(some);
      done += some;
    }
  }
  return copied_out;
}

std::vector<std::uint64_t> chunks_of(const ChunkPlan& plan) {
  std::vector<std::uint64_t> chunks;
  for (std::uint64_t n = 0; n < plan.chunks(); ++n) chunks.push_back(plan.chunk(n).bytes);
  return chunks;
}

struct Geometric {
  std::vector<std::uint64_t> chunks;
  std::uint64_t bytes = 0;
};

// `count` chunks of which each is exactly copy / wire times the one before.
Geometric geometric(const Machine& machine, std::uint64_t first, std::size_t count) {
  Geometric all;
  for (std::uint64_t chunk = first; all.chunks.size() < count;
       chunk = chunk * static_cast<std::uint64_t>(machine.copy) /
               static_cast<std::uint64_t>(machine.wire)) {
    all.chunks.push_back(chunk);
    all.bytes += chunk;
  }
  return all;
}

// Chunks of exactly C_0 q^n, blocks of all chunks: the closed form to the last tick.
TEST(SuperPipeline, TakesExactlyAsLongAsTheClosedFormSays) {
  constexpr std::uint64_t kBlock = 256;
  for (const std::int64_t gap : {0, 100, 300}) {
    // C_0 = 2 lambda B_copy = 12,288 bytes; q = 3/2.
    const Machine machine{48, 32, 1'280, gap};
    for (std::size_t count = 1; count <= 5; ++count) {
      const Geometric message = geometric(machine, 12'288, count);
      const std::int64_t expected = machine.copying(kBlock) +
                                    machine.ticks(gap) * static_cast<std::int64_t>(count) +
                                    machine.ticks(1'280) + machine.sending(message.bytes);
      EXPECT_EQ(time_of(machine, message.chunks, kBlock, Receiver::blocks_of_all), expected);
      EXPECT_NEAR(machine.closed_form(message.bytes, kBlock), static_cast<double>(expected), 0.01);
    }
  }
}

// Blocks of the last chunk only: the chunk before it is copied in one go, from when it is whole. As
// long as that and the last chunk take to be copied, less the last block, exceeds what the last one
// needs on the wire, the end comes later: not if q^2 > q + 1, much if q is near 1.
TEST(SuperPipeline, BlocksOfTheLastChunkAloneAreEnoughForASteepPipelineOnly) {
  // Of q = a / b the first chunk is a multiple of b^6, so that six more are whole.
  constexpr std::uint64_t kBlock = 192;
  const std::vector<std::pair<Machine, std::uint64_t>> machines = {{{60, 40, 1'000, 0}, 2},
                                                                   {{60, 50, 1'000, 0}, 5},
                                                                   {{60, 30, 1'000, 0}, 1},
                                                                   {{50, 30, 1'000, 100}, 3},
                                                                   {{60, 40, 1'000, 100}, 2}};
  for (const auto& [machine, divisor] : machines) {
    const auto whole = static_cast<std::uint64_t>(std::pow(divisor, 6));
    const Geometric message = geometric(machine, kBlock * whole, 7);
    const std::uint64_t last = message.chunks[6], before = message.chunks[5];
    const std::int64_t late = machine.copying(before + last - kBlock) -
                              machine.ticks(machine.gap_ns) - machine.sending(last);
    const std::int64_t blocks = time_of(machine, message.chunks, kBlock, Receiver::blocks_of_all);
    EXPECT_EQ(time_of(machine, message.chunks, kBlock, Receiver::blocks_of_the_last) - blocks,
              std::max<std::int64_t>(late, 0));
    const double q = static_cast<double>(machine.copy) / static_cast<double>(machine.wire);
    EXPECT_EQ(late > 0, q * q < q + 1) << "q = " << q;
  }
}

// Chunks are for a wire that takes them whole. On one that takes frames each frame has its gap,
// however many make a chunk, and with frames packed one by one the wire waits for the first post
// alone: that is all that any growth of chunks could save, less a frame of it.
TEST(SuperPipeline, OfFramesTheWireWaitsForTheFirstPostOnly) {
  for (const Machine& machine :
       {Machine{45, 30, 1'400, 0}, Machine{45, 30, 1'400, 300}, Machine{66, 30, 1'400, 20},
        Machine{30, 30, 20'000, 0}, Machine{100, 12, 50'000, 700}}) {
    for (const std::uint64_t frame : {1'424u, 4'048u, 16'336u}) {
      for (const std::uint64_t post : {1u, 16u, 64u}) {
        for (const std::uint64_t frames : {1u, 63u, 64u, 65u, 740u}) {
          const std::uint64_t bytes = frames * frame;
          const std::int64_t expected =
              machine.copying(std::min(post, frames) * frame) + machine.ticks(machine.latency_ns) +
              machine.ticks(machine.gap_ns) * static_cast<std::int64_t>(frames) +
              machine.sending(bytes) + machine.copying(frame);
          EXPECT_EQ(time_of_frames(machine, bytes, frame, post), expected)
              << frames << " frames of " << frame << ", " << post << " in a post";
        }
      }
    }
  }
}

// Plans as they are: whole chunks where the closed form has a real number of them (up to a gap
// more), a last block that may be shorter, and rounding to fragments, which may make the wire wait
// for what was rounded up.
TEST(SuperPipeline, PlansKeepToTheClosedForm) {
  Random random(3, 0, 0);
  for (int i = 0; i < 2'000; ++i) {
    const auto draw = [&random](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low)));
    };
    const Machine machine{draw(10, 100), draw(10, 60), 10 * draw(20, 400), 10 * draw(0, 60)};
    const std::uint64_t fragment = random.below(2) == 0 ? 1 : 64, block = 64 + random.below(4'096);
    const auto growth = ChunkGrowth::of(machine.network(), machine.copy_rate(),
                                        {fragment, block, std::uint64_t{1} << 32});
    ASSERT_TRUE(growth.has_value());
    const std::uint64_t bytes = 1 + random.below(std::uint64_t{1} << (10 + random.below(14)));
    const std::vector<std::uint64_t> chunks = chunks_of(ChunkPlan(*growth, bytes));
    const double took =
        static_cast<double>(time_of(machine, chunks, block, Receiver::blocks_of_all));
    const double q = static_cast<double>(machine.copy) / static_cast<double>(machine.wire);
    // A chunk may be a fragment longer than it should be, and the one before a fragment shorter;
    const double rounding = static_cast<double>(chunks.size()) * (2 + q) *
                                static_cast<double>(machine.copying(fragment)) +
                            // and as the first chunk is rounded, there may be more or fewer.
                            static_cast<double>(chunks.size() * fragment) /
                                static_cast<double>(growth->first_bytes()) *
                                static_cast<double>(machine.ticks(machine.gap_ns));
    const double room =
        static_cast<double>(machine.ticks(machine.gap_ns)) +
        static_cast<double>(std::max(machine.copying(block), machine.sending(block)));
    ASSERT_NEAR(took, machine.closed_form(bytes, block), room + rounding)
        << "draw " << i << ": q = " << q << ", " << bytes << " bytes in " << chunks.size();
  }
}

}  // namespace
}  // namespace holdfast
