// Which host's rail a part of the fabric is. Real hosts have links to common switches only
// (hw/inject/host_network.hpp): the adapter of a host and its one link are the same thing there,
// all its rails or the one that is named, and there is nothing else that may fail.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/config/experiment.hpp"
#include "hw/launch/launcher.hpp"
#include "sim/faults/schedule.hpp"
#include "sim/topology/wiring.hpp"
#include "stack/base/status.hpp"

namespace holdfast::runner {

class Rails {
 public:
  // Of the first `nodes` hosts. The wiring must outlive this.
  Rails(const sim::Wiring& wiring, std::uint32_t nodes) : wiring_(wiring), nodes_(nodes) {}

  // Whether the part, an adapter or a link as FaultParts numbers them, is a host's rail. An error
  // says what it is instead.
  Status check(FaultTarget what, std::uint32_t part) const;

  // What an event of the schedule does to rails: a cut, or silence in one or both directions.
  // Nothing if it is about processes, or about a host without any.
  std::vector<hw::LaunchTarget> of(const sim::FaultEvent& event,
                                   const sim::FaultSchedule& faults) const;

 private:
  // sim::kNone: it is none of a host.
  std::uint32_t host_of_device(std::uint32_t device) const;
  std::uint32_t host_of_link(std::uint32_t link) const;
  std::uint32_t host_of(const sim::FaultPart& part) const;

  const sim::Wiring& wiring_;
  std::uint32_t nodes_;
};

}  // namespace holdfast::runner
