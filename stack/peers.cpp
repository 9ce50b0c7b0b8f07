// The entries beyond the nearest, and the keys.
#include "stack/peers.hpp"

#include <algorithm>

namespace holdfast {

namespace {

std::vector<PeerEntry>::iterator place_of(ProcessId process, std::vector<PeerEntry>& others) {
  return std::lower_bound(
      others.begin(), others.end(), process,
      [](const PeerEntry& entry, ProcessId wanted) { return entry.process < wanted; });
}

}  // namespace

PeerEntry* PeerTable::find_far(ProcessId process) {
  if (!far_) return nullptr;
  const auto found = place_of(process, far_->others);
  return found != far_->others.end() && found->process == process ? &*found : nullptr;
}

PeerEntry& PeerTable::find_or_make(ProcessId process) {
  for (PeerEntry& entry : nearest_) {
    if (entry.process != kNoProcess) continue;
    entry.process = process;
    return entry;
  }
  std::vector<PeerEntry>& others = far().others;
  auto found = place_of(process, others);
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
