// The connections of one verbs fabric: a queue pair of the reliable service for each peer, made by
// the handshake that goes over the fabric's datagrams (PROTOCOL 11).
//
// What is posted is not copied, unless it is inline: the adapter reads it where it lies, and frames
// arrive in the slots themselves, which stand in one receive queue for all connections.
//
// Each attempt has a queue pair of its own. One that is over is stopped, which ends all that was
// posted to it, and is given back when that has been heard; a little later, because the adapter may
// hold a slot for it (a stopped queue pair gives it back).
//
// Nothing allocates after the construction but the kernel, for queue pairs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/fabric_queues.hpp"
#include "hw/fixed_queue.hpp"
#include "hw/verbs/connected_queues.hpp"
#include "hw/verbs/connection_state.hpp"
#include "hw/verbs/datagram_queue.hpp"
#include "hw/verbs/handshake.hpp"
#include "hw/verbs/regions.hpp"
#include "hw/verbs/work_pool.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class Connections {
 public:
  // Of a Peer: a connection, not a receiver of datagrams.
  static constexpr std::uint32_t kPeerBit = 0x8000'0000;
  static bool is_connection(Peer peer) { return peer != kNoPeer && (peer.value & kPeerBit) != 0; }

  // What is given must outlive this. Completions go to `completions`, in whose limit are all
  // operations under way.
  Connections(const VerbsOptions& options, const VerbsEndpoint& self, ConnectedQueues& queues,
              DatagramQueue& datagrams, const Regions& regions, FabricQueues& completions);
  ~Connections();

  // `way` is the one to the endpoint's host. kNoPeer if there is a connection with it, or no room.
  Peer attach(const VerbsEndpoint& endpoint, ibv_ah& way);
  bool is_attached(Peer peer) const;
  // Of one that is attached.
  void detach(Peer peer);
  void reset(Peer peer);

  // Takes the operation; there is room for its completion.
  void post(const Operation& operation);
  std::size_t under_way() const { return works_.under_way(); }
  // False if there is no room.
  bool offer(const ReceiveSlot& slot);

  // A datagram of the handshake came from the queue pair `from`. `way_to` finds the way to a host
  // that is known, or null.
  template <class WayTo>
  void handle(std::span<const std::byte> bytes, std::uint32_t from, WayTo way_to) {
    const std::optional<HandshakeFrame> frame = decode_handshake(bytes);
    if (!frame || frame->sender.queue_pair != from || frame->sender == self_) {
      ++refused_;
    } else if (const std::uint32_t place = find(frame->sender); place != kNone) {
      handle(place, *frame);
    } else if (ibv_ah* const way = way_to(frame->sender)) {
      if (const auto answer = Handshake::to_stranger(self_, *frame)) send(*answer, *way, from);
    }
  }
  // The adapter says something of a queue pair.
  void handle(const ibv_async_event& seen);

  // Looks what the adapter has done, and does what is due.
  void reap();
  // `attached`, `received` and `peer_down` in the order in which they happened; how many.
  std::size_t poll(std::span<Event> events);
  bool has_events() const { return !happened_.empty(); }
  void arm() { queues_.arm(); }
  // When reap must be called though nothing arrives.
  Time next_due() const { return due_; }

  // Handshake frames that were none, or not of who sent them.
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  struct Connection {
    ConnectionState state = ConnectionState::free;
    VerbsEndpoint peer;
    ibv_ah* way = nullptr;
    Handshake handshake;
    Owned<ibv_qp> pair;
    Completion reason = Completion::flushed;  // why it is over
    Time gives_up_at;
    Duration asks_again_after;
    Time due = Time::never();
    Time
        forced_at;  // by then the adapter has to have ended all, or it is taken away its queue pair
    WorkPool::Line works;
  };

  struct Happened {
    Event event;
    std::uint32_t slot = kNone;  // received only
  };

  static Peer peer_of(std::uint32_t place) { return {place | kPeerBit}; }
  std::uint32_t find(const VerbsEndpoint& peer) const;
  std::uint32_t place_of_pair(std::uint32_t number) const;
  void handle(std::uint32_t place, const HandshakeFrame& frame);
  void advance(std::uint32_t place, ConnectionEvent event);
  void begin_attempt(std::uint32_t place);
  void bid_farewell(const Connection& connection);
  void stop(Connection& connection);
  void tell(std::uint32_t place, EventKind kind);
  void forget_events(Peer peer);
  void look_at(std::uint32_t place, Time now);
  void ask(Connection& connection, Time now);
  void send(const HandshakeFrame& frame, ibv_ah& way, std::uint32_t to);

  bool is_possible(const Operation& operation) const;
  bool submit(ibv_qp& pair, const WorkPool::Work& work);
  void reap_completions();
  void take_sent(const ibv_wc& completion);
  void take_received(const ibv_wc& completion);
  void give_back(std::uint32_t slot);

  VerbsEndpoint self_;
  ConnectedQueues& queues_;
  DatagramQueue& datagrams_;
  const Regions& regions_;
  Duration patience_;

  std::vector<Connection> connections_;
  std::vector<std::uint32_t> pair_numbers_;  // of each connection's queue pair; 0: it has none
  Time due_ = Time::never();                 // the earliest of them, or earlier

  std::uint64_t last_order_ = 0;  // of an attempt

  WorkPool works_;

  std::vector<ReceiveSlot> slots_;  // offered
  std::vector<std::uint32_t> free_slots_;
  FixedQueue<Happened> happened_;
  std::uint64_t refused_ = 0;
};

}  // namespace holdfast::hw
