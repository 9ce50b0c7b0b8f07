// The register of propagations: one line each.
#include <array>

#include "stack/propagate/bmg.hpp"
#include "stack/propagate/chord.hpp"
#include "stack/propagate/propagation.hpp"

namespace holdfast {

namespace {

constexpr std::array<PropagationEntry, 2> kPropagations{{
    {"bmg", "binomial graph: p ± 2^i for 2^i <= N/2", make_bmg},
    {"chord", "forwards only: p + 2^i for 2^i < N", make_chord},
}};

}  // namespace

std::span<const PropagationEntry> propagations() {
  return kPropagations;
}

std::unique_ptr<Propagation> make_propagation(std::string_view name) {
  for (const PropagationEntry& entry : kPropagations) {
    if (entry.name == name) return entry.make();
  }
  return nullptr;
}

}  // namespace holdfast
