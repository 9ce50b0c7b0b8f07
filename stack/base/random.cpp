// Bounded draws without bias.
#include "stack/base/random.hpp"

#include "stack/base/assert.hpp"

namespace holdfast {

std::uint64_t Random::below(std::uint64_t bound) {
  HOLDFAST_ASSERT(bound > 0);
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(next()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace holdfast
