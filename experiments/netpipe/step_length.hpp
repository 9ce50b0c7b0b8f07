// How many messages are measured at a time.
#pragma once

#include <algorithm>
#include <cstddef>

namespace holdfast::netpipe {

// They lie side by side, and are so few that most steps of a real machine are over before the
// scheduler gives a processor to somebody else.
inline constexpr std::size_t kStepBytes = 4 << 20;
inline constexpr std::size_t kMessagesLeast = 2, kMessagesMost = 200;

inline std::size_t messages_of_step(std::size_t bytes) {
  return std::clamp(kStepBytes / bytes, kMessagesLeast, kMessagesMost);
}

}  // namespace holdfast::netpipe
