// Which frames of a sender have been handled: a window that slides over its sequence numbers, as
// IPsec has it (RFC 4303, section 3.4.3). What lies behind the window counts as handled.
//
// A sender counts the frames to all its receivers in one sequence, so one receiver sees gaps, and
// the window is wide: a frame may be overtaken by one that was sent 255 frames later.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace holdfast {

class ReplayWindow {
 public:
  static constexpr std::size_t kWidth = 256;

  // Of a frame that verifies: true if it has surely not been handled before, and from now on it
  // has. With a later boot of the sender the sequence starts again, and earlier ones are over.
  bool take(std::uint32_t boot, std::uint64_t sequence) {
    if (boot < boot_) return false;
    if (boot > boot_) *this = ReplayWindow(boot);
    if (sequence > highest_) {
      const std::uint64_t ahead = sequence - highest_;
      taken_ = ahead < kWidth ? taken_ << static_cast<std::size_t>(ahead) : std::bitset<kWidth>();
      highest_ = sequence;
    }
    const std::uint64_t behind = highest_ - sequence;
    if (behind >= kWidth || taken_[static_cast<std::size_t>(behind)]) return false;
    taken_.set(static_cast<std::size_t>(behind));
    return true;
  }

  // Whether it surely has been handled.
  bool has(std::uint32_t boot, std::uint64_t sequence) const {
    return boot == boot_ && sequence <= highest_ && highest_ - sequence < kWidth &&
           taken_[static_cast<std::size_t>(highest_ - sequence)];
  }

  ReplayWindow() = default;

 private:
  explicit ReplayWindow(std::uint32_t boot) : boot_(boot) {}

  std::uint32_t boot_ = 0;
  std::uint64_t highest_ = 0;
  std::bitset<kWidth> taken_;  // bit i: highest_ - i
};

}  // namespace holdfast
