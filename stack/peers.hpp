// Whom an engine talks to: the fabric's handle, the last sequence number, and the keys of the pair.
// A process talks to its ring neighbours and its propagation targets, a few dozen of a million, and
// nearly always to the neighbours; so the first few entries lie in the table itself and the keys,
// which not every seal needs, lie apart. With one rail, where neither handles nor keys have to be
// kept, only those have an entry who exchange heartbeats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/fabric.hpp"
#include "stack/seal/replay_window.hpp"
#include "stack/seal/seal.hpp"

namespace holdfast {

// The keys of both directions, with the incarnations that they were derived for, and which frames
// have come in.
struct PeerKeys {
  struct Direction {
    bool derived = false;
    Incarnation own, remote;
    PairKey key;
  };
  Direction out, in;
  ReplayWindow window;
};

struct PeerEntry {
  static constexpr std::uint32_t kNoKeys = 0xffff'ffff;

  ProcessId process = kNoProcess;
  Peer peer;                     // kNoPeer until something is sent to it
  Incarnation last_incarnation;  // of its newest sign of life
  std::uint32_t keys = kNoKeys;  // of the table's keys, once they have been asked for
  std::uint64_t last_sequence = 0;
};

class PeerTable {
 public:
  // The entry of a process, made if there is none. Invalidates references given before.
  PeerEntry& entry(ProcessId process) {
    for (PeerEntry& near : nearest_) {
      if (near.process == process) return near;
    }
    return find_or_make(process);
  }

  // Null if there is none.
  PeerEntry* find(ProcessId process) {
    for (PeerEntry& near : nearest_) {
      if (near.process == process) return &near;
    }
    return find_far(process);
  }

  PeerKeys& keys(PeerEntry& entry);

 private:
  PeerEntry& find_or_make(ProcessId process);
  PeerEntry* find_far(ProcessId process);

  // What most processes never need.
  struct Far {
    std::vector<PeerEntry> others;  // ascending by process
    std::vector<PeerKeys> keys;
  };
  Far& far() {
    if (!far_) far_ = std::make_unique<Far>();
    return *far_;
  }

  static constexpr std::size_t kNearest = 2;

  std::array<PeerEntry, kNearest> nearest_;  // the first to come, in order of coming
  std::unique_ptr<Far> far_;
};

}  // namespace holdfast
