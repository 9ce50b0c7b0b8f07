// The register of propagations; registered.inc has a line for each.
#include <array>

#include "stack/propagate/propagation.hpp"

namespace holdfast {

#define HOLDFAST_PROPAGATION(name, idea, get) const Propagation& get();
#include "stack/propagate/registered.inc"
#undef HOLDFAST_PROPAGATION

namespace {

constexpr auto kPropagations = std::to_array<PropagationEntry>({
#define HOLDFAST_PROPAGATION(name, idea, get) {name, idea, get},
#include "stack/propagate/registered.inc"
#undef HOLDFAST_PROPAGATION
});

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
