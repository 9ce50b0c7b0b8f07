// Delivered bytes are a line from point to point over time; everything is read from it.
#include "experiments/failover/delivery_trace.hpp"

#include <algorithm>

#include "stack/base/assert.hpp"

namespace holdfast::failover {
namespace {

// Until `at`, since the first delivery.
double bytes_until(const DeliveryTrace& trace, Time at) {
  const auto& all = trace.deliveries;
  const auto later = std::upper_bound(all.begin(), all.end(), at);
  if (later == all.begin()) return 0;
  const auto whole = static_cast<double>(later - all.begin() - 1);
  const auto bytes = static_cast<double>(trace.message_bytes);
  if (later == all.end()) return whole * bytes;
  const Time before = *(later - 1);
  return bytes * (whole + static_cast<double>((at - before).ns) /
                              static_cast<double>((*later - before).ns));
}

}  // namespace

double bytes_between(const DeliveryTrace& trace, Time from, Time to) {
  return bytes_until(trace, to) - bytes_until(trace, from);
}

Gap longest_gap(const DeliveryTrace& trace, Time from, Time to) {
  Gap longest{from, {}};
  const auto note = [&](Time begin, Time end) {
    if (end - begin > longest.length) longest = {begin, end - begin};
  };
  const auto& all = trace.deliveries;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] > from && all[i - 1] < to) note(all[i - 1], all[i]);
  }
  if (!all.empty() && all.back() < to) note(all.back(), to);
  return longest;
}

std::optional<Time> regained_at(const DeliveryTrace& trace, Time from, Time to,
                                double bytes_per_second) {
  const double needed = bytes_per_second * in_s(kRegainedFor);
  for (Time at = from; at + kRegainedFor <= to; at += milliseconds(1)) {
    if (bytes_between(trace, at, at + kRegainedFor) >= needed) return at;
  }
  return std::nullopt;
}

std::vector<double> bandwidth_in_bins(const DeliveryTrace& trace, Time from, Time to,
                                      Duration width) {
  HOLDFAST_ASSERT(width > Duration{});
  std::vector<double> bins;
  for (Time at = from; at + width <= to; at += width)
    bins.push_back(bytes_between(trace, at, at + width) / in_s(width));
  return bins;
}

}  // namespace holdfast::failover
