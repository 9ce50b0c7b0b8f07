// Beliefs as text, for the sentences of the oracles.
#pragma once

#include <string>

#include "stack/view/view.hpp"

namespace holdfast::sim {

// Such as "failed 1.2": state, boot, and refutations within the boot.
inline std::string text(const Record& record) {
  static constexpr const char* kStates[] = {"joining", "alive", "suspected",
                                            "failed",  "left",  "committed"};
  return std::string(kStates[static_cast<std::size_t>(record.state)]) + ' ' +
         std::to_string(record.incarnation.value >> 16) + '.' +
         std::to_string(record.incarnation.value & 0xffff);
}

}  // namespace holdfast::sim
