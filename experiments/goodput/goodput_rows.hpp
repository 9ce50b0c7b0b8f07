// What a stream comes to while something happens to its datagrams, and what is promised of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/bench/alternation.hpp"
#include "experiments/bench/limit_show.hpp"
#include "stack/impair/frame_faults.hpp"

namespace holdfast::goodput {

// What happens to the datagrams of both ends.
struct Fault {
  std::string name;
  FrameFaults faults;
  double share_least = 0;  // promised, of the goodput without a fault
};

// The one without a fault comes first.
const std::vector<Fault>& losses();
// Some are late by up to half of a round trip.
Fault lateness(Duration round_trip);

// One step: what the sender sent, and how fast.
struct Step {
  double bytes_per_second = 0;
  std::uint64_t fragments = 0;  // first copies
  std::uint64_t resent = 0;
  // Frames, on purpose; a few are no fragments, but acknowledgements or probes.
  std::uint64_t lost = 0, late = 0;
};

// Of one contender and fault, all rounds together.
struct GoodputRow {
  std::string contender;
  std::string fault;
  std::size_t samples = 0;
  double median_bytes_per_second = 0;
  std::optional<bench::Interval> bytes_per_second;
  // Of the goodput without a fault in the same round: the median, and its interval.
  std::optional<double> share;
  std::optional<bench::Interval> share_interval;
  std::uint64_t fragments = 0, resent = 0, lost = 0, late = 0;  // sums
};

// Steps in the order of the rounds; `without`: those that it is compared with, or none.
GoodputRow row_of(const std::string& contender, const std::string& fault,
                  const std::vector<Step>& steps, const std::vector<Step>& without);

// The share of the goodput without a fault. Where something is lost, how much is sent again for
// each frame of it: left out if by chance nothing was. Where some are late and none is lost, the
// share of the fragments that is sent again, all of it in vain.
std::vector<bench::LimitShow> shows_of(const Fault& fault, const GoodputRow& row);

}  // namespace holdfast::goodput
