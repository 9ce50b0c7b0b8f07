// The command that was given, as a person pastes it into a shell: for run.json, and to continue
// with.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "experiments/program/options.hpp"

namespace holdfast::program {

// "holdfast COMMAND …" with operands and options as they were given, but for those in `without`.
std::string command_line(const char* command, const Arguments& arguments,
                         std::initializer_list<std::string_view> without = {});

// One word, quoted where a shell would take it apart.
std::string shell_word(const std::string& word);

}  // namespace holdfast::program
