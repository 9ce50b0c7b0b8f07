// The formulas, term by term as they are written.
#include "stack/pipeline/cost_model.hpp"

#include <algorithm>

#include "stack/base/elementary.hpp"

namespace holdfast {

namespace {

double in_seconds(Duration span) {
  return static_cast<double>(span.ns) * 1e-9;
}

}  // namespace

double network_seconds(double bytes, const NetworkCost& network) {
  return in_seconds(network.latency) + bytes / network.bytes_per_s;
}

double naive_seconds(double bytes, const NetworkCost& network, double checksum_bytes_per_s) {
  return network_seconds(bytes, network) + 2 * bytes / checksum_bytes_per_s;
}

double naive_bytes_per_s(double network_bytes_per_s, double checksum_bytes_per_s) {
  return 1 / (1 / network_bytes_per_s + 2 / checksum_bytes_per_s);
}

double eager_seconds(double bytes, const NetworkCost& network, double copy_bytes_per_s) {
  return network_seconds(bytes, network) + 2 * bytes / copy_bytes_per_s;
}

double eager_copy_share(double bytes, const NetworkCost& network, double copy_bytes_per_s) {
  const double all = eager_seconds(bytes, network, copy_bytes_per_s);
  return 1 - network_seconds(bytes, network) / all;
}

double first_chunk_bytes(const NetworkCost& network, double copy_bytes_per_s) {
  return 2 * in_seconds(network.latency) * copy_bytes_per_s;
}

double chunk_ratio(const NetworkCost& network, double copy_bytes_per_s) {
  return copy_bytes_per_s / network.bytes_per_s;
}

double chunk_count(double bytes, double first_bytes, double ratio) {
  if (ratio <= 1) return bytes / first_bytes;
  return natural_log(1 + bytes * (ratio - 1) / first_bytes) / natural_log(ratio);
}

double super_pipeline_seconds(double bytes, const NetworkCost& network, double copy_bytes_per_s,
                              double block_bytes) {
  const double first_bytes = first_chunk_bytes(network, copy_bytes_per_s);
  const double ratio = chunk_ratio(network, copy_bytes_per_s);
  const double gaps = in_seconds(network.gap) * chunk_count(bytes, first_bytes, ratio);
  double busy = gaps + bytes / network.bytes_per_s;
  if (ratio <= 1) busy = std::max(busy, bytes / copy_bytes_per_s);
  return block_bytes / copy_bytes_per_s + in_seconds(network.latency) + busy;
}

}  // namespace holdfast
