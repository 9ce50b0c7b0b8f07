// Posts frames to a UDP socket, as many as possible with one system call. A run of equal frames to
// one peer (its last may be shorter) is handed over as one buffer that is cut into datagrams where
// the network can (UDP_SEGMENT), so that it goes through the kernel once. Where the kernel refuses
// that, because a segment is longer than a packet of the way there or the device cannot, the peer's
// frames go one by one from then on. The frames of a run are copied together first, unless they lie
// side by side: that takes less time than to have the kernel collect many short pieces.
//
// A peer that is sent one frame at a time, as in a dialogue, has a socket of its own after a while,
// which is connected: the kernel looks its way up once, and not for each frame (docs/speed.md). Its
// port is the kernel's choice, and nothing comes there: a frame itself says whose it is. All that
// goes to that peer leaves there from then on, so that frames keep their order where the network
// treats ports apart.
//
// MSG_ZEROCOPY is not used: on loopback and between namespaces the kernel copies all the same, and
// elsewhere its notices cost more than copying frames of this size.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class UdpSender {
 public:
  // What goes as one buffer of frames of `frame_bytes`: so many.
  static constexpr std::uint32_t frames_of_a_run(std::uint32_t frame_bytes) {
    return std::clamp<std::uint32_t>(kBufferBytesMax / frame_bytes, 1, kSegments);
  }

  struct Options {
    UdpEndpoint local;               // of the socket that send() is given
    std::uint32_t buffer_bytes = 0;  // of the kernel, for each socket that is a peer's own
    std::uint32_t peers_max = 0;     // handles attached at one time
  };
  explicit UdpSender(const Options& options);

  // kNoPeer: there is no room.
  Peer attach(const UdpEndpoint& endpoint);
  void detach(Peer peer);
  bool is_attached(Peer peer) const {
    return peer.value < destinations_.size() && destinations_[peer.value].name.size != 0;
  }
  // Tries again what the kernel has refused. From a socket of its own the peer is not sent to any
  // more: a filter may let nothing through from another port.
  void reset(Peer peer);
  // What is posted after a sleep is no dialogue, in which one polls.
  void note_sleep() { ++sleeps_; }

  // Prepares `operations`, all of which can be sent, or as many of the first as fit. They must
  // stay as they are until all staged has been sent, or the next call. Returns how many.
  std::size_t stage(std::span<const Operation> operations);

  enum class Outcome : std::uint8_t {
    sent,
    full,         // the kernel has no room for the next
    unsegmented,  // the kernel does not cut this run; stage again what was not sent
    refused,      // the kernel does not send the next run: filtered, out of memory
    unreachable,  // it has no way there: no route, the interface is down
  };
  // One system call at least. `frames` are those that were sent, or that are in the run that was
  // not.
  Outcome send(int socket, std::size_t& frames);
  bool has_more() const { return next_ < staged_; }
  // Where the next one leaves: `socket`, or its peer's own, which is closed with the handle.
  int way_out(int socket) const { return has_more() ? way_to(peers_[next_], socket) : socket; }
  int way_to(Peer peer, int socket) const {
    const Descriptor& own = destinations_[peer.value].own;
    return own.is_open() ? own.get() : socket;
  }
  // Buffers of several frames that were sent.
  std::uint64_t runs() const { return runs_; }

 private:
  static constexpr std::size_t kBuffers = 64;   // of one system call
  static constexpr std::size_t kVectors = 256;  // likewise, while two are kept for each frame
  static constexpr std::size_t kSegments = 64;  // of one buffer: what older kernels allow
  static constexpr std::uint32_t kBufferBytesMax = 65'507;
  static constexpr std::size_t kGatherBytes = 4 * 65'536;  // of one system call
  // Longer frames are not copied together, nor what is so few pieces.
  static constexpr std::uint32_t kGatheredMax = 4'096;
  static constexpr std::size_t kPiecesMax = 4;

  // In a row, until a peer has a socket of its own: so many that to open it is little beside them,
  // and that what went before, in long runs, does not wait on the way any more.
  static constexpr std::uint32_t kSinglesOfADialogue = 64;
  static constexpr std::uint32_t kOwnMax = 8;  // sockets

  struct Destination {
    SocketName name;                                    // of size 0 where the handle is free
    std::uint32_t segment_bytes_max = kBufferBytesMax;  // longer ones are refused
    std::uint32_t singles = 0;                          // posts of one frame, in a row,
    std::uint32_t sleeps = 0;                           // since then
    bool may_have_own = true;
    Descriptor own;  // connected; or not open
  };
  struct alignas(cmsghdr) Control {
    std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> bytes;
  };

  void note_posted(std::span<const Operation> operations);
  std::size_t run_length(std::span<const Operation> operations) const;
  void address(std::size_t buffer, const Operation& first, std::size_t frames);
  bool gather(std::span<const Operation> run, std::size_t& used, iovec& whole);
  static std::size_t lay_out(std::span<const Operation> run, iovec* pieces);

  UdpEndpoint local_;
  std::uint32_t buffer_bytes_;
  std::uint32_t own_count_ = 0;
  std::uint32_t sleeps_ = 0;
  std::vector<Destination> destinations_;
  std::vector<std::uint32_t> free_;  // the last one is given out next
  std::size_t staged_ = 0;           // buffers
  std::size_t next_ = 0;             // to be sent
  std::uint64_t runs_ = 0;
  std::unique_ptr<std::byte[]> gathered_;
  std::array<std::size_t, kBuffers> frames_{};  // of each buffer
  std::array<mmsghdr, kBuffers> headers_{};
  std::array<Control, kBuffers> controls_{};
  std::array<Peer, kBuffers> peers_{};
  std::array<iovec, kVectors> vectors_{};
};

}  // namespace holdfast::hw
