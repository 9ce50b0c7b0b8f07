// How a scenario is drawn: the few questions that are asked of one random stream.
#pragma once

#include <cstdint>

#include "stack/base/random.hpp"
#include "stack/base/time.hpp"

namespace holdfast::swarm {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index)
      : random_(seed, purpose, index) {}

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_.below(most - least + 1));
  }
  Duration up_to(Duration most) {
    return nanoseconds(
        static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most.ns) + 1)));
  }
  double unit() { return random_.unit(); }
  std::uint64_t next() { return random_.next(); }

 private:
  Random random_;
};

}  // namespace holdfast::swarm
