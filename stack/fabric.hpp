// Seam 1: what the stack asks of any network.
//
// A fabric moves frames between processes. It is simulated (sim/fabric) or real (hw/*); a recorder,
// a replayer and a fault injector are fabrics as well. All operations work on batches, so one
// indirect call is paid per batch and none per frame. What differs between networks is data, in
// Caps.
//
// Rules that every fabric keeps and tests/conformance checks:
//  - It never throws, exits, aborts or blocks. What goes wrong is a status or an event.
//  - From an accepted post to its completion the bytes belong to the fabric. An inline operation is
//    complete when it is accepted: the bytes are the caller's again, and no event follows but, of
//    one that can never succeed, perhaps a `sent` that says so. Every other accepted operation ends
//    in exactly one `sent` event, also after reset and detach.
//  - An offered slot belongs to the fabric until the `received` event that returns it.
//  - "Sent" is not delivery. Whoever needs to know that a peer has handled a frame must ask the
//  peer.
//  - One thread at a time calls a fabric; it is the thread that drives the engine.
//
// And of connections, where Caps::connected is:
//  - A connection takes two: each end attaches the other's address, in any order and perhaps at
//    once. There is one between two addresses.
//  - Frames and writes take effect in the order of their posts. A frame that finds no slot waits at
//    its sender; one that is longer than its slot fails.
//  - An operation that fails ends its connection, and so do the peer's reset, detach and death.
//  What
//    was posted behind it is `flushed`; when all has ended, `peer_down` says why, once. The handle
//    stays, and what is posted to it, as to one that is not attached yet, is flushed.
//  - What cannot succeed for a reason of this end's (too large, outside of its region) fails alone.
//  - After reset the connection is made anew. The peer hears `peer_down` and has to reset its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/base/time.hpp"

namespace holdfast {

enum class Service : std::uint8_t {
  datagram,   // unordered, may lose frames; attach completes at once
  connected,  // ordered and acknowledged by the network; attach ends with `attached` or `peer_down`
  watch,      // carries no data: `peer_down` when that process of this node ends, as its operating
              // system says so; at once if there is no such process
};

// What a fabric can do. Fixed for its lifetime.
struct Caps {
  const char* kind = "";               // "message", "udp", …: for people, and for defaults
  std::uint32_t frame_bytes_max = 0;   // largest datagram
  std::uint32_t inline_bytes_max = 0;  // largest operation that may be posted inline
  std::uint32_t send_depth = 0;        // most operations accepted and not yet completed
  std::uint32_t receive_depth = 0;     // most slots offered and not yet returned, of each service
  std::uint32_t connected_bytes_max = 0;  // largest operation on a connection
  // Datagrams of one sender that a receiver holds until it polls; more are lost. Peers are taken to
  // hold as many as this fabric does. 0: nobody knows.
  std::uint32_t peer_frames_max = 0;
  // Of one post, where more are at hand: their receiver takes them while the next are prepared.
  std::uint32_t post_bytes_best = 256 << 10;
  std::uint32_t post_frames_best = 64;  // >= 1
  bool datagram = false;
  bool connected = false;
  bool watch = false;
  bool one_sided = false;  // write and read
  bool fetch_add = false;
  bool path_control = false;  // set_path
  // An inline send may have a second piece: one that is gathered, or that its poster writes itself
  // to where the fabric has it. Never both.
  bool gathers = false;
  bool is_written_in_place = false;
  // A poll looks into memory that others write, and calls nobody: one more costs little.
  bool polls_memory = false;
  bool frames_protected = false;  // the network's own check detects every accidental corruption
  // A datagram handle follows from the address: attach keeps nothing, and it need not be detached.
  bool stateless_attach = false;
};

// Where a process can be reached: bytes that only the same kind of fabric understands.
struct Address {
  static constexpr std::size_t kBytesMax = 48;
  std::array<std::byte, kBytesMax> bytes{};
  std::uint8_t size = 0;

  friend bool operator==(const Address&, const Address&) = default;
};

// A handle that attach returned; valid until detach.
struct Peer {
  std::uint32_t value = 0xffff'ffff;
  friend constexpr auto operator<=>(Peer, Peer) = default;
};
constexpr Peer kNoPeer{};

// A handle of registered memory.
struct Region {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(Region, Region) = default;
};
constexpr Region kNoRegion{0xffff'ffff};

// How connected peers name exposed memory: its first byte, from which addresses count up, and what
// they have to show. All zero: not exposed.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  friend constexpr bool operator==(const RemoteMemory&, const RemoteMemory&) = default;
};

struct Operation;

// Whether what is computed of bytes that are copied is computed before, so that memcpy alone stores
// them, or on the way of the copy. Which is faster into memory that another processor reads depends
// on whose caches have it, so the fabric says what it wishes.
enum class Passes : std::uint8_t { one, two };

// Writes the second piece of an operation's frame, in the course of its post.
class FrameWriter {
 public:
  // All of `more_size` bytes. The first piece is read after that, so it may tell of this one. Not
  // called if the frame is lost.
  virtual void write(const Operation& operation, std::byte* to, Passes passes) = 0;

 protected:
  ~FrameWriter() = default;
};

// Says where frames that are being received go on, in the course of a poll.
class FramePlacer {
 public:
  // A frame of `frame_bytes` has begun so: where what follows is to lie, room for all of it; null:
  // in its slot, behind its beginning. An answer is good until the poll returns. It is asked before
  // each time that something is written there, and only in polls that tell of no frame before it.
  // It calls no function of a fabric.
  virtual std::byte* place(std::span<const std::byte> beginning, std::uint32_t frame_bytes) = 0;

 protected:
  ~FramePlacer() = default;
};

enum class OperationKind : std::uint8_t { send, write, read, fetch_add };

struct Operation {
  OperationKind kind = OperationKind::send;
  bool inline_data = false;  // the bytes are copied by post; needs size <= Caps::inline_bytes_max
  Peer peer;
  Region region;  // holds `data`, unless inline
  std::byte* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t more_size = 0;  // of the second piece; only an inline send may have one
  union {
    std::uint64_t remote_address = 0;  // one-sided operations only
    const std::byte* more;             // of a second piece that is gathered: where it is, anywhere
    FrameWriter* writer;               // of one that is written in place
  };
  std::uint64_t remote_key = 0;
  std::uint64_t cookie = 0;  // comes back in the `sent` event
  // When it was posted, on the engine's clock, of who has just read it; else a fabric that tells
  // receivers when a frame was sent reads it itself.
  Time at;

  std::size_t frame_bytes() const { return std::size_t{size} + more_size; }
};

struct ReceiveSlot {
  Region region;
  std::byte* data = nullptr;
  std::uint32_t size =
      0;  // at least Caps::frame_bytes_max of what may arrive, else truncated = lost
  std::uint64_t cookie = 0;             // comes back in the `received` event
  Service service = Service::datagram;  // whose frames it takes: of datagrams or of connections
};

enum class EventKind : std::uint8_t {
  sent,       // a posted operation ended; `completion` says how
  received,   // a frame of `size` bytes took the slot named by `cookie`, and is in it, unless the
              // event says where
  writable,   // after post took fewer than offered: there is room again
  attached,   // a connected peer is ready: before anything is received from it
  peer_down,  // a connection ended, or a watched process did
  path_migrated,
  path_migration_failed,
  port_up,
  port_down,
};

enum class Completion : std::uint8_t {
  ok,
  flushed,             // reset, detach or an error before it ended the operation
  retry_exceeded,      // the peer does not answer
  receiver_not_ready,  // it has offered no slot for too long
  remote_access,       // it refuses: a wrong key, bytes outside of what is exposed, a short slot
  local_error,
};

struct Event {
  EventKind kind = EventKind::sent;
  Completion completion = Completion::ok;
  // Of datagrams received: kNoPeer, the frame itself says who sent it.
  Peer peer;
  std::uint32_t size = 0;  // received: bytes
  std::uint64_t cookie = 0;
  // When it happened, on the engine's clock; never later than the poll, but where a sender of the
  // same user lies (hw/shm, by microseconds).
  Time at;
  // Received: where a placer had what follows the frame's beginning; null: it is in the slot.
  std::byte* placed = nullptr;
  // Received, where frames are lent: where the frame is, until the next poll; null: in its slot.
  const std::byte* lent = nullptr;
  // Of the last one of a poll that asks a placer, or lends: it may not have told of all.
  bool more = false;
};

enum class PathChoice : std::uint8_t { primary, alternate };

// How a process may sleep without losing a wake-up.
struct Armed {
  bool idle = false;    // false: events are waiting, poll instead of sleeping
  int descriptor = -1;  // becomes readable when an event arrives; -1: none, sleep in short naps
  Time until = Time::never();  // poll then at the latest: the fabric has something to do
};

// Frames that a fabric has lost or refused since it was opened, for one reason.
struct LostFrames {
  const char* reason = "";  // one word or several with '_' between, for people and monitors
  std::uint64_t frames = 0;
};

class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual const Caps& caps() const = 0;
  virtual Address local_address() const = 0;

  // A handle for sending to `address`, or kNoPeer if the address or the service is not of this
  // fabric or there is no room. The same address may be attached again; each handle is detached by
  // itself. Of connected handles there is one for an address.
  [[nodiscard]] virtual Peer attach(const Address& address, Service service) = 0;
  virtual void detach(Peer peer) = 0;
  // Flushes what is posted to `peer` and returns its connection to the state after attach.
  virtual void reset(Peer peer) = 0;

  // Memory that non-inline operations and slots lie in; it must outlive the fabric. kNoRegion if
  // the machine refuses: datagrams do without.
  [[nodiscard]] virtual Region register_memory(std::span<std::byte> memory) = 0;

  // From now on connected peers may write to a region and read it, with what is returned, which
  // must be brought to them. Who has it reaches all of the region and nothing else; nobody says
  // when it was used. Zero where Caps::one_sided is not set.
  virtual RemoteMemory expose(Region) { return {}; }

  // Accepts a prefix of `operations` and returns its length; fewer than offered is back-pressure,
  // and `writable` follows. An operation that can never succeed is accepted and completes with an
  // error.
  [[nodiscard]] virtual std::size_t post(std::span<const Operation> operations) = 0;

  // A frame to `peer` is being made, and will be posted as soon as it is: what the post would wait
  // for may be fetched meanwhile. It need not come, and nothing can be told from this but how long
  // that post takes.
  virtual void prepare(Peer) {}

  // From now on `placer`, which is taken back by null, may be asked about frames longer than their
  // first `beginning_bytes`, >= 1, which are in the slot in any case: no slot is shorter. A fabric
  // whose frames lie somewhere before they are received, or are written by an adapter, asks nobody.
  virtual void set_placer(FramePlacer* /*placer*/, std::uint32_t /*beginning_bytes*/) {}

  // From now on, or no more, frames that were read into memory of the fabric's may stay there
  // (Event::lent). Each takes a slot all the same. A fabric around another one that looks into
  // slots, or polls again before its events are used, does not hand this on.
  virtual void set_lending(bool /*lends*/) {}

  // Hands over a prefix of `slots` and returns its length.
  [[nodiscard]] virtual std::size_t offer(std::span<const ReceiveSlot> slots) = 0;

  // Writes the oldest events and returns how many; fewer than events.size() means: none left but
  // frames that wait for a slot, unless the last one says `more`. A fabric may have looked some ten
  // microseconds before and not again, if it was polled then, too (hw/lately.hpp).
  [[nodiscard]] virtual std::size_t poll(std::span<Event> events) = 0;

  // The next poll tells of all that has come by now, however lately the fabric has looked.
  virtual void look_anew() {}

  // False where Caps::path_control is.
  virtual bool set_path(Peer peer, PathChoice choice) = 0;

  virtual Armed arm() = 0;

  // Writes what it has lost and knows of, a reason each, and returns how many reasons; `to` has
  // room for kLossReasonsMax. For people: nobody decides by it.
  static constexpr std::size_t kLossReasonsMax = 8;
  [[nodiscard]] virtual std::size_t losses(std::span<LostFrames> /*to*/) const { return 0; }
};

}  // namespace holdfast
