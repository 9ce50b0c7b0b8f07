// One rail after the other, and on each of them one peer after the other.
#include "hw/status/take_message_rails.hpp"

#include <algorithm>

#include "hw/status/take_status.hpp"

namespace holdfast::hw {

namespace {

void take_peers(const reliable::Endpoint& endpoint, std::size_t rail, std::uint32_t processes,
                MessageRailStatus& status) {
  std::vector<Duration> round_trips;
  for (std::uint32_t i = 0; i < processes; ++i) {
    const ProcessId peer{i};
    if (!endpoint.is_connected(peer)) continue;
    const reliable::RailHealth health = endpoint.health(peer, rail);
    ++status.peers[static_cast<std::size_t>(health)];
    if (health != reliable::RailHealth::up && status.not_up.size() < status.kNotUpShown)
      status.not_up.emplace_back(peer, health);
    const Duration round_trip = endpoint.smoothed_round_trip(peer, rail);
    if (round_trip > Duration{}) round_trips.push_back(round_trip);
  }
  if (round_trips.empty()) return;
  const auto middle = round_trips.begin() + static_cast<std::ptrdiff_t>(round_trips.size() / 2);
  std::nth_element(round_trips.begin(), middle, round_trips.end());
  status.round_trip_median = *middle;
  status.round_trip_max = *std::max_element(middle, round_trips.end());
}

}  // namespace

void take_message_rails(const reliable::Endpoint& endpoint, std::span<Fabric* const> rails,
                        std::uint32_t processes, std::vector<MessageRailStatus>& taken) {
  taken.clear();
  for (std::size_t i = 0; i < rails.size(); ++i) {
    MessageRailStatus& status = taken.emplace_back();
    const reliable::RailTraffic traffic = endpoint.traffic(i);
    status.rail = status_of_fabric(*rails[i]);
    status.rail.up = traffic.is_up;
    status.rail.frames_sent = traffic.frames_sent;
    status.rail.frames_received = traffic.frames_received;
    status.rail.bytes_sent = traffic.bytes_sent;
    status.rail.bytes_received = traffic.bytes_received;
    status.fragments_given_up = traffic.fragments_given_up;
    take_peers(endpoint, i, processes, status);
  }
}

}  // namespace holdfast::hw
