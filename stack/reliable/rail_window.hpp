// How many bytes may be under way on a rail (specification, clause 14.16). Networks of this kind
// lose frames at random, and that is no reason to slow down; but a receiver's queue that overflows
// loses most of what comes. So a round trip that lost more than one byte in twenty narrows the
// window to what arrived in it, by an eighth to a half, and one that lost less and was held up by
// the window widens it: twofold until the first such loss, then by a sixteenth. (BBR's second
// version has such a threshold, of 2 %.) Round trips of a few packets are judged together.
#pragma once

#include <algorithm>
#include <cstdint>

namespace holdfast::reliable {

// What is kept of one while nothing is under way.
struct RailWindowWidth {
  std::uint32_t bytes = 0;  // 0: there has not been any yet
  bool is_first = true;     // nothing has narrowed it yet
};

class RailWindow {
 public:
  static constexpr std::uint32_t kFirst = 65536;
  static constexpr std::uint32_t kLeast = 16384;
  // Fewer say nothing of the share that is lost: of so many four are rarely lost where one in a
  // hundred is.
  static constexpr std::uint32_t kPacketsToJudge = 64;

  // At most so many bytes. Not adaptive: always as many. It goes on from `width`.
  RailWindow(std::uint32_t most, bool is_adaptive, const RailWindowWidth& width = {})
      : most_(most),
        bytes_(width.bytes > 0 ? width.bytes
               : is_adaptive   ? std::min(most, kFirst)
                               : most),
        adapts_(is_adaptive),
        is_first_(width.is_first) {}

  std::uint32_t bytes() const { return bytes_; }
  RailWindowWidth width() const { return {bytes_, is_first_}; }

  void deliver(std::uint32_t bytes) {
    delivered_ += bytes;
    ++packets_;
  }
  void lose(std::uint32_t bytes) {
    lost_ += bytes;
    ++packets_;
  }
  // Something waits for it.
  void hold_up() { held_up_ = true; }
  // What was sent at the end of the last round has been acknowledged.
  void end_round() {
    ++rounds_;
    const bool loses = lost_ > delivered_ / 19;
    if (adapts_ && held_up_ && !loses) {
      const std::uint64_t wider = std::uint64_t{bytes_} + (is_first_ ? bytes_ : bytes_ / 16);
      bytes_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(wider, most_));
    }
    held_up_ = false;
    if (packets_ < kPacketsToJudge) return;
    if (adapts_ && loses) {
      const std::uint32_t narrower =
          std::clamp(delivered_ / rounds_, bytes_ / 2, bytes_ - bytes_ / 8);
      bytes_ = std::clamp(narrower, std::min(kLeast, most_), most_);
      is_first_ = false;
    }
    delivered_ = lost_ = 0;
    packets_ = rounds_ = 0;
  }

 private:
  std::uint32_t most_;
  std::uint32_t bytes_;
  std::uint32_t delivered_ = 0, lost_ = 0;  // since it was judged last
  std::uint32_t packets_ = 0, rounds_ = 0;
  bool adapts_;
  bool held_up_ = false;
  bool is_first_;
};

}  // namespace holdfast::reliable
