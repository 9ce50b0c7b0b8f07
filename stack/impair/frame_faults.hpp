// What may happen to a frame on its way, and what does: a function of a seed and of how many frames
// went before, the same in a simulation and between real processes.
//
// The words are those of Linux's netem: a frame is lost, comes twice, has a bit wrong, is late, or
// is reordered, which means that it does not wait for the delay and so overtakes those that do. A
// frame may also be truncated: its end is missing.
// Each kind has a random stream of its own, from which every frame takes the same number of draws,
// whatever happens to it: two runs that differ in the rate of one kind agree on all the others.
#pragma once

#include <cstdint>

#include "stack/base/ids.hpp"
#include "stack/base/random.hpp"
#include "stack/base/time.hpp"

namespace holdfast {

// Shares of frames, in [0, 1], each frame and each kind independent of all others.
struct FrameFaults {
  double loss = 0.0;
  double duplicate = 0.0;  // comes twice
  double corrupt = 0.0;    // one of its bits is wrong
  double truncate = 0.0;   // it comes shorter than it was sent, but not empty
  double reorder = 0.0;    // is not delayed; without a delay this changes nothing
  Duration delay = {};     // of every other frame, >= 0
  Duration jitter = {};    // up to so much more, uniformly, >= 0

  bool delays() const { return delay > Duration{0} || jitter > Duration{0}; }
  // Whether all of them are in their ranges; of delay and jitter, that is up to a thousand days.
  bool possible() const;
  bool any() const {
    return loss > 0.0 || duplicate > 0.0 || corrupt > 0.0 || truncate > 0.0 || delays();
  }
  // As if a frame went through these and then through `more`: either may happen to it, each by
  // itself, and it waits for both.
  FrameFaults and_then(const FrameFaults& more) const;

  friend bool operator==(const FrameFaults&, const FrameFaults&) = default;
};

// What happens to one frame. One that is lost is nothing else.
struct FrameFate {
  bool lost = false;
  bool duplicated = false;  // by a copy that is whole
  bool reordered = false;
  bool corrupted = false;
  std::uint32_t wrong_bit = 0;  // if it is corrupted; bit b of byte n is 8 n + b
  bool truncated = false;
  std::uint32_t bytes_left = 0;  // if it is truncated; at least 1
  Duration delay;

  // At once, whole, and with no bit wrong.
  bool comes_as_sent() const { return !lost && !corrupted && !truncated && delay == Duration{0}; }
  // And once: it may go on together with its neighbours.
  bool is_spared() const { return comes_as_sent() && !duplicated; }
};

// The number of one life of a process, by which its frames draw.
constexpr std::uint64_t life_number(ProcessId process, std::uint32_t boot) {
  return std::uint64_t{boot} << 32 | process.value;
}

class FrameFates {
 public:
  // `life` names the sender among those of one seed.
  FrameFates(std::uint64_t seed, std::uint64_t life);

  // Of the next frame, which has so many bytes. An empty one has no bit that could be wrong, and
  // one of a single byte no end that could be missing.
  FrameFate next(const FrameFaults& faults, std::uint32_t bytes);

 private:
  Random loss_;
  Random duplicate_;
  Random corrupt_;
  Random truncate_;
  Random reorder_;
  Random jitter_;
};

// To how many frames it happened.
struct FrameFaultCounts {
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t truncated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t delayed = 0;
  std::uint64_t overflowed = 0;  // also lost: no room among those that wait, or in the network

  FrameFaultCounts& operator+=(const FrameFaultCounts& more);
  friend bool operator==(const FrameFaultCounts&, const FrameFaultCounts&) = default;
};

}  // namespace holdfast
