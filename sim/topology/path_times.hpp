// How long a message takes from one host to another while nothing else is on its way: the time of
// `message` fidelity.
//
// The message leaves the source's adapter, crosses switches that cut through, and has arrived when
// its last bit has. With s(i) = bits / rate(i) the serialisation on hop i, L(i) the latency of the
// link and X that of a switch (header in to header out), hop i+1 starts at
//   max(head arrives + X, tail arrives + X - s(i+1)),
// the second because an output faster than its input must not run dry. In all:
//   sum L + (n-1) X + s(n) + sum over i < n of max(0, s(i) - s(i+1)),
// which is a fixed time plus bytes times an exact fraction of a unit. It is rounded once, at the
// end and upwards, to SimTime's 10 ps. A message of 0 bytes still has its headers.
//
// In a PGFT with equal links the time depends on the level of the nearest common switch only:
// O(levels) memory and arithmetic for any number of hosts, no graph. In an imported fabric it
// depends on the route from the source's switch and port rate to the destination: one table of
// small numbers, no walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/topology/pgft.hpp"
#include "sim/topology/routes.hpp"
#include "sim/topology/sim_time.hpp"
#include "stack/base/assert.hpp"
#include "stack/base/ids.hpp"

namespace holdfast::sim {

// What an unreliable datagram has around its payload on an InfiniBand link: local route header 8,
// base transport header 12, datagram header 8, invariant CRC 4, variant CRC 2. A message is timed
// as one packet, whatever the MTU.
constexpr std::uint32_t kPacketOverheadBytes = 8 + 12 + 8 + 4 + 2;

class PathTimes final {
 public:
  // All links alike; switch_latency >= 0.
  PathTimes(const Pgft& tree, const LinkSpec& link, Duration switch_latency);
  // Follows `routes`, which are of `graph`; neither is needed afterwards. The least common multiple
  // of the links' rates must be below 2^76; that of all rates of link_rate.hpp is.
  PathTimes(const FabricGraph& graph, const Routes& routes, Duration switch_latency);

  // From the start of the send to the arrival of the last bit of `bytes` of payload; never() if
  // there is no route. The hosts differ: processes of one host do not use the fabric.
  SimTime one_way(NodeId from, NodeId to, std::uint32_t bytes) const {
    return time_of(profiles_[profile_index(from, to)], bytes);
  }

  // The most that one_way() says for any pair that has a route; 0 if none has.
  SimTime longest(std::uint32_t bytes) const {
    SimTime most{0};
    for (const Profile& profile : profiles_)
      if (profile.denominator != 0) most = std::max(most, time_of(profile, bytes));
    return most;
  }

  bool reachable(NodeId from, NodeId to) const {
    return profiles_[profile_index(from, to)].denominator != 0;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  // fixed + wire bytes * numerator / denominator, in SimTime's units. denominator 0: no route.
  struct Profile {
    std::int64_t fixed = 0;
    Wide numerator = 0;
    Wide denominator = 0;
    friend bool operator==(const Profile&, const Profile&) = default;
  };

  // What the links of a route add up to.
  class Sum;

  std::uint32_t profile_index(NodeId from, NodeId to) const {
    if (graph_hosts_ == 0) return tree_.nearest_common_level(from, to) - 1;
    HOLDFAST_ASSERT(from != to && from.value < graph_hosts_ && to.value < graph_hosts_);
    return table_[std::size_t{source_class_[from.value]} * graph_hosts_ + to.value];
  }

  static SimTime time_of(const Profile& profile, std::uint32_t bytes) {
    const std::uint64_t wire_bytes = std::uint64_t{bytes} + kPacketOverheadBytes;
    if (profile.denominator == 1) {  // the common rates: a byte takes whole units
      return {profile.fixed + static_cast<std::int64_t>(
                                  wire_bytes * static_cast<std::uint64_t>(profile.numerator))};
    }
    if (profile.denominator == 0) return SimTime::never();
    const Wide product = wire_bytes * profile.numerator + (profile.denominator - 1);
    if ((product >> 64) == 0 &&
        (profile.denominator >> 64) == 0) {  // a division of one instruction
      return {profile.fixed +
              static_cast<std::int64_t>(static_cast<std::uint64_t>(product) /
                                        static_cast<std::uint64_t>(profile.denominator))};
    }
    return {profile.fixed + static_cast<std::int64_t>(product / profile.denominator)};
  }

  // Two hosts of each class, so that each host has one other than itself; the same twice if alone.
  using Examples = std::vector<std::array<NodeId, 2>>;
  Examples classify_sources(const FabricGraph& graph, const Routes& routes);

  Pgft tree_;                      // of a generated fabric
  std::vector<Profile> profiles_;  // by level - 1, or as `table_` says
  std::uint32_t graph_hosts_ = 0;  // 0: generated
  std::vector<std::uint32_t>
      source_class_;                  // by host: those of one class share their routes' times
  std::vector<std::uint32_t> table_;  // [class][destination] -> profile
};

}  // namespace holdfast::sim
