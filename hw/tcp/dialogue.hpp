// Whose connection is read without asking the kernel first which have something: of one that alone
// has brought short frames for a while, and only if the kernel was asked lately (lately.hpp), so
// that no other waits longer than that.
//
// Who waits for an answer asks in vain until it is there, then asks once more, and then reads. To
// read in vain takes longer than to ask, but the answer is there with the first read that is not in
// vain. Frames that are read in several calls end it: none of these is to be in vain.
#pragma once

#include <cstdint>

#include "hw/lately.hpp"

namespace holdfast::hw {

class Dialogue {
 public:
  static constexpr std::uint32_t kNobody = 0xffff'ffff;
  static constexpr std::uint32_t kInARow = 8;  // times that the kernel has told of it alone

  // The place of that connection; kNobody: the kernel is to be asked.
  std::uint32_t partner(Time now) const {
    return times_ >= kInARow && now - asked_ < kLately ? place_ : kNobody;
  }

  // What the kernel said, asked at `now`: that there is nothing,
  void told_of_nobody(Time now) { asked_ = now; }
  // a connection alone,
  void told_of(std::uint32_t place, Time now) {
    asked_ = now;
    times_ = place == place_ ? times_ + 1 : 0;
    place_ = place;
  }
  // or several, or one that is new.
  void told_of_others(Time now) {
    asked_ = now;
    end();
  }

  // The kernel is to be asked next time.
  void ask() { asked_ = Time{}; }

  // It has brought a frame that takes several calls, or is no more.
  void end() { times_ = 0; }
  void end_with(std::uint32_t place) {
    if (place == place_) end();
  }

 private:
  std::uint32_t place_ = kNobody;
  std::uint32_t times_ = 0;
  Time asked_{};
};

}  // namespace holdfast::hw
