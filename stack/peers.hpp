// Whom an engine talks to: the fabric's handle, the keys of the pair, and the last sequence number.
// A process talks to its ring neighbours and its propagation targets, a few dozen of a million, so
// the table is a short sorted array.
#pragma once

#include <cstdint>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/fabric.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast {

struct PeerEntry {
  ProcessId process;
  Peer peer;  // kNoPeer until something is sent to it
  // Of the frames that arrive.
  std::uint64_t last_sequence = 0;
  Incarnation last_incarnation;
  // Keys, with the incarnations that they were derived for.
  bool has_out_key = false;
  bool has_in_key = false;
  Incarnation out_own, out_remote, in_own, in_remote;
  PairKey out_key, in_key;
};

class PeerTable {
 public:
  // The entry of a process, made if there is none. Invalidates references given before.
  PeerEntry& entry(ProcessId process);
  const std::vector<PeerEntry>& entries() const { return entries_; }

 private:
  std::vector<PeerEntry> entries_;  // ascending by process
};

}  // namespace holdfast
