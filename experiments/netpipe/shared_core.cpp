// Of a core that is alone, values differ from step to step by about a hundredth. Once in many
// thousands one is far too high (8.11 instead of 3.70), which takes multiplications that something
// interrupted.
#include "experiments/netpipe/shared_core.hpp"

#include <algorithm>
#include <cstddef>

#include "experiments/bench/alternation.hpp"

namespace holdfast::netpipe {

SharedCore shared_core(std::vector<double> additions_per_cycle) {
  constexpr double kAlone = 0.97;
  constexpr std::size_t kPercentile = 99;
  if (additions_per_cycle.empty()) return {};
  std::sort(additions_per_cycle.begin(), additions_per_cycle.end());
  SharedCore found;
  found.best = additions_per_cycle[additions_per_cycle.size() * kPercentile / 100];
  found.median = bench::median(additions_per_cycle);
  found.steps = additions_per_cycle.size();
  found.shared_steps =
      static_cast<std::uint64_t>(std::lower_bound(additions_per_cycle.begin(),
                                                  additions_per_cycle.end(), kAlone * found.best) -
                                 additions_per_cycle.begin());
  return found;
}

}  // namespace holdfast::netpipe
