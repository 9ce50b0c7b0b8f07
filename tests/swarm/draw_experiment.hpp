// Whole experiments for the swarm: what a user could write, with faults of every kind.
#pragma once

#include <cstdint>
#include <string>

namespace holdfast::swarm {

// The experiment that a seed stands for, as the text of a file. Two of three are at packet
// fidelity, and half of those have traffic; the others have quiet time that can be skipped.
std::string draw_experiment(std::uint64_t seed);

}  // namespace holdfast::swarm
