// The deliveries of a stream of messages of one length, and what they say of a fault that happened
// among them: how long nothing came, when the bandwidth was back, and its course over time.
//
// A message came between its predecessor's delivery and its own, as evenly as bytes come; so
// bandwidth can be said of spans shorter than a message.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stack/base/time.hpp"

namespace holdfast::failover {

struct DeliveryTrace {
  std::size_t message_bytes = 0;
  std::vector<Time> deliveries;  // ascending
};

inline double in_s(Duration duration) {
  return static_cast<double>(duration.ns) / 1e9;
}

// Of [from, to), which begins at the first delivery at the earliest; no more than was delivered.
double bytes_between(const DeliveryTrace& trace, Time from, Time to);

struct Gap {
  Time begin;  // the delivery before it; `from` if there is none
  Duration length;
};
// The longest time between two deliveries one after the other of which the later one is after
// `from` and the earlier one before `to`; the first of several. After the last delivery nothing
// came until `to`.
Gap longest_gap(const DeliveryTrace& trace, Time from, Time to);

// The first of the instants `from`, `from` + 1 ms … after which for kRegainedFor at least this
// bandwidth was delivered, that whole span before `to`. Empty: there is none.
inline constexpr Duration kRegainedFor = milliseconds(50);
std::optional<Time> regained_at(const DeliveryTrace& trace, Time from, Time to,
                                double bytes_per_second);

// Bytes a second in each whole span of `width` from `from` to `to`.
std::vector<double> bandwidth_in_bins(const DeliveryTrace& trace, Time from, Time to,
                                      Duration width);

}  // namespace holdfast::failover
