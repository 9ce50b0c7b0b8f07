// Frames of every type, as the encoder makes them, of a small job: seeds of whatever takes frames.
#pragma once

#include <cstdint>
#include <vector>

#include "stack/wire/frame.hpp"
#include "tests/fuzz/target.hpp"

namespace holdfast::fuzz {

constexpr std::uint32_t kProcesses = 8;
constexpr std::uint32_t kJob = 77;
constexpr ProcessId kReceiver{1};

// From process 0 and 2 to kReceiver, with a zero seal that is said to be `seal`.
std::vector<Bytes> frames_of_every_type(SealAlgorithm seal);

}  // namespace holdfast::fuzz
