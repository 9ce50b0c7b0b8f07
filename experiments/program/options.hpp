// The options of the command line: declared as tables, from which both the parsing and the help
// come.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::program {

struct Option {
  const char* name;   // "--jobs"
  const char* value;  // what stands for its value in the help; null: it has none
  const char* help;   // lines after the first are indented like it
};

class Arguments;

// One subcommand.
struct Command {
  const char* name;
  const char* arguments;  // "CONFIG [options]"
  const char* summary;    // one line
  const char* text;       // what it does, and examples
  std::span<const Option> options;
  std::size_t operands_min;
  std::size_t operands_max;
  int (*run)(const Arguments&);  // gives the exit status
  // What comes after the first operand is not ours to read: another program's command line.
  bool operand_ends_options = false;
};

// What stood on the command line, checked against a command.
class Arguments {
 public:
  // The error, a sentence for the user; empty: none.
  std::string parse(const Command& command, std::span<char* const> words);

  bool help() const { return help_; }
  const std::vector<std::string>& operands() const { return operands_; }
  // (option, value) in order; the value of a flag is empty.
  const std::vector<std::pair<std::string, std::string>>& given() const { return given_; }
  bool has(std::string_view option) const;
  // The last value given, or `otherwise`.
  std::string value(std::string_view option, const std::string& otherwise = "") const;
  // A whole number from 1 to `most`; false, with a message on stderr, if what is given is none.
  bool number(std::string_view option, std::uint32_t otherwise, std::uint32_t& number,
              std::uint32_t most = UINT32_MAX) const;

 private:
  std::string command_;
  std::vector<std::string> operands_;
  std::vector<std::pair<std::string, std::string>> given_;
  bool help_ = false;
};

// "usage: …" and all there is to say about a command.
std::string help_text(const Command& command);

}  // namespace holdfast::program
