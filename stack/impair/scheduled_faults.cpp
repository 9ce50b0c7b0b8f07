// Windows are few, so those that are open are found anew whenever one opens or closes.
#include "stack/impair/scheduled_faults.hpp"

#include <algorithm>

namespace holdfast {

namespace {

auto place_of(Peer peer, const std::vector<std::pair<Peer, ProcessId>>& handles) {
  return std::lower_bound(handles.begin(), handles.end(), peer,
                          [](const auto& handle, Peer wanted) { return handle.first < wanted; });
}

}  // namespace

ScheduledFaults::ScheduledFaults(std::span<const FaultWindow> windows, ProcessId self,
                                 std::uint8_t rail)
    : self_(self) {
  for (const FaultWindow& window : windows) {
    if (!window.concerns_sender(self) || window.rail.value_or(rail) != rail) continue;
    windows_.push_back(&window);
    named_.insert(named_.end(), window.of.begin(), window.of.end());
    named_.insert(named_.end(), window.to.begin(), window.to.end());
  }
  std::sort(named_.begin(), named_.end());
  named_.erase(std::unique(named_.begin(), named_.end()), named_.end());
  open_.reserve(windows_.size());
  handles_.reserve(2 * named_.size());
  if (windows_.empty()) next_change_ = kNever;
}

FrameFaults ScheduledFaults::worst() const {
  FrameFaults all;
  for (const FaultWindow* window : windows_) all = all.and_then(window->faults);
  return all;
}

void ScheduledFaults::change(Duration passed) {
  open_.clear();
  next_change_ = kNever;
  for (const FaultWindow* window : windows_) {
    if (passed < window->from) {
      next_change_ = std::min(next_change_, window->from);
    } else if (passed < window->until) {
      next_change_ = std::min(next_change_, window->until);
      open_.push_back(window);
    }
  }
}

// The fabric may give a handle anew that it has been given back, or the same for the same address.
void ScheduledFaults::attached(Peer peer, ProcessId process) {
  detached(peer);
  if (!std::binary_search(named_.begin(), named_.end(), process)) return;
  handles_.insert(place_of(peer, handles_), {peer, process});
}

void ScheduledFaults::detached(Peer peer) {
  const auto found = place_of(peer, handles_);
  if (found != handles_.end() && found->first == peer) handles_.erase(found);
}

ProcessId ScheduledFaults::receiver(Peer peer) const {
  const auto found = place_of(peer, handles_);
  return found != handles_.end() && found->first == peer ? found->second : kNoProcess;
}

FrameFaults ScheduledFaults::to(Peer peer, FrameFaults always) const {
  const ProcessId process = receiver(peer);
  for (const FaultWindow* window : open_)
    if (window->concerns(self_, process)) always = always.and_then(window->faults);
  return always;
}

}  // namespace holdfast
