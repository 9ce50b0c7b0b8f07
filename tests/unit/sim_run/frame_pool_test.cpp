// Frames come out of the pool as they went in, packed or not, and take the memory that they should.
#include "sim/fabric/frame_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stack/base/random.hpp"

namespace holdfast::sim {
namespace {

using Bytes = std::vector<std::byte>;

void store(Bytes& frame, std::size_t at, std::uint32_t value) {
  std::memcpy(&frame[at], &value, sizeof value);
}

Bytes taken(FramePool& pool, std::uint32_t& index) {
  index = pool.unpacked(index);
  FramePool::Frame& frame = pool.at(index);
  return Bytes(frame.bytes(), frame.bytes() + frame.size);
}

// Frames of every length, of a few kinds, with any number of words that differ within a kind.
class Drawn {
 public:
  Drawn() : random_(7, 1, 1) {
    for (const std::size_t size : {64u, 84u, 96u, 96u, 96u, 100u, 112u, 128u, 132u, 360u, 512u}) {
      kinds_.emplace_back(size, std::byte{static_cast<unsigned char>(kinds_.size())});
    }
  }

  Bytes frame() {
    Bytes frame = kinds_[random_.below(kinds_.size())];
    for (std::uint64_t i = random_.below(6); i > 0; --i) {
      store(frame, random_.below(frame.size() / 4) * 4,
            static_cast<std::uint32_t>(random_.below(1u << 31)));
    }
    return frame;
  }
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

 private:
  Random random_;
  std::vector<Bytes> kinds_;
};

TEST(FramePool, GivesBackWhatWasPut) {
  struct Kept {
    std::uint32_t index;
    Bytes frame;
  };
  FramePool pool;
  Drawn drawn;
  std::vector<Kept> kept;
  for (int i = 0; i < 50'000; ++i) {
    if (kept.size() < 2 || (kept.size() < 500 && drawn.below(2) == 0)) {
      const Bytes frame = drawn.frame();
      const auto size = static_cast<std::uint32_t>(frame.size());
      kept.push_back({pool.put(frame.data(), size), frame});
    } else {
      std::swap(kept[drawn.below(kept.size())], kept.back());
      Kept& last = kept.back();
      ASSERT_EQ(taken(pool, last.index), last.frame);
      pool.give(last.index);
      kept.pop_back();
    }
    ASSERT_EQ(pool.in_use(), kept.size());
  }
}

// The news of one death among a million: sender, receiver and sequence differ. 16 bytes a frame:
// the three words, and where they go.
TEST(FramePool, FramesThatDifferInThreeWordsTakeFourEach) {
  constexpr std::uint32_t kFrames = 100'000;
  FramePool pool;
  Bytes notice(96, std::byte{0x5a});
  std::vector<std::uint32_t> indices;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    store(notice, 12, i);
    store(notice, 20, ~i);
    store(notice, 32, i / 3);
    indices.push_back(pool.put(notice.data(), 96));
  }
  const std::size_t chunk = 256 * 16;
  EXPECT_LE(pool.memory_bytes(), std::size_t{kFrames} * 16 + chunk);
  std::uint32_t last = indices.back();
  EXPECT_EQ(taken(pool, last), notice);
}

TEST(FramePool, AHeartbeatTakesEightyBytes) {
  FramePool pool;
  const Bytes heartbeat(64);
  for (int i = 0; i < 25'600; ++i) static_cast<void>(pool.put(heartbeat.data(), 64));
  EXPECT_EQ(pool.memory_bytes(), 25'600u * 80);
}

TEST(FramePacking, ReferencesGoWithTheirFrames) {
  FramePacking packing;
  std::vector<FramePacking::Packed> packed(1000);
  Bytes frame(96);
  for (std::uint32_t i = 0; i < packed.size(); ++i) {
    std::ranges::fill(frame, std::byte{static_cast<unsigned char>(i)});  // nothing in common
    ASSERT_TRUE(packing.pack(frame.data(), 96, packed[i]));
  }
  EXPECT_EQ(packing.references(), packed.size());
  for (const FramePacking::Packed& one : packed) packing.release(one);
  EXPECT_LE(packing.references(), 4u);  // those that were used last
}

// Four kinds of news at once still are packed; of a fifth every frame would be a reference.
TEST(FramePacking, FourKindsOfFramesAreKnownAtATime) {
  FramePacking packing;
  Bytes frame(96);
  FramePacking::Packed packed;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    std::ranges::fill(frame, std::byte{static_cast<unsigned char>(i % 4)});
    store(frame, 32, i);
    ASSERT_TRUE(packing.pack(frame.data(), 96, packed));
  }
  EXPECT_EQ(packing.references(), 4u);
}

}  // namespace
}  // namespace holdfast::sim
