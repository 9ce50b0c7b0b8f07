// The subnet manager: after parts of the fabric have died or come back it sweeps, and some time
// later new tables are in force. Until then switches forward by the old ones.
//
// What happens in between. A packet is dropped at the port where its table leads it to a dead link
// or device; nothing is sent back, and no other way is tried. A part that is back is not used
// before the tables name it, unless they never ceased to. New tables come into force everywhere at
// one instant; a packet under way is forwarded by the tables that are in force when it is at a
// switch.
//
// How long it takes. A change makes the switches beside it send a trap, which starts a sweep at
// once; a sweep sees what is dead when it starts. Changes at that same instant belong to it;
// changes during it start another when it ends, as OpenSM does when traps come in during a sweep.
// From trap to new tables takes, measured with OpenSM 3.3.23 under ibsim (updn, LMC 2; 2 cores; the
// management network took no time, so real ones are slower):
//
//   hosts     a link, or an adapter     a switch (its traps came in during the first sweep)
//     324            129 ms                  315 ms
//   1,944          1,180 ms                2,003 ms (of a top switch 1,602, of a middle one 2,403)
//
// Linear between these by the number of hosts. Beyond them only the bring-up was measured (updn: 16
// hosts 0.05 s, 324 0.30 s, 1,944 2.9 s, 8,192 13.8 s), and the figures are scaled by its ratios,
// in the same way from 8,192 on.
//
// Without traps the change is seen by the next light sweep, at a multiple of the sweep interval.
// The manager itself is assumed to live, and to be reached.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/topology/dead_parts.hpp"
#include "sim/topology/routing.hpp"
#include "sim/topology/sim_time.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"

namespace holdfast::sim {

struct SubnetManagerOptions {
  bool sweep_on_trap = true;              // false: changes wait for a light sweep
  Duration sweep_interval = seconds(10);  // between light sweeps, > 0
};

// From trap to new tables; `of_switch`: a switch died or came back, else a link or an adapter.
Duration sweep_time(std::uint32_t hosts, bool of_switch);

// Where a packet goes, as things are.
struct FabricPath {
  std::vector<std::uint32_t> links;  // that it crosses, in order
  bool arrives = false;
  LinkEnd lost_at;  // if not: the last living device, and the port that it cannot leave by; port 0:
                    // no table entry, or the device itself is dead
};

class SubnetManager {
 public:
  // `routing` must outlive the manager. At first nothing is dead and the routing's own tables are
  // in force.
  SubnetManager(const Routing& routing, const SubnetManagerOptions& options);

  // A part dies or lives again, at `now`, which never goes back and is not after next_change().
  // Parts may die for several reasons at once; see DeadParts.
  void part_down(FabricPart part, SimTime now);
  void part_up(FabricPart part, SimTime now);

  // When new tables come into force; never() if no sweep is under way or waiting.
  SimTime next_change() const;
  // Puts them into force; now >= next_change(), which may be set again afterwards.
  void apply(SimTime now);

  // What is dead now, whether or not the tables know it.
  const DeadParts& dead() const { return dead_; }
  // The tables in force.
  const Forwarding& forwarding() const { return swept_ ? *swept_ : routing_.tables(); }
  // How often tables have come into force.
  std::uint64_t sweeps() const { return sweeps_; }

  // Whether all paths are those of the healthy fabric: no part dead, the first tables in force.
  bool pristine() const { return !swept_ && dead_.empty(); }
  // The way of a packet that is sent now; from != to.
  FabricPath path(NodeId from, NodeId to, std::uint32_t path) const;
  // Only whether it arrives; does not allocate.
  bool reaches(NodeId from, NodeId to, std::uint32_t path) const;

 private:
  // Dead parts that may be on anybody's way.
  void count_inner(FabricPart part, int more);
  // Of a host, as far as its adapter, link and leaf switch tell.
  enum End : std::uint8_t { kAsked = 1, kSends = 2, kIsReached = 4 };
  std::uint8_t end_of(NodeId host) const;
  const Wiring& wiring() const { return routing_.wiring(); }
  void changed(FabricPart part, SimTime now);
  void begin_if_due(SimTime now);
  SimTime next_light_sweep(SimTime after) const;
  // False if the packet is lost, at `lost_at`.
  template <class Visit>
  bool walk(NodeId from, NodeId to, std::uint32_t path, LinkEnd& lost_at, Visit visit) const;

  const Routing& routing_;
  SubnetManagerOptions options_;
  DeadParts dead_;
  std::uint32_t inner_dead_ = 0;  // of these, not at the edge
  DeadParts known_;               // what the tables in force lead around
  std::uint32_t inner_known_ = 0;
  std::unique_ptr<const Forwarding> swept_;  // those tables; null: the routing's own
  std::uint64_t sweeps_ = 0;
  // By host, what end_of has found since the last change; 0, or nothing there: it was not asked.
  mutable std::vector<std::uint8_t> ends_;

  // The sweep under way, or the next one.
  SimTime begins_ = SimTime::never();  // never(): there is none
  bool begun_ = false;                 // an instant after begins_ has been seen
  DeadParts found_;                    // if begun: what was dead at begins_
  std::uint32_t inner_found_ = 0;
  bool of_switch_ = false;  // a switch is among the changes that it is for
  bool again_ = false;      // there were changes since it began
  bool again_of_switch_ = false;
};

}  // namespace holdfast::sim
