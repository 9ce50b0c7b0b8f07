// The command line that the programs of the swarm share: which seeds to play.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace holdfast::swarm {

struct Arguments {
  std::uint64_t first = 0;
  std::uint64_t count = 100;
  bool verbose = false;
};

inline bool parse_number(std::string_view text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

// [--first SEED] [--count N] [--long] or --seed N [--verbose]; false if it is neither. --long
// stands for `many` seeds.
inline bool parse(int argc, char** argv, std::uint64_t many, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (option == "--verbose") {
      arguments.verbose = true;
    } else if (option == "--long") {
      arguments.count = many;
    } else if (option == "--first" && parse_number(value, arguments.first)) {
      ++i;
    } else if (option == "--count" && parse_number(value, arguments.count)) {
      ++i;
    } else if (option == "--seed" && parse_number(value, arguments.first)) {
      arguments.count = 1;
      ++i;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace holdfast::swarm
