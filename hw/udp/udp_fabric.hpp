// The UDP fabric: frames as datagrams of one IPv4 socket, sent and received in batches.
//
// The kernel copies a frame while it is posted, so an inline operation of any size is complete at
// once and any other one has its `sent` event at the next poll. A frame that the kernel refuses (no
// route, filtered) is lost like one that the network drops; an operation that is not inline says so
// in its completion. Errors that ICMP reports (nobody listens there) are swallowed: to a datagram
// service they are a rumour. A datagram longer than its slot is lost and counted.
//
// Everything is allocated by open(); no other call allocates.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/fabric_queues.hpp"
#include "hw/udp/arrival_clock.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/write_losses.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

struct UdpOptions {
  UdpEndpoint local;                     // port 0: the kernel chooses
  bool share_port = false;               // SO_REUSEADDR: somebody keeps this port reserved for us
  std::uint32_t frame_bytes_max = 1472;  // one Ethernet packet; at most 65,507
  std::uint32_t send_depth = 256;        // >= 1
  std::uint32_t receive_depth = 256;     // >= 1
  std::uint32_t peers_max = 4096;        // handles attached at one time
  std::uint32_t receive_buffer_bytes = 4 << 20;  // of the kernel, which may grant less
  std::uint32_t send_buffer_bytes = 1 << 20;     // likewise
};

// What the fabric saw and nobody was told.
struct UdpCounters {
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t send_errors = 0;     // frames that the kernel refused
  std::uint64_t receive_errors = 0;  // errors of the socket, such as ICMP's, swallowed
  std::uint64_t truncated = 0;       // datagrams longer than their slot, lost
};

class UdpFabric final : public Fabric {
 public:
  // Opens the socket. An error names the address and the reason.
  static Status open(const UdpOptions& options, std::unique_ptr<UdpFabric>& opened);

  const Caps& caps() const override { return caps_; }
  Address local_address() const override { return to_address(local_); }
  Peer attach(const Address& address, Service service) override;
  void detach(Peer peer) override;
  // Nothing to flush: what is posted has left.
  void reset(Peer peer) override;
  Region register_memory(std::span<std::byte> memory) override;
  std::size_t post(std::span<const Operation> operations) override;
  std::size_t offer(std::span<const ReceiveSlot> slots) override { return queues_.offer(slots); }
  // Completions in the order of their posts, then `writable`, then frames in order of arrival.
  std::size_t poll(std::span<Event> events) override;
  bool set_path(Peer, PathChoice) override { return false; }
  Armed arm() override;
  std::size_t losses(std::span<LostFrames> to) const override {
    return write_losses(
        to, {{"send_error", counters_.send_errors}, {"truncated", counters_.truncated}});
  }

  const UdpCounters& counters() const { return counters_; }
  UdpEndpoint endpoint() const { return local_; }

 private:
  static constexpr std::size_t kBatch = 64;  // frames of one system call

  UdpFabric(const UdpOptions& options, Descriptor socket, Descriptor epoll, UdpEndpoint local);

  bool is_possible(const Operation& operation) const;
  std::size_t stage(std::span<const Operation> operations);
  std::size_t send_staged(std::span<const Operation> operations);
  bool kernel_has_room();
  void prepare_receive(std::size_t count);
  std::size_t receive_batch(std::span<Event> events, bool& emptied);
  Event received(std::size_t i, const ReceiveSlot& slot, const ClockPair& now);

  Caps caps_;
  UdpEndpoint local_;
  Descriptor socket_;
  Descriptor epoll_;  // holds the socket alone, with the interest of the last arm()
  std::uint32_t interest_ = 0;
  ArrivalClock arrivals_;
  UdpCounters counters_;

  std::vector<sockaddr_in> peers_;         // sin_family is 0 where the handle is free
  std::vector<std::uint32_t> free_peers_;  // the last one is given out next
  std::uint32_t regions_ = 0;
  FabricQueues queues_;
  bool kernel_was_full_ = false;  // before a `writable` the socket must be so

  struct alignas(cmsghdr) Control {
    std::array<std::byte, CMSG_SPACE(sizeof(timespec))> bytes;
  };
  std::array<mmsghdr, kBatch> send_headers_{};
  std::array<iovec, kBatch> send_vectors_{};
  std::array<mmsghdr, kBatch> receive_headers_{};
  std::array<iovec, kBatch> receive_vectors_{};
  std::array<Control, kBatch> receive_controls_{};
};

}  // namespace holdfast::hw
