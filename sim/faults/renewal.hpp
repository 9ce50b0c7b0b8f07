// The failures of one part by a model: it lives, fails, is repaired, and is then as good as new.
//
// At the start every part is up. Its first failure comes after the rest of a life: of one that is
// in equilibrium, or `age` old. Each part draws from a stream of its own, named by the seed, the
// entry of the experiment that it belongs to, and its number; so neither other parts nor what is
// swept beside the model change its failures, and a longer run begins like a shorter one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/faults/life_model.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

struct RenewalModel {
  LifeModel life;
  std::optional<Duration> age;        // of all parts at the start, >= 0; absent: in equilibrium
  std::optional<RepairModel> repair;  // absent: what has failed stays down
  friend bool operator==(const RenewalModel&, const RenewalModel&) = default;
};

// Which stream a part draws from.
struct PartStream {
  std::uint64_t seed = 0;   // of the replicate
  std::uint32_t entry = 0;  // which model of the experiment
  std::uint32_t part = 0;
};

struct DownTime {
  Time from;
  std::optional<Time> until;  // absent: beyond every clock
  friend bool operator==(const DownTime&, const DownTime&) = default;
};

// Appends when the part is down, in order of time: all that begin in [0, end). Those that begin at
// the same nanosecond in which the last repair ended are played.
void draw_down_times(const Lives& lives, const RenewalModel& model, const PartStream& stream,
                     Duration end, std::vector<DownTime>& down_times);

}  // namespace holdfast::sim
