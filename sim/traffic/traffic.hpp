// Background traffic: packets of others on the fabric, so that the job's own do not have it alone.
//
// Every sender offers packets of one size at times of a Poisson process whose mean rate is `load`
// times the rate of its link. The pattern says to whom. A sender does not queue without end: while
// kDepth packets wait in its adapter it skips what it would have sent, as an application does whose
// sends are refused. So a load of 1 fills the link, and what the fabric cannot take shows as
// skipped, not as memory.
//
// The patterns:
//   uniform      to any other host, drawn for each packet
//   permutation  host h to host h + shift, always
//   all_to_all   host h to h + 1, h + 2, … in turn: everybody does the same shift at the same time
//   incast       `senders` hosts, spread evenly, to one `target`; and a victim, the host behind the
//                first of them, to the host behind the target: it shares their ways, not their end
// Hosts are counted round, and a host never sends to itself.
//
// Each sender has a random stream of its own, so that the same seed gives the same traffic whatever
// else happens, and no other random number depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/packet/packet_counts.hpp"
#include "sim/packet/packet_wire.hpp"
#include "sim/topology/fabric_graph.hpp"
#include "sim/topology/sim_time.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/random.hpp"
#include "stack/base/status.hpp"

namespace holdfast::sim {

enum class TrafficPattern : std::uint8_t { uniform, permutation, all_to_all, incast };

struct TrafficOptions {
  TrafficPattern pattern = TrafficPattern::uniform;
  double load = 0.5;           // of each sender's link, with headers; in (0, 1]
  std::uint32_t bytes = 2048;  // of payload of each packet; must fit as PacketWire::inject says
  std::uint8_t service_level = 0;
  std::uint32_t shift = 1;    // permutation: 1 … hosts-1
  NodeId target{0};           // incast
  std::uint32_t senders = 2;  // incast: 1 … hosts-2, the victim not among them
  std::uint8_t victim_service_level = 0;
  // Nothing is sent before `from`, nor at `until` or later; from <= until.
  Time from = {};
  Time until = Time::never();
};

class Traffic {
 public:
  static constexpr std::uint32_t kDepth = 16;
  // In the tokens of its packets, by which the owner of the wire knows them.
  static constexpr std::uint64_t kTokenBit = std::uint64_t{1} << 63;

  // Whether this can be done among so many hosts; an error says what was found and what is
  // possible.
  static Status check(const TrafficOptions& options, std::uint32_t hosts);

  // `index`: of several kinds of traffic on one fabric. The options fit the hosts of the graph.
  // Hosts without a link send nothing.
  Traffic(const TrafficOptions& options, std::uint64_t seed, std::uint32_t index,
          const FabricGraph& graph);

  // When the next packet is due; never() if nobody sends.
  SimTime next_time() { return due_.empty() ? SimTime::never() : SimTime{due_.next_time()}; }
  // What is due at next_time(), to be injected then; nothing if the sender skips it.
  std::optional<Shipment> take(const PacketWire& wire);
  // What became of a packet with this traffic's tokens.
  void account(const PacketReport& report);
  bool owns(std::uint64_t token) const {
    return (token & kTokenBit) != 0 && (token >> kIndexShift & kIndexMask) == index_;
  }

  // Of all flows but the victim's.
  const PacketCounts& counts() const { return counts_; }
  // Of the victim of an incast.
  const PacketCounts& victim() const { return victim_; }

 private:
  // A token: kTokenBit, the victim's bit, the traffic's index, and when it was sent, modulo 2^48
  // units: 47 minutes, and no packet is under way for so long.
  static constexpr std::uint64_t kVictimBit = std::uint64_t{1} << 62;
  static constexpr unsigned kIndexShift = 48;
  static constexpr std::uint64_t kIndexMask = 0x3fff;
  static constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kIndexShift) - 1;

  struct Sender {
    Random random;
    double mean_gap;  // between packets, in units
    NodeId host;
    std::uint32_t next = 0;  // all_to_all: shift of the next packet, less one
    bool victim = false;
    // Of a receiver's addresses, which take turns: with each packet, or, where each packet goes to
    // another receiver (all_to_all), with each time that all have had one.
    std::uint32_t turn = 0;
  };

  void add_sender(NodeId host, bool victim, std::uint64_t seed, const FabricGraph& graph);
  void plan_next(std::uint32_t sender, SimTime after);
  // And which of its addresses, to be taken modulo their number.
  std::pair<NodeId, std::uint32_t> destination(Sender& sender) const;

  TrafficOptions options_;
  std::uint32_t index_;
  std::uint32_t hosts_;
  SimTime until_;
  std::vector<Sender> senders_;
  EventQueue due_;  // target: a sender
  PacketCounts counts_;
  PacketCounts victim_;
};

}  // namespace holdfast::sim
