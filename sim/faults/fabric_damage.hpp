// Which frames a damaged fabric loses.
//
// Links, switch chips and adapters die and come back; the subnet manager learns of it and leads
// around them with its delay (see subnet_manager.hpp). A frame is lost if the way that it would
// take by the tables in force when it is sent crosses a dead part: what dies while it is under way,
// which is a microsecond, does not matter. Its time stays that of the healthy fabric. At packet
// fidelity the wire loses what comes to a dead part or an impaired link, background traffic as
// well.
//
// Links may also be impaired: lose a share of the frames that cross them, or corrupt bits. A frame
// with a wrong bit fails its checksum and is lost; of n bytes on the wire it passes with
// (1 - p)^(8 n). An impairment may be of one direction only.
//
// The damage remembers when it last took a frame between two nodes. A verdict on somebody who lives
// is no mistake of the detector if it followed from that: he was unreachable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/faults/schedule.hpp"
#include "sim/topology/link_quality.hpp"
#include "sim/topology/routing.hpp"
#include "sim/topology/sim_time.hpp"
#include "sim/topology/subnet_manager.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/random.hpp"

namespace holdfast::sim {

class FabricDamage {
 public:
  // `routing` must outlive this. Nodes 0 … nodes-1 send frames.
  FabricDamage(const Routing& routing, const SubnetManagerOptions& options, std::uint32_t nodes,
               std::uint64_t seed);

  // From now on packets meet dead parts and impaired links by themselves; loses() takes nothing.
  void leave_to_packets() { packets_ = true; }

  // A part of the fabric, or an impairment of `schedule`, begins or ends. now never goes back and
  // is not after next_change().
  void play(const FaultEvent& fault, const FaultSchedule& schedule, SimTime now);

  // When new tables come into force; never() if none are on their way.
  SimTime next_change() const { return manager_.next_change(); }
  // Puts them into force; now >= next_change().
  void apply(SimTime now);

  // Whether a frame of so many bytes of payload that is sent now is lost; draws a random number
  // only where a link on its way is impaired. from != to.
  bool loses(NodeId from, NodeId to, std::uint32_t bytes, SimTime now) {
    if (packets_ || (manager_.pristine() && impairments_.empty())) return false;
    if (!takes(from, to, bytes)) return false;
    remember(from, to, now);
    return true;
  }

  // What one direction of a link, that away from ends[direction], lets pass now.
  LinkQuality quality(std::uint32_t link, std::uint32_t direction) const;

  // The links that do not work while this part is dead; none of an impairment.
  std::vector<std::uint32_t> links_of(const FaultEvent& fault) const;

  // A dead part or an impaired link has taken a packet.
  void packet_lost(NodeId from, NodeId to, SimTime now) { last_losses_[pair_key(from, to)] = now; }

  // Whether no frame between any two nodes is lost, nor will be before the next event or change.
  bool harmless();

  // The last time at which a frame between the two, in whatever direction, was lost.
  std::optional<SimTime> last_loss_between(NodeId a, NodeId b) const;

  std::uint64_t lost() const { return lost_; }
  const SubnetManager& manager() const { return manager_; }

 private:
  struct Active {
    std::uint32_t index;  // in the schedule
    Impairment impairment;
  };

  static std::uint64_t pair_key(NodeId a, NodeId b) {
    const auto [low, high] = std::minmax(a.value, b.value);
    return std::uint64_t{low} << 32 | high;
  }
  bool takes(NodeId from, NodeId to, std::uint32_t bytes);
  void remember(NodeId from, NodeId to, SimTime now);
  bool everyone_reaches_everyone() const;

  const Routing& routing_;
  SubnetManager manager_;
  std::uint32_t nodes_;
  Random random_;
  std::vector<Active> impairments_;  // in force now
  std::optional<bool> harmless_;     // absent: not known since the last change
  std::unordered_map<std::uint64_t, SimTime> last_losses_;  // by both nodes, the lower one first
  std::uint64_t lost_ = 0;
  bool packets_ = false;
};

}  // namespace holdfast::sim
