// What `holdfast info` can say; each is one file.
#pragma once

#include "experiments/program/options.hpp"

namespace holdfast::program {

// These print to stdout and give the exit status.
int info_machine(const Arguments& arguments);
int info_propagation(const Arguments& arguments);
int info_skeletons(const Arguments& arguments);

}  // namespace holdfast::program
