// One direction of a link, seen from the device that sends on it: the output port with its lanes.
// O(1) memory each: packets wait in lists through the pool.
#pragma once

#include <array>
#include <cstdint>

#include "sim/packet/exact_time.hpp"
#include "sim/packet/packet_pool.hpp"
#include "sim/topology/fabric_graph.hpp"

namespace holdfast::sim {

// What does not change.
struct PortSpec {
  std::int64_t latency = 0;          // of the link, in units
  std::uint32_t far_device = kNone;  // kNone: nothing plugged in
  std::uint32_t far_host = kNone;    // of the adapter at the far end, if there is one
  std::uint32_t rate = 0;            // number in Serialisation
  bool far_is_switch = false;
  bool of_switch = false;  // else of an adapter: its queue is the host's memory, without a limit
};

// Whose turn it is among the lanes of one kind; see lane_arbiter.hpp.
struct LaneTurn {
  std::uint8_t lane = 0;
  std::int32_t blocks_left = 0;
};

struct OutputPort {
  Instant free_at;                     // end of the last transmission
  SimTime wake_at = SimTime::never();  // of its one wake event that counts
  std::uint32_t sending = kNoPacket;   // sent last; the index may have gone to another since
  std::uint32_t sending_generation = 0;
  std::uint32_t waiting = 0;        // packets in its lanes
  std::array<LaneTurn, 2> turns{};  // low, high; forgotten whenever nothing waits
  std::uint16_t times_down = 0;     // 0: up
  bool dirty = false;               // in the list of ports to serve at the end of this instant
  bool reserved = false;            // for a collapsed packet, perhaps one that is gone
  bool ageing = false;              // an event is pending that looks for old heads
};

struct Lane {
  std::uint32_t first = kNoPacket;
  std::uint32_t last = kNoPacket;
  std::uint32_t credits = 0;         // blocks that the far end has room for
  std::uint32_t waiting_blocks = 0;  // of the packets that wait
  SimTime head_since;                // its first packet has been the first
};

// What a collapsed packet will have done to a port.
struct Reservation {
  Instant free_before;  // the port's free_at without it
  std::uint32_t packet = kNoPacket;
  std::uint32_t generation = 0;
  SimTime credits_back;      // its credits will be home by then
  std::uint16_t blocks = 0;  // 0: it needs none
  std::uint8_t lane = 0;
};

}  // namespace holdfast::sim
