// One run of the swarm of messages on real rails, under the ledger of the simulated one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/messages/real/real_rail.hpp"
#include "tests/messages/scenario.hpp"

namespace holdfast::messages {

// Of frames that no datagram carries: it is of TCP.
inline bool is_long(const sim::WorldRail& rail) {
  return rail.pipe.frame_bytes_max > 65'507;
}
// The kind of each rail of the scenario.
std::vector<RealKind> draw_kinds(const Scenario& scenario);

struct RealPlayed {
  std::string failure;  // the first thing that was wrong; empty if nothing was
  std::uint64_t frames = 0;
  std::uint64_t messages = 0;  // received
  std::uint64_t resent = 0;
  std::uint64_t spoilt =
      0;  // frames that were lost, doubled, corrupted, cut short or late on purpose
  std::uint64_t faults = 0;              // of rails and processes that have begun
  std::uint64_t faults_in_recovery = 0;  // of these, such as wait for something to be sent again
};

// Takes as long as the scenario says, and what everything needs to complete after its calm.
RealPlayed play_on(const std::vector<RealKind>& kinds, const Scenario& scenario);

}  // namespace holdfast::messages
