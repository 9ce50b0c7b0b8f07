// One change that the command line makes to an experiment file.
#pragma once

#include <string>
#include <utility>

namespace holdfast::runner {

// Of type path=value, such as "detector.period=50 ms". What --set takes may stand for it.
struct Assignment {
  Assignment(const char* set) : Assignment(std::string(set)) {}
  Assignment(const std::string& set) : Assignment(set, "--set " + set) {}
  Assignment(std::string path_and_value, std::string option)
      : text(std::move(path_and_value)), typed(std::move(option)) {}

  std::string text;
  std::string typed;  // the option and its value as the person gave them; for messages
};

}  // namespace holdfast::runner
