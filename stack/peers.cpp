#include "stack/peers.hpp"

#include <algorithm>

namespace holdfast {

PeerEntry& PeerTable::entry(ProcessId process) {
  auto found = std::lower_bound(
      entries_.begin(), entries_.end(), process,
      [](const PeerEntry& entry, ProcessId wanted) { return entry.process < wanted; });
  if (found == entries_.end() || found->process != process) {
    found = entries_.insert(found, PeerEntry{});
    found->process = process;
  }
  return *found;
}

}  // namespace holdfast
