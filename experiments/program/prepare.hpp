// From the words of the command line to a campaign that can be run: experiment file, overrides and
// the files that it names, all checked.
#pragma once

#include <cstdio>
#include <memory>
#include <vector>

#include "experiments/program/options.hpp"
#include "experiments/runner/campaign.hpp"
#include "experiments/runner/inputs.hpp"

namespace holdfast::program {

// The options that change the experiment; for the tables of commands that take one.
extern const Option kSetOption;
extern const Option kTargetOption;
extern const Option kTopologyOption;
extern const Option kTraceOption;
extern const Option kTraceSystemOption;
extern const Option kTraceYearOption;
extern const Option kTraceMonthOption;

struct Prepared {
  runner::Campaign campaign;
  std::vector<std::shared_ptr<const runner::Inputs>> inputs;  // of each point
};

// False, with everything that is wrong on stderr, if it cannot be run.
bool prepare(const std::string& config, const Arguments& arguments, Prepared& prepared);

// On `to`, a line for each of what may be run and was probably not meant (see runner::warnings_of).
void print_warnings(const Prepared& prepared, std::FILE* to);

}  // namespace holdfast::program
