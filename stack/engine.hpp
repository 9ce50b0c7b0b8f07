// The engine drives one process: what its rails bring goes to the membership, what the membership
// wants goes out, sealed. It never blocks and never looks at a clock.
//
// A turn: poll the rails until they are empty, handle everything in order of arrival, and only then
// let deadlines fire. A process that slept must read what waited for it before it judges anyone.
//
// Control frames are small and every one of them is repeated or superseded in time, so a frame that
// back-pressure refuses is dropped and counted instead of queued.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stack/address_book.hpp"
#include "stack/fabric.hpp"
#include "stack/membership.hpp"
#include "stack/peers.hpp"
#include "stack/seal/seal.hpp"
#include "stack/several_rails.hpp"
#include "stack/wire/frame.hpp"

namespace holdfast {

struct EngineOptions {
  MembershipOptions membership;
  std::uint32_t job = 0;
  JobKey key;
  std::string_view seal = "none";   // must be registered
  std::uint32_t receive_slots = 1;  // frames that may wait between two turns, 1 … 65535
  std::uint32_t send_slots = 0;     // for rails that cannot send a control frame inline
  // For the slots, receive slots first; of an engine with one rail for its frames. Must outlive the
  // engine, like the rails, which must not be polled after it. Empty: the engine's own.
  std::span<FrameSlot> slots;
};

// Frames that were not handled, by reason. All of them are the world's faults.
struct DropCounts {
  std::uint64_t malformed = 0;      // does not decode
  std::uint64_t other_version = 0;  // of another wire version: another build's
  std::uint64_t unverified = 0;     // the seal does not match, or is of another kind
  std::uint64_t misdelivered = 0;   // another job, another receiver, or an impossible sender
  std::uint64_t outdated = 0;       // handled before, too old to tell, or for an earlier boot
  std::uint64_t copies = 0;         // with several rails: handled before, as each brings one (12.3)
  std::uint64_t refused = 0;        // not sent: back-pressure, or no address

  // Those that came.
  std::uint64_t rejected() const {
    return malformed + other_version + unverified + misdelivered + outdated + copies;
  }

  friend bool operator==(const DropCounts&, const DropCounts&) = default;
};

// What the engines of one thread share: working memory of a turn, which holds nothing between
// turns, and what those engines have under way that have any news.
struct Workspace {
  explicit Workspace(const AddressBook& book) : addresses(book) {}

  static constexpr std::size_t kBatch = 16;
  std::array<Event, kBatch> events;
  std::array<ReceiveSlot, kBatch> slots;
  std::array<Operation, kBatch> operations;
  std::array<std::array<std::byte, kFrameBytesMax>, kBatch> frames;
  std::array<Run, kRunsMax> runs;
  Body body;
  MembershipAction action;
  MembershipMemory memory;
  const AddressBook& addresses;  // must outlive the engines
};

class Engine {
 public:
  // Everything referred to must outlive the engine.
  // Frames travel on all rails that have datagrams (see SeveralRails); processes of the same node
  // are watched on the first rail that can watch.
  Engine(const EngineOptions& options, const Roster& roster, std::span<Fabric* const> rails,
         Workspace& workspace);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void start(Time now);
  // See Membership::leave.
  void leave(Time now) { membership_.leave(now); }
  // One turn. Returns when the next is due at the latest; earlier if a rail has events.
  Time turn(Time now);

  bool steady() const { return membership_.steady() && !blocked_ && !several_ && !lacks_watches_; }
  // Skips `periods` periods of the steady state.
  void advance(std::uint64_t periods) { sequence_ += membership_.advance(periods); }

  const Membership& membership() const { return membership_; }
  bool changed() const { return membership_.changed(); }
  std::span<const Membership::Change> changes() const { return membership_.changes(); }
  void clear_changes() { membership_.clear_changes(); }
  DropCounts drops() const { return rest_ ? rest_->drops : DropCounts{}; }
  // The wire version of the last frame that was of another than ours; 0: there was none.
  std::uint8_t other_wire_version() const { return rest_ ? rest_->other_wire_version : 0; }
  std::uint64_t hash() const;

  // A turn with nothing but heartbeats touches the first so many bytes of this object, besides the
  // rail and a slot: for a simulator, which fetches them in advance for the next of many engines.
  std::size_t hot_bytes() const {
    return static_cast<std::size_t>(static_cast<const char*>(membership_.hot_end()) -
                                    reinterpret_cast<const char*>(this));
  }

 private:
  void choose_rails(std::span<Fabric* const> rails);
  Address address_of(ProcessId process, const Fabric& rail) const;
  void poll_rail(Fabric& rail, Time now);
  void poll_others(Time now);
  void poll_rails(Time now);
  void handle_event(Fabric& rail, const Event& event, Time now);
  void handle_ended(Fabric& rail, Peer peer, Time now);
  void handle_frame(std::span<const std::byte> frame, Time at, Time now);
  bool is_newer(const Header& header);
  bool is_newer_sign(const Header& header);
  Peer handle_of(const MembershipAction& action);
  bool verify(const Header& header, std::span<const std::byte> frame);
  std::uint32_t life_of(Incarnation sender) const;
  bool is_replayed(const Header& header);
  bool is_copy(const Header& header);
  Incarnation receiver_of(const MembershipAction& action) const;
  std::size_t follow_life(ProcessId process, std::uint32_t boot, std::size_t waiting);
  void seal(PeerEntry& peer, const Header& header, std::span<std::byte> frame);
  void send_actions(Time now);
  bool encode(const MembershipAction& action, std::span<std::byte> to, Operation& operation);
  std::span<std::byte> write(const MembershipAction& action, std::span<std::byte> to);
  void send_on_rails(Time now);
  void post_on(std::size_t rail, ProcessId to, std::span<std::byte> frame);
  bool prepare(Operation& operation, std::span<std::byte> inline_frame);
  void post(std::size_t count);
  void drop(std::span<const Operation> operations);
  void watch(ProcessId process, Time now);
  void watch_again(Time now);
  std::span<std::byte> receive_slot(std::uint64_t index);
  std::span<std::byte> send_slot(std::uint64_t index);
  void describe_slot(std::uint64_t index, ReceiveSlot& slot);

  // What an engine with one rail, slots of others and no keys does not need.
  struct Rest {
    const Seal* seal = nullptr;    // null: none that needs a key
    Fabric* watch_rail = nullptr;  // of its own
    std::uint8_t data_rail_index = 0;
    std::uint8_t watch_rail_index = 0;
    JobKey key;
    std::unique_ptr<FrameSlot[]> slots{};
    std::vector<std::uint32_t> free_send{};
    std::vector<std::pair<Peer, ProcessId>> watched{};
    std::vector<ProcessId> unwatched{};  // the rail has refused
    Time watch_again_at{};               // those
    // For which boots handles were attached, where it was not the first; ascending by process.
    std::vector<std::pair<ProcessId, std::uint32_t>> boots{};
    std::unique_ptr<SeveralRails> rails{};
    DropCounts drops{};
    std::uint8_t other_wire_version = 0;
  };
  Rest& rest() {
    if (!rest_) rest_ = std::make_unique<Rest>();
    return *rest_;
  }
  Fabric* watch_rail() { return watches_apart_ ? rest_->watch_rail : data_rail_; }

  // What a heartbeat touches comes first (hot_bytes).
  Workspace& workspace_;
  Fabric* data_rail_ = nullptr;
  FrameSlot* slots_ = nullptr;  // receive slots, then send slots
  std::uint64_t sequence_ = 0;
  std::uint32_t job_;
  Region region_;
  std::uint16_t inline_bytes_max_ = 0;  // of the data rail; no frame is longer than kFrameBytesMax
  std::uint16_t receive_slots_;
  SealAlgorithm seal_algorithm_;
  bool keyed_;                      // the seal needs a key
  bool blocked_ = false;            // back-pressure: nothing is sent until the rail is writable
  bool watches_apart_ : 1 = false;  // on a rail of its own
  bool keeps_handles_ : 1 = true;   // the data rail's handles have to be kept
  bool remembers_ : 1 = false;      // which frames were handled: they may come twice
  bool plain_ : 1 = true;           // one rail for everything
  bool at_first_rail_ : 1 = true;   // the data rail is the first of those that were given
  bool several_ : 1 = false;        // rails for frames: rest_->rails, and not the data rail alone
  bool lacks_watches_ : 1 = false;  // rest_->unwatched has some
  PeerTable peers_;
  Membership membership_;
  std::unique_ptr<Rest> rest_;  // null: nothing of it has been needed
};

}  // namespace holdfast
