// The subcommands. A new one is a file and a line in kCommands of main.cpp.
#pragma once

#include "experiments/program/options.hpp"

namespace holdfast::program {

// Exit statuses.
constexpr int kDone = 0;
constexpr int kFailed = 1;         // the machine or the program is at fault
constexpr int kFound = 1;          // of a check: there are findings
constexpr int kRefused = 2;        // the user can mend it: a wrong file, option or value
constexpr int kInterrupted = 130;  // Ctrl-C; what is done is kept

extern const Command kBenchCommand;
extern const Command kRunCommand;
extern const Command kCheckCommand;
extern const Command kCompareCommand;
extern const Command kTopologyCommand;
extern const Command kInfoCommand;
extern const Command kLaunchCommand;
extern const Command kReplayCommand;
extern const Command kNodeCommand;
extern const Command kStatusCommand;

}  // namespace holdfast::program
