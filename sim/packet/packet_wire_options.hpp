// What a packet fabric is like: switching, flow control, virtual lanes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stack/base/time.hpp"

namespace holdfast::sim {

// Service levels a packet can ask for, and most lanes a port can have (InfiniBand: 16 and 15).
constexpr std::uint32_t kServiceLevels = 16;
constexpr std::uint32_t kLanesMax = 15;

// Buffers and credits are counted in blocks, as InfiniBand's flow control does.
constexpr std::uint32_t kBlockBytes = 64;

enum class Switching : std::uint8_t {
  cut_through,        // a packet goes on `switch_latency` after its header has come
  store_and_forward,  // … after its last bit has come
};

enum class FlowControl : std::uint8_t {
  credits,    // a port sends only what the lane's buffer at the other end has room for
  drop_tail,  // a packet that finds its output queue full is lost
};

// A virtual lane: queue and buffer of its own, bandwidth shared as below.
struct LaneOptions {
  bool high = false;         // goes before all lanes that are not
  std::uint32_t weight = 1;  // blocks a turn among lanes of its kind, >= 1
};

struct PacketWireOptions {
  Switching switching = Switching::cut_through;
  FlowControl flow_control = FlowControl::credits;
  Duration switch_latency = nanoseconds(100);  // >= 0
  // Of one lane of one port, for packets with their headers. With credits the input buffer behind
  // a link; with drop_tail the most that may wait for an output. Only whole blocks count.
  std::uint32_t buffer_bytes = 32'768;
  // With credits: a packet that has been at the head of its queue in a switch for so long without
  // being sent is discarded, so that a path that is stuck comes free..
  // OpenSM's default is 4.096 us * 2^18.
  Duration head_lifetime = microseconds(1'073'742);
  std::vector<LaneOptions> lanes = {{.high = false, .weight = 1}, {.high = true, .weight = 1}};
  std::array<std::uint8_t, kServiceLevels> lane_of_service_level{};
  // Packets through ports that stay idle become one event. Changes nothing but the speed.
  bool collapse = true;
};

}  // namespace holdfast::sim
