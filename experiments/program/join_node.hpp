// holdfast node CONFIG: one process of a job that mpirun, srun, ssh or a person has started.
#pragma once

#include <array>

#include "experiments/program/options.hpp"
#include "experiments/program/prepare.hpp"

namespace holdfast::program {

extern const std::array<Option, 8> kJoinOptions;

// Gives the exit status.
int join_node(const Arguments& arguments);

}  // namespace holdfast::program
