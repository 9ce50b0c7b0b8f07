// One direction of a link, seen from the device that sends on it: the output port with its lanes.
// O(1) memory each: packets wait in lists through the pool. What a packet's passage needs of a port
// is one cache line.
#pragma once

#include <array>
#include <cstdint>

#include "sim/packet/packet_pool.hpp"
#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/sim_time.hpp"

namespace holdfast::sim {

// Whose turn it is among the lanes of one kind; see lane_arbiter.hpp.
struct LaneTurn {
  std::uint8_t lane = 0;
  std::int32_t blocks_left = 0;
};

// Links of one kind have the same rate and latency. There are few, and they are always in the
// cache.
struct LinkKind {
  SimTime latency;
  std::uint32_t rate = 0;  // number in Serialisation
};

struct alignas(64) OutputPort {
  // What does not change.
  std::uint32_t far = kNone;  // the switch at the far end, or the host of the adapter there
  std::uint16_t link_kind = 0;
  bool far_is_switch : 1 = false;
  bool of_switch : 1 =
      false;  // else of an adapter: its queue is the host's memory, without a limit

  bool dirty : 1 = false;              // in the list of ports to serve at the end of this instant
  bool reserved : 1 = false;           // for a collapsed packet, perhaps one that is gone
  bool ageing : 1 = false;             // an event is pending that looks for old heads
  bool impaired : 1 = false;           // its link lets not all pass that it sends
  std::uint8_t times_down = 0;         // 0: up
  std::int64_t free_units = 0;         // end of the last transmission; see PacketWire::free_at
  SimTime wake_at = SimTime::never();  // of its one wake event that counts
  std::uint32_t sending = kNoPacket;   // sent last; the index may have gone to another since
  std::uint32_t sending_generation = 0;
  std::array<LaneTurn, 2> turns{};  // low, high; forgotten whenever nothing waits
  std::uint32_t waiting = 0;        // packets in its lanes
};
static_assert(sizeof(OutputPort) == 64);

struct alignas(32) Lane {
  std::uint32_t first = kNoPacket;
  std::uint32_t last = kNoPacket;
  std::uint32_t credits = 0;         // blocks that the far end has room for
  std::uint32_t waiting_blocks = 0;  // of the packets that wait
  SimTime head_since;                // its first packet has been the first
};

// What a collapsed packet will have done to a port.
struct Reservation {
  std::int64_t free_before = 0;  // the port's free_units without it
  SimTime credits_back;          // its credits will be home by then
  std::uint32_t packet = kNoPacket;
  std::uint32_t generation = 0;
  std::uint16_t blocks = 0;  // of credits; 0: it needs none
  std::uint8_t lane = 0;
};

}  // namespace holdfast::sim
