// The register of propagations: one line each.
#include <array>

#include "stack/propagate/bmg.hpp"
#include "stack/propagate/chord.hpp"
#include "stack/propagate/flood.hpp"
#include "stack/propagate/hba.hpp"
#include "stack/propagate/neighbours.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {

namespace {

constexpr std::array<PropagationEntry, 5> kPropagations{{
    {"bmg", "binomial graph: p ± 2^i for 2^i <= N/2", bmg_propagation},
    {"chord", "forwards only: p + 2^i for 2^i < N", chord_propagation},
    {"flood", "everyone to everyone", flood_propagation},
    {"hba", "hypercubes of the 2^k <= N processes from the starter on, each way", hba_propagation},
    {"neighbours", "p ± 1 ... max(1, k-1), with k = floor(log2 N)", neighbours_propagation},
}};

// A binary logarithm of positions, twice: more than any topology of logarithmic degree has.
constexpr std::uint32_t kLogarithmicTargetsMax = 64;

}  // namespace

std::uint32_t Propagation::cubes(std::uint32_t) const {
  return 0;
}

std::uint32_t Propagation::targets_max(std::uint32_t) const {
  return kLogarithmicTargetsMax;
}

std::span<const PropagationEntry> propagations() {
  return kPropagations;
}

const Propagation* find_propagation(std::string_view name) {
  for (const PropagationEntry& entry : kPropagations) {
    if (entry.name == name) return &entry.get();
  }
  return nullptr;
}

}  // namespace holdfast
