// Quotes as sh(1) reads it: nothing is special between single quotes but the quote that ends them.
#include "experiments/program/command_line.hpp"

#include <algorithm>

namespace holdfast::program {

std::string command_line(const char* command, const Arguments& arguments,
                         std::initializer_list<std::string_view> without) {
  std::string line = std::string("holdfast ") + command;
  for (const std::string& operand : arguments.operands()) line += " " + shell_word(operand);
  for (const auto& [option, value] : arguments.given())
    if (std::find(without.begin(), without.end(), option) == without.end())
      line += " " + option + (value.empty() ? "" : " " + shell_word(value));
  return line;
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace holdfast::program
