// The oracle of liveness: whether everyone knows the truth.
#pragma once

#include <cstdint>
#include <string>

#include "sim/oracle/safety.hpp"

namespace holdfast::sim {

// What keeps the job from knowing the truth, as a sentence; empty if every live process is an
// active member, believes exactly the processes failed that are down, believes every other one
// alive in the incarnation that it has, and has the same digest as all others.
std::string untruth(std::uint32_t processes, const EngineOf& engine_of);

}  // namespace holdfast::sim
