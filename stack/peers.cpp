// The entries beyond the nearest, and the keys.
#include "stack/peers.hpp"

#include <algorithm>

namespace holdfast {

PeerEntry& PeerTable::find_or_make(ProcessId process) {
  for (PeerEntry& entry : nearest_) {
    if (entry.process != kNoProcess) continue;
    entry.process = process;
    return entry;
  }
  auto found = std::lower_bound(
      others_.begin(), others_.end(), process,
      [](const PeerEntry& entry, ProcessId wanted) { return entry.process < wanted; });
  if (found == others_.end() || found->process != process) {
    found = others_.insert(found, PeerEntry{});
    found->process = process;
  }
  return *found;
}

PeerKeys& PeerTable::keys(PeerEntry& entry) {
  if (entry.keys == PeerEntry::kNoKeys) {
    entry.keys = static_cast<std::uint32_t>(keys_.size());
    keys_.emplace_back();
  }
  return keys_[entry.keys];
}

}  // namespace holdfast
