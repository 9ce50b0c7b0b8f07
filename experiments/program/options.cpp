// Reads words by the tables of options.hpp, and prints the tables as help.
#include "experiments/program/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "experiments/config/nearest.hpp"

namespace holdfast::program {
namespace {

using runner::config::did_you_mean;

constexpr const char* kHelp = "--help";

std::vector<std::string> names_of(const Command& command) {
  std::vector<std::string> names = {kHelp};
  for (const Option& option : command.options) names.emplace_back(option.name);
  return names;
}

const Option* find(const Command& command, std::string_view name) {
  for (const Option& option : command.options)
    if (name == option.name) return &option;
  return nullptr;
}

// Names are printed within lines and at their ends, so they may hold no line break and nothing that
// a terminal obeys. What --set takes is JSON, and its errors are printed with escapes.
bool is_printable(const std::string& name) {
  return std::none_of(name.begin(), name.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code == 0x7f;
  });
}

const char* const kUnprintable =
    " has a line break or another control character; rename what it names, as messages have a line "
    "for each name";

void append_option(std::string& text, const std::string& left, std::string_view help) {
  constexpr std::size_t kColumn = 26;
  text += "  " + left;
  std::size_t at = left.size() + 2;
  while (true) {
    text += at >= kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - at, ' ');
    const std::size_t end = help.find('\n');
    text += help.substr(0, end);
    if (end == std::string_view::npos) break;
    help.remove_prefix(end + 1);
    at = kColumn;
  }
  text += "\n";
}

}  // namespace

std::string Arguments::parse(const Command& command, std::span<char* const> words) {
  command_ = command.name;
  bool options_ended = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    if (options_ended || word.size() < 2 || word[0] != '-') {
      operands_.push_back(word);
      options_ended = options_ended || command.operand_ends_options;
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (name == kHelp || name == "-h") {
      help_ = true;
      continue;
    }
    const Option* option = find(command, name);
    if (option == nullptr)
      return "there is no option " + name + did_you_mean(name, names_of(command), "");
    std::string value;
    if (equals != std::string::npos) {
      if (option->value == nullptr) return name + " takes no value";
      value = word.substr(equals + 1);
    } else if (option->value != nullptr) {
      if (i + 1 == words.size()) return name + " needs a value: " + name + " " + option->value;
      value = words[++i];
      // A forgotten value must not take the next option with it.
      const std::string next = value.substr(0, value.find('='));
      if (next == kHelp || find(command, next) != nullptr)
        return name + " needs a value, and " + next + " is an option; if it is meant: " + name +
               "=" + value;
    }
    if (option->value != nullptr && value.empty())
      return name + " needs a value: " + name + " " + option->value;
    if (name != "--set" && !is_printable(value)) return "the value of " + name + kUnprintable;
    given_.emplace_back(name, value);
  }
  if (help_) return "";
  for (const std::string& operand : operands_) {
    if (operand.empty())
      return std::string("a word is empty; expected: holdfast ") + command.name + " " +
             command.arguments;
    if (!is_printable(operand)) return "a name" + std::string(kUnprintable);
  }
  if (operands_.size() < command.operands_min)
    return std::string("something is missing; expected: holdfast ") + command.name + " " +
           command.arguments;
  if (operands_.size() > command.operands_max)
    return "\"" + operands_[command.operands_max] + "\" is one too many; expected: holdfast " +
           command.name + " " + command.arguments;
  return "";
}

bool Arguments::has(std::string_view option) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const auto& entry) { return entry.first == option; });
}

std::string Arguments::value(std::string_view option, const std::string& otherwise) const {
  const auto found = std::find_if(given_.rbegin(), given_.rend(),
                                  [&](const auto& entry) { return entry.first == option; });
  return found == given_.rend() ? otherwise : found->second;
}

bool Arguments::number(std::string_view option, std::uint32_t otherwise, std::uint32_t& number,
                       std::uint32_t most) const {
  number = otherwise;
  if (!has(option)) return true;
  const std::string text = value(option);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number > 0 && number <= most)
    return true;
  std::fprintf(stderr, "holdfast %s: %s is \"%s\"; expected a whole number from 1 to %u\n",
               command_.c_str(), std::string(option).c_str(), text.c_str(), most);
  return false;
}

std::string help_text(const Command& command) {
  std::string text = std::string("usage: holdfast ") + command.name + " " + command.arguments +
                     "\n\n" + command.text + "\n\noptions:\n";
  for (const Option& option : command.options) {
    const std::string value = option.value == nullptr ? "" : std::string(" ") + option.value;
    append_option(text, option.name + value, option.help);
  }
  append_option(text, kHelp, "this text");
  return text;
}

}  // namespace holdfast::program
