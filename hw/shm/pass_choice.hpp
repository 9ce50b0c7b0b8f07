// In how many passes frames are written fastest into the memory of one receiver. It differs by what
// caches its processor and ours have in common, by processor and by library; a virtual machine does
// not say truly what they have, and processes are moved. So both ways are tried now and then, and
// timed; what they take the reader is not seen.
//
// What a frame takes depends on how the others are written: they are in the same caches, and one of
// them was in its place before. Among frames in one pass one pass may be the faster way though all
// would be written faster in two (docs/speed.md). So a way is timed after a lap in no other: as
// many frames as have places. What is written to other receivers meanwhile is not seen.
#pragma once

#include <array>
#include <cstdint>

#include "stack/base/time.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class PassChoice {
 public:
  static constexpr std::uint32_t kTimedBytesMin = 4096;  // of less the clock takes too much
  // Of a comparison: blocks of frames that are written in one way, two by two, either way first.
  static constexpr std::uint32_t kPairs = 5;
  // In so many one pass has to be faster to be taken. Taken wrongly it cost up to a half of the
  // bandwidth, and two passes less (docs/speed.md).
  static constexpr std::uint32_t kPairsOfOneMin = 4;
  static constexpr std::uint32_t kTimedOfBlock = 15;     // frames, after its first lap; odd
  static constexpr std::uint32_t kLapsBetween = 256;     // two comparisons
  static constexpr std::uint32_t kOthersOfCompared = 4;  // until a comparison is given up

  // Of a lap, the places for frames that there are; at least 1.
  explicit PassChoice(std::uint32_t lap_frames) : lap_frames_(lap_frames) {}

  struct Next {
    Passes passes;
    bool is_timed;  // took() is to be told of it
  };
  // Of a frame that is written now. Two passes at first, as nothing is known.
  Next next(std::uint32_t bytes);
  void took(Duration time);

 private:
  std::uint32_t compared_frames() const { return 2 * kPairs * (lap_frames_ + kTimedOfBlock); }
  Passes tried() const;
  Next pass_over(Passes passes);
  void begin_block(std::uint32_t block);
  void end_block();
  void rest();

  std::uint32_t lap_frames_;
  Passes faster_ = Passes::two;
  std::uint32_t resting_ = 0;  // frames until the next comparison
  std::uint32_t bytes_ = 0;    // that are timed
  std::uint32_t others_ = 0;   // frames it could not use: short, or of other lengths
  std::uint32_t block_ = 0;
  std::uint32_t written_ = 0;  // of this block's first lap,
  std::uint32_t timed_ = 0;    // and after it
  std::array<std::int64_t, kTimedOfBlock> times_ns_{};
  std::int64_t median_of_two_ns_ = 0;  // passes, in the last block of them,
  std::int64_t median_of_one_ns_ = 0;
  std::uint32_t pairs_of_one_ = 0;  // in which one pass took less
};

}  // namespace holdfast::hw
