// A wire of one rate and latency for tests: what is sent waits for what was sent before.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stack/base/time.hpp"

namespace holdfast::reliable {

class Link {
 public:
  // Bytes per second; the latency of one way.
  Link(double rate, Duration latency) : rate_(rate), latency_(latency) {}

  // When all of `bytes`, sent now, have arrived.
  Time send(std::uint32_t bytes, Time now) {
    free_ = std::max(free_, static_cast<double>(now.ns)) + bytes / rate_ * 1e9;
    return Time{std::llround(free_)} + latency_;
  }
  void set_rate(double rate) { rate_ = rate; }
  double rate() const { return rate_; }
  Duration latency() const { return latency_; }

 private:
  double rate_;
  Duration latency_;
  double free_ = 0;  // ns
};

}  // namespace holdfast::reliable
