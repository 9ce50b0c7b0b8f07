// The TCP fabric: frames over connections, for networks that let nothing else pass.
//
// It is a datagram service like UDP's, with the network's own repetition below it: a frame is lost
// only if its connection breaks, if nobody listens, or if the buffer to its receiver is full. What
// is slow or dead holds up nobody else. Addresses are those of UDP. What could not leave at once
// leaves when the fabric is polled; the descriptor of arm() says when that is worth while. Where
// the port is watched, the kernel's news of the interface that has the local address become
// port_down and port_up (hw/udp/port_watch.hpp).
//
// Who sends first makes the connection, and who has accepted it sends over it, too: what goes one
// way takes along the kernel's acknowledgements of what came the other. For that it leaves from the
// port that its maker listens at: while it does, no other user can bind that port, so an answer
// goes to nobody else than a new connection would. (Before it does, another user of that machine
// can, as it can listen there: seals are for networks of strangers.) A connection in place of one
// that broke leaves from any port, since the other side's kernel may still believe in the old one,
// and so does one that is not made at once; it is used in one direction only. Who has made a
// connection ends it when it detaches the receiver.
//
// What open() and attach() do not allocate, a connection does, and what waits for one: there are at
// most so many. Long frames are read to where a placer has them, the rest of each together with the
// beginning of the next one, so that the kernel's copy is the only one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/fabric_queues.hpp"
#include "hw/fixed_queue.hpp"
#include "hw/shared_handles.hpp"
#include "hw/tcp/connection.hpp"
#include "hw/tcp/dialogue.hpp"
#include "hw/tcp/outgoing.hpp"
#include "hw/udp/arrival_clock.hpp"
#include "hw/udp/port_watch.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/write_losses.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

struct TcpOptions {
  UdpEndpoint local;  // port 0: the kernel chooses
  // 1 … 2^24; at both ends. 256 KiB and the header of a message, which need no padding.
  std::uint32_t frame_bytes_max = 262'192;
  std::uint32_t send_depth = 256;     // >= 1
  std::uint32_t receive_depth = 256;  // >= 1
  std::uint32_t peers_max = 4096;     // handles attached at one time
  std::uint32_t incoming_max = 4096;  // connections that are not ours to send over
  // At most, for each receiver, beside the kernel's: a window of messages, and what is around as
  // many frames as there are requests.
  std::uint32_t send_buffer_bytes = (4 << 20) + (512 << 10);
  PortWatching port = PortWatching::none;  // of the interface that has the address `local`
};

// What the fabric saw and nobody was told.
struct TcpCounters {
  std::uint64_t frames_sent =
      0;  // taken; those of a connection that breaks are counted as lost too
  std::uint64_t frames_received = 0;
  std::uint64_t lost = 0;        // frames that did not leave
  std::uint64_t truncated = 0;   // frames received longer than their slot, lost
  std::uint64_t displaced = 0;   // frames whose place was taken back before they were there, lost
  std::uint64_t impossible = 0;  // connections ended for no prefix, or a length beyond the limit
  std::uint64_t refused = 0;     // connections ended because there were too many
};

class TcpFabric final : public Fabric {
 public:
  // Listens. An error names the address and the reason.
  static Status open(const TcpOptions& options, std::unique_ptr<TcpFabric>& opened);
  // What the kernel has taken still arrives, unless more comes meanwhile from where it goes to. The
  // others hear of the end, and the port can be listened at again, though a child of this process
  // may hold the sockets; what a child has of the fabric itself must not be touched there.
  ~TcpFabric() override;

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return to_address(local_); }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  // Nothing to flush: what is posted is the kernel's or lies in our buffer.
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  void set_placer(FramePlacer* placer, std::uint32_t beginning_bytes) override {
    placer_ = placer;
    beginning_bytes_ = beginning_bytes;
  }
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return queues_.offer(slots); }
  // What the port has become, then completions in the order of their posts, then `writable`, then
  // frames, those of one sender in their order.
  std::size_t poll(std::span<Event> events) override;
  void look_anew() override { dialogue_.ask(); }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override;
  std::size_t losses(std::span<LostFrames> to) const override {
    return write_losses(to, {{"unsent", counters_.lost},
                             {"truncated", counters_.truncated},
                             {"displaced", counters_.displaced}});
  }

  const TcpCounters& counters() const { return counters_; }
  const UdpEndpoint& endpoint() const { return local_; }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  static constexpr std::uint32_t kListener = 0xffff'ffff;  // among the arrivals, beside places
  static constexpr std::size_t kReadyBatch = 64;           // sockets that are told of at once

  struct Receiver {
    std::unique_ptr<Outgoing> frames;  // null: this place is free
    UdpEndpoint endpoint;
    std::uint32_t connection = kNone;  // over which it is sent to
    Time again;                        // not connected to before
    bool has_broken = false;           // a connection that was made
  };
  struct Place {
    std::unique_ptr<Connection> connection;  // null: this place is free
    std::uint32_t receiver = kNone;          // who is sent to over it
    bool is_from_other = false;              // they made it, and end it
    bool is_watched = false;                 // until it is made, or takes more
    bool is_ready = false;                   // in `ready_`
  };
  // Sockets that the fabric waits for, each an epoll.
  struct Sockets {
    Descriptor listener;
    Descriptor arrivals;    // the listener and all connections
    Descriptor departures;  // those for which something waits
    Descriptor all;         // both and the port's news, for sleeping
  };

  TcpFabric(const TcpOptions& options, Sockets sockets, std::unique_ptr<PortWatch> port,
            const UdpEndpoint& local);

  bool is_possible(const Operation& operation) const;
  bool connect(std::uint32_t receiver, Time now);
  void lead(std::uint32_t place, std::uint32_t receiver);
  std::uint32_t add(Descriptor socket, const UdpEndpoint& peer, Connection::Stage stage);
  void leave(std::uint32_t place);
  void stop_sending(std::uint32_t place, Time now);
  bool hand_to_others(std::uint32_t place);
  void close(std::uint32_t place, Time now);
  void remove(std::uint32_t place);
  void lose_connection(std::uint32_t receiver, bool was_made, Time now);
  void connect_otherwise(std::uint32_t receiver, Time now);
  void lead_from_other(std::uint32_t receiver);

  void send(std::uint32_t receiver, std::span<const Outgoing::Frame> frames, Time now);
  void flush(std::uint32_t receiver, Time now);
  void watch(std::uint32_t place, bool wanted);
  void look_after_waiting();
  void rest(Time now);
  void end_rest(Time now);

  // arrivals.cpp
  bool accept_all(Time now);
  bool look_for_arrivals(bool& more);
  void receive(std::uint32_t place, std::span<Event> events, std::size_t& count, bool& more);
  Connection::Read read(Connection& connection, const ClockPair& now, std::span<Event> events,
                        std::size_t& count);
  bool is_for_placer(const Connection& connection) const;
  std::byte* place_of(Connection& connection);
  Connection::Read read_rest(Connection& connection, std::byte* place, const ClockPair& now,
                             std::span<Event> events, std::size_t& count);
  void take(const Connection& connection, std::uint32_t bytes, const ClockPair& now, Event& event);

  Caps caps_;
  UdpEndpoint local_;
  Sockets sockets_;
  std::unique_ptr<PortWatch> port_;  // null: not watched
  bool wakes_for_arrivals_ = false;
  Time rests_until_ = Time::never();  // nobody is let in before; never: the listener does not rest
  ArrivalClock arrivals_;
  TcpCounters counters_;
  std::size_t send_buffer_bytes_;
  FramePlacer* placer_ = nullptr;
  std::uint32_t beginning_bytes_ = 0;

  std::vector<Receiver> receivers_;
  SharedHandles handles_;
  std::uint32_t regions_ = 0;
  FabricQueues queues_;

  std::vector<Place> places_;  // one for each receiver, and those from others
  std::vector<std::uint32_t> free_places_;
  std::uint32_t from_others_max_;
  std::uint32_t from_others_ = 0;
  std::uint32_t watched_ = 0;
  FixedQueue<std::uint32_t> ready_;  // places that may hold frames
  std::size_t told_ = 0;             // events, since there was a look for others
  Dialogue dialogue_;
};

}  // namespace holdfast::hw
