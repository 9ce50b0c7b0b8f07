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
  std::vector<PeerEntry>& others = far().others;
  auto found = std::lower_bound(
      others.begin(), others.end(), process,
      [](const PeerEntry& entry, ProcessId wanted) { return entry.process < wanted; });
  if (found == others.end() || found->process != process) {
    found = others.insert(found, PeerEntry{});
    found->process = process;
  }
  return *found;
}

PeerKeys& PeerTable::keys(PeerEntry& entry) {
  std::vector<PeerKeys>& keys = far().keys;
  if (entry.keys == PeerEntry::kNoKeys) {
    entry.keys = static_cast<std::uint32_t>(keys.size());
    keys.emplace_back();
  }
  return keys[entry.keys];
}

}  // namespace holdfast
