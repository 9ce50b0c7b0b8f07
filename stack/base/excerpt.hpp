// What somebody else has written, in a sentence for a person: a message is one line, and nobody
// else's control characters reach a terminal.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// At most 40 characters of `text`, without control characters.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown;
  for (const char c : text.substr(0, kShown)) {
    shown += c == '\t' ? ' ' : (static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c);
  }
  return text.size() > kShown ? shown + "..." : shown;
}

}  // namespace holdfast
