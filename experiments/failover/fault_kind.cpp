// A table. The promises are those of the project's first description: 10 ms where the kernel or an
// error tells and for a cut that nobody tells, 25 ms for a link that is up and carries nothing.
#include "experiments/failover/fault_kind.hpp"

#include <algorithm>

namespace holdfast::failover {
namespace {

using hw::RailFault;

constexpr Duration kLasts = seconds(1), kFlap = seconds(2);
constexpr Duration kTold = milliseconds(10), kSilent = milliseconds(25);

}  // namespace

std::span<const FaultKind> fault_kinds() {
  static const std::vector<FaultKind> kinds{
      {"cut", {RailFault::cut}, 0, kLasts, true, kTold},
      {"cut_far", {RailFault::cut}, 1, kLasts, true, kTold},
      {"cut_unwatched", {RailFault::cut}, 0, kLasts, false, kTold},
      {"closed", {RailFault::closed}, 0, kLasts, false, kTold},
      {"silent_out", {RailFault::silent_from}, 0, kLasts, true, kSilent},
      {"silent_back", {RailFault::silent_to}, 0, kLasts, true, kSilent},
      {"silent_both", {RailFault::silent_from, RailFault::silent_to}, 0, kLasts, true, kSilent},
      {"flap", {RailFault::cut}, 0, kFlap, true, kTold}};
  return kinds;
}

const FaultKind* find_fault_kind(std::string_view name) {
  const auto kinds = fault_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const FaultKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace holdfast::failover
