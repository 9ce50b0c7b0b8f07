// The UDP fabric: frames as datagrams of one socket of IPv4 or IPv6, sent and received in batches
// (udp_sender.hpp, udp_receiver.hpp). Some peers are sent to from a socket of their own; all that
// comes comes to the one.
//
// The kernel copies a frame while it is posted, so an inline operation of any size is complete at
// once and any other one has its `sent` event at the next poll. A frame that the kernel refuses
// (filtered, no route) is lost like one that the network drops; an operation that is not inline
// says so in its completion, and of inline ones one of each post does to whose peer no way leads.
// Errors that ICMP reports (nobody listens there) are swallowed: to a datagram service they are a
// rumour. A datagram longer than its slot is lost and counted, and so is one for which the kernel
// had no room (it counts it itself; losses() asks, so receiving does not).
//
// Where the port is watched, the kernel's news of the interface that has the local address become
// port_down and port_up (port_watch.hpp).
//
// Everything is allocated by open(); no other call allocates.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hw/descriptor.hpp"
#include "hw/fabric_queues.hpp"
#include "hw/udp/port_watch.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/udp/udp_receiver.hpp"
#include "hw/udp/udp_sender.hpp"
#include "hw/write_losses.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

struct UdpOptions {
  UdpEndpoint local;        // port 0: the kernel chooses
  bool share_port = false;  // SO_REUSEADDR: somebody keeps this port reserved for us
  // One Ethernet packet of IPv4, so that nothing is fragmented on the way and runs of frames can be
  // cut by the network (over IPv6 that takes frames of 1,452 at most); at most 65,507, which is
  // faster where no packet is lost and none is that short.
  std::uint32_t frame_bytes_max = 1472;
  std::uint32_t send_depth = 256;                // >= 1
  std::uint32_t receive_depth = 256;             // >= 1
  std::uint32_t peers_max = 4096;                // handles attached at one time
  std::uint32_t receive_buffer_bytes = 4 << 20;  // of the kernel, which may grant less
  std::uint32_t send_buffer_bytes = 1 << 20;     // likewise
  PortWatching port = PortWatching::none;        // of the interface that has the address `local`
};

// What the fabric saw and nobody was told.
struct UdpCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t send_errors = 0;     // frames that the kernel refused
  std::uint64_t receive_errors = 0;  // errors of the socket, such as ICMP's, swallowed
  std::uint64_t truncated = 0;       // datagrams longer than their slot, lost
  std::uint64_t runs_sent = 0;       // frames that went to the kernel as one buffer, so many times
  std::uint64_t runs_received = 0;   // likewise, that came from it
};

class UdpFabric final : public Fabric {
 public:
  // Opens the socket. An error names the address and the reason.
  static Status open(const UdpOptions& options, std::unique_ptr<UdpFabric>& opened);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return to_address(local_); }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  // Nothing to flush: what is posted has left. What the kernel refused to cut is tried again, and
  // the peer is sent to from our port.
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  void set_lending(bool lends) override { receiver_.set_lending(lends); }
  std::size_t offer(std::span<const ReceiveSlot> slots) override;
  // What the port has become, then completions in the order of their posts, then `writable`, then
  // frames in order of arrival.
  std::size_t poll(std::span<Event> events) override;
  void look_anew() override { receiver_.look_anew(); }
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override;
  std::size_t losses(std::span<LostFrames> to) const override {
    const UdpCounters counted = counters();
    return write_losses(to, {{"send_error", counted.send_errors},
                             {"truncated", counted.truncated},
                             {"receive_buffer_full", dropped_by_kernel()}});
  }

  UdpCounters counters() const;
  // What arrived and was dropped, as nobody had read what came before: of a run that came in one
  // piece perhaps one for all. 0 where the kernel does not say (Linux before 4.12).
  std::uint64_t dropped_by_kernel() const;
  const UdpEndpoint& endpoint() const { return local_; }

 private:
  UdpFabric(const UdpOptions& options, Descriptor socket, Descriptor epoll,
            std::unique_ptr<PortWatch> port, const UdpEndpoint& local);

  bool is_possible(const Operation& operation) const;
  std::size_t possible(std::span<const Operation> operations) const;
  void leave_own(Peer peer);
  bool send_staged(std::span<const Operation> operations, std::size_t& sent,
                   const Operation*& unreachable);
  bool kernel_has_room();
  void clear_error(int socket);
  bool watch_ours(std::optional<std::uint32_t> interest);
  bool watch_room_of(int socket);

  Caps caps_;
  UdpEndpoint local_;
  Descriptor socket_;
  Descriptor epoll_;                 // the port's news, and for who sleeps the socket
  std::unique_ptr<PortWatch> port_;  // null: not watched
  // Of the last arm(). To have a socket in an epoll costs each frame that comes a call, so whoever
  // polls and does not sleep has it in none.
  std::optional<std::uint32_t> interest_;
  std::uint32_t polls_ = 0;  // since then
  std::uint32_t regions_ = 0;
  std::uint64_t frames_sent_ = 0;
  std::uint64_t send_errors_ = 0;
  FabricQueues queues_;
  UdpSender sender_;
  UdpReceiver receiver_;
  bool kernel_was_full_ = false;  // before a `writable` the socket must be so
  int full_ = -1;                 // that socket: ours, or one that a peer has of its own
  int watched_ = -1;              // in `epoll_` beside ours, a peer's own that was full; -1: none
};

}  // namespace holdfast::hw
