// What can fail, by the words of an experiment: `what` names a kind of part, `which` one of them.
//
//   process  a rank                              itself
//   node     a host that carries processes       all its processes
//   adapter  of a host                           its links do not work
//   link     a cable, both directions            itself
//   switch   a switch chip                       its links do not work
//   leaf     a switch that hosts hang on         the chip and the nodes on it: a rack's power
//   spine    a switch that no host hangs on      the chip
//   board    line or spine board of a modular    its chips; hosts on a line board live, cut off
//            switch, see sim/topology/modules.hpp
//   chassis  a modular switch                    its chips
//
// Leaf, board and chassis are common causes: what they take along may also be down for reasons of
// its own, and lives again when the last of these is mended.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "sim/faults/schedule.hpp"
#include "sim/topology/topology.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

// The word of an experiment file for a kind of part.
const char* word_of(FaultTarget what);

class FaultParts {
 public:
  // `topology` must outlive this. The first `nodes` hosts carry `per_node` processes each.
  FaultParts(const sim::Topology& topology, std::uint32_t nodes, std::uint32_t per_node);

  // The part that `which` names. The error says what was expected, with the nearest name.
  Status find(FaultTarget what, std::string_view which, std::uint32_t& part) const;
  // A host, whether or not it carries a process; likewise.
  Status find_host(std::string_view which, NodeId& host) const;
  // As find takes it.
  std::string name(FaultTarget what, std::uint32_t part) const;
  // Every part of the kind, ascending.
  std::vector<std::uint32_t> all(FaultTarget what) const;
  // An error if the topology has none of the kind, though it might.
  Status check_any(FaultTarget what) const;

  // What goes down with it.
  std::vector<sim::FaultPart> pieces(FaultTarget what, std::uint32_t part) const;
  // The links on which the frames of a part of the fabric are impaired, all of its cables. away:
  // each with the direction that leads away from the part (of a link: from its first end);
  // otherwise both. An impairment's share and per_bit are left at zero.
  std::vector<sim::Impairment> links_of(FaultTarget what, std::uint32_t part, bool away) const;

 private:
  Status find_process(std::string_view which, std::uint32_t& part) const;
  Status find_node(std::string_view which, std::uint32_t& part) const;
  Status find_module(FaultTarget what, std::string_view which, std::uint32_t& part) const;
  bool is_of_kind(FaultTarget what, std::uint32_t device) const;
  // names: what else could have been meant.
  Status with_nearest(const Status& status, FaultTarget what, std::string_view which,
                      std::vector<std::string> names = {}) const;
  const std::vector<sim::Module>& modules(FaultTarget what) const {
    return what == FaultTarget::board ? modules_.boards : modules_.chassis;
  }
  const sim::Wiring& wiring() const { return topology_.routing().wiring(); }

  const sim::Topology& topology_;
  std::uint32_t nodes_;
  std::uint32_t processes_;
  sim::Modules modules_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> hosts_of_;  // by the switch they hang on
};

}  // namespace holdfast::runner
