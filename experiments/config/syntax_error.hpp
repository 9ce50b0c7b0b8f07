// What is wrong with a text that is no JSON, in words for the person who wrote it: the trailing
// comma, the missing comma, the comment, the single quote, the bracket that is never closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/config/node.hpp"

namespace holdfast::runner::config {

// What the parser had understood when it met the error.
struct SyntaxState {
  std::size_t token_end =
      0;                   // where the last token that it understood ends, commas and colons apart
  bool after_key = false;  // that token was a key
  bool after_value = false;        // that token ended a value
  std::optional<NodeKind> within;  // the innermost object or array that is open
  std::uint32_t within_line = 0;   // and the line it was opened in
};

struct SyntaxError {
  std::size_t offset = 0;  // into the text
  std::string message;
};

// `cause` is what the parser itself says.
SyntaxError explain_syntax_error(std::string_view text, SyntaxState state, std::string_view cause);

}  // namespace holdfast::runner::config
