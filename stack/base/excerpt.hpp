// What somebody else has written, in a sentence for a person: a message is one line, and nobody
// else's control characters reach a terminal.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// The text without control characters.
inline std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    shown += c == '\t' ? ' ' : (static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c);
  }
  return shown;
}

// At most 40 characters of it.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 40;
  return printable(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
}

}  // namespace holdfast
