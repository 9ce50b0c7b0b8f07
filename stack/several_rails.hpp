// The rails of an engine that has several for its frames, and which of them a frame takes
// (PROTOCOL.md, section 12).
//
// Nobody tells a sender that what it sends on a rail does not arrive. So heartbeats and requests
// for them take the rails in turn: whatever rails fail, every n-th of them arrives as long as one
// of the n rails works, and no more of them are sent than on one rail. News is rare, and goes on
// every rail at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stack/base/ids.hpp"
#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/wire/frame.hpp"

namespace holdfast {

// Memory for one control frame, on cache lines of its own.
struct alignas(64) FrameSlot {
  std::array<std::byte, kFrameBytesMax> bytes;
};

class SeveralRails {
 public:
  static constexpr std::size_t kRailsMax = 8;

  struct Rail {
    Fabric* fabric = nullptr;
    std::size_t index = 0;  // among all rails of the engine
    Region region{};
    FrameSlot* slots = nullptr;  // for frames that arrive
    bool is_full = false;        // back-pressure: nothing is sent until it is writable
    bool is_down = false;        // its port says so
    // Events that were polled and not yet handled.
    std::array<Event, 16> events{};
    std::size_t next = 0, count = 0;
    bool is_empty = false;

    bool usable() const { return !is_full && !is_down; }
  };
  // What is to be handled next, and on which rail it happened.
  struct Arrival {
    Rail* rail = nullptr;
    Event event;
  };

  // Those of `rails` that carry datagrams, 2 … kRailsMax of them. Each must take control frames
  // inline.
  SeveralRails(std::span<Fabric* const> rails, std::uint32_t receive_slots);

  void offer_all();
  // Gives a slot back to its rail.
  void offer(Rail& rail, std::uint64_t slot);
  std::span<std::byte> slot(Rail& rail, std::uint64_t slot) { return rail.slots[slot].bytes; }

  // Of a turn: begin, then what has arrived on all rails in the order of arrival, until there is
  // none.
  void begin_turn();
  bool take(Arrival& arrival);

  std::size_t count() const { return rails_.size(); }
  Rail& rail(std::size_t i) { return rails_[i]; }
  bool all_full() const;

  // The rail of the next heartbeat, or of the next observe, to a process.
  std::size_t next_for(ProcessId process, FrameType type);
  // The handle of a process on a rail; kNoPeer until it has been attached.
  Peer& handle(ProcessId process, std::size_t rail) { return peer(process).handles[rail]; }
  // What is sent from now on is for this boot of the process, which may be at other addresses than
  // an earlier one: handles of that are let go.
  void follow_life(ProcessId process, std::uint32_t boot);

 private:
  struct PeerRails {
    ProcessId process = kNoProcess;
    std::array<Peer, kRailsMax> handles{};
    std::uint32_t boot = 0;              // whose handles these are
    std::array<std::uint8_t, 2> next{};  // of heartbeats, of observes
  };
  PeerRails& peer(ProcessId process);
  ReceiveSlot receive_slot(Rail& rail, std::uint64_t slot) const;

  std::uint32_t receive_slots_;
  std::vector<Rail> rails_;
  std::unique_ptr<FrameSlot[]> slots_;
  std::vector<PeerRails> peers_;  // ascending by process
};

}  // namespace holdfast
