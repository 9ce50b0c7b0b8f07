// The parser stops at the first token that it did not expect; what people do wrong there is known
// well enough to be told from that token and the one before it.
#include "experiments/config/syntax_error.hpp"

#include <algorithm>

#include "experiments/config/nearest.hpp"

namespace holdfast::runner::config {

namespace {

constexpr std::size_t kWordShownBytes = 40;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) {
  return is_digit(c) || is_letter(c) || c == '_';
}
bool begins_entry(char c) {
  return is_word(c) || c == '"' || c == '{' || c == '[' || c == '-';
}

std::string word_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
  return std::string(text.substr(begin, std::min(end - begin, kWordShownBytes)));
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

bool within_object(const SyntaxState& state) {
  return state.within == NodeKind::object;
}

// What the grammar allows next; `after_separator`: the comma or colon after the last token is
// right.
std::string expected(const SyntaxState& state, bool after_separator) {
  if (!state.within)
    return state.after_value ? "nothing after the closing '}'" : "an object: { ... }";
  if (state.after_key) return after_separator ? "a value" : "':' and a value";
  if (state.after_value && !after_separator)
    return within_object(state) ? "',' or '}'" : "',' or ']'";
  return within_object(state) ? "a key in double quotes" : "a value";
}

std::string ends_too_early(const SyntaxState& state) {
  if (!state.within) return "the text is empty; expected an object: { ... }";
  return std::string("the text ends before the '") + (within_object(state) ? '{' : '[') +
         "' of line " + std::to_string(state.within_line) + " is closed";
}

// The string that begins where the error is, by the parser's own words.
std::string wrong_string(std::string_view cause) {
  if (cause.find("UTF-8") != std::string_view::npos) return "this text is not in UTF-8";
  if (cause.find("missing closing quote") != std::string_view::npos ||
      cause.find("control character") != std::string_view::npos) {
    return "this text has no closing quote on its line, or holds a tab or another control "
           "character";
  }
  if (cause.find("invalid string") != std::string_view::npos) {
    return "this text holds a wrong escape; a backslash itself is written \\\\";
  }
  return "";
}

// A bare word or number where something else belongs.
std::string wrong_word(std::string_view text, std::size_t begin, const SyntaxState& state,
                       bool after_separator) {
  const std::string word = word_at(text, begin);
  if (within_object(state) && !state.after_key) {
    return "found " + word + "; a key stands in double quotes: " + quoted(word);
  }
  if (!state.after_key && !state.within) {
    return "found " + word + "; expected " + expected(state, after_separator);
  }
  if (is_digit(text[begin])) {
    return "found " + word +
           ", which is no JSON number; a quantity with a unit stands in double quotes";
  }
  return "found " + word + "; expected a value, and a text stands in double quotes" +
         did_you_mean(word, {"true", "false", "null"}, "");
}

std::string wrong_token(std::string_view text, std::size_t begin, const SyntaxState& state,
                        bool after_separator, std::string_view cause) {
  const char c = text[begin];
  if (c == '/' || c == '#') return "JSON has no comments; remove this one";
  if (c == '\'') return "texts and keys stand in double quotes, not in single ones";
  if (cause.find("out_of_range") != std::string_view::npos) return "this number is too large";
  if (c == '"') {
    const std::string wrong = wrong_string(cause);
    if (!wrong.empty()) return wrong;
  }
  if (is_word(c)) return wrong_word(text, begin, state, after_separator);
  const bool printable = c > ' ' && c < '\x7f';
  const std::string found =
      printable ? std::string("'") + c + "'" : "a character that JSON does not know";
  return "found " + found + "; expected " + expected(state, after_separator);
}

}  // namespace

SyntaxError explain_syntax_error(std::string_view text, SyntaxState state, std::string_view cause) {
  std::size_t begin = skip_spaces(text, state.token_end);
  if (begin == text.size()) return {begin, ends_too_early(state)};
  const bool comma = state.within && state.after_value && text[begin] == ',';
  const bool colon = state.after_key && text[begin] == ':';
  if (state.within && state.after_value && !comma && begins_entry(text[begin])) {
    if (is_digit(text[state.token_end - 1]) && is_letter(text[begin])) {
      return {begin, "found " + word_at(text, begin) +
                         " after a number; a quantity with its unit stands in double quotes"};
    }
    return {state.token_end, "a comma is missing between two entries"};
  }
  if (comma || colon) {
    const std::size_t separator = begin;
    begin = skip_spaces(text, begin + 1);
    if (begin == text.size()) return {begin, ends_too_early(state)};
    if (comma && (text[begin] == '}' || text[begin] == ']')) {
      return {separator, std::string("a comma stands before '") + text[begin] +
                             "'; remove it, the last entry has none"};
    }
  }
  return {begin, wrong_token(text, begin, state, comma || colon, cause)};
}

}  // namespace holdfast::runner::config
