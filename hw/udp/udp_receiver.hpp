// Takes frames from a UDP socket into slots, as many as possible with one system call.
//
// The kernel hands over datagrams of one sender that came together as one buffer, and says where to
// cut it (UDP_GRO). Nobody knows before whether the next buffer is one frame or fifty. So a buffer
// is read into a slot and, what is beyond it, into a spill of 64 KiB; a single frame is then where
// it belongs. After a run another one is expected, and read into the spill at once, from which its
// frames are copied into slots, or lent to who can read them there: that takes less time than to
// have the kernel fill many short pieces. What was not as expected is put together in the spill.
//
// The kernel is not asked for a second datagram where none was there a moment ago (lately.hpp).
//
// What is in the spill waits for slots, and the socket is read again when all of it is handed out;
// what was lent is the reader's until its next poll, so it is not read again in that poll.
#pragma once

#include <sys/socket.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "hw/fixed_queue.hpp"
#include "hw/udp/arrival_clock.hpp"
#include "hw/udp/internet_socket.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

class UdpReceiver {
 public:
  struct Counters {
    std::uint64_t frames = 0;
    std::uint64_t errors = 0;     // of the socket, such as ICMP's, swallowed
    std::uint64_t truncated = 0;  // frames longer than their slot, lost
    std::uint64_t runs = 0;       // buffers of several frames
  };

  // Slots that are offered by others and returned here.
  UdpReceiver(FixedQueue<ReceiveSlot>& slots, std::size_t receive_depth);

  // Whether frames in the spill may stay there.
  void set_lending(bool lends) { lends_ = lends; }

  // Frames in order of arrival; fewer than events.size(): there are none that have not come lately,
  // or they wait for a slot, unless the last one says `more`.
  std::size_t poll(int socket, std::span<Event> events);
  // The next poll asks for all that has come, however lately there was nothing.
  void look_anew() { empty_ = Time{}; }
  // Whether poll has frames without asking the socket.
  bool has_frames() const {
    return !buffers_.empty() && (buffers_.front().is_placed || !slots_.empty());
  }
  // Slots with a frame that nobody has been told of yet.
  std::size_t filled_slots() const { return filled_.size(); }

  const Counters& counters() const { return counters_; }
  void count_error() { ++counters_.errors; }

 private:
  static constexpr std::size_t kBuffers = 16;    // of one system call
  static constexpr std::size_t kRunBuffers = 4;  // likewise, while runs are expected
  static constexpr std::uint32_t kSpillBytes = 65'536;

  // A buffer that was read.
  struct Buffer {
    const std::byte* spill = nullptr;  // where its first byte is, or would be
    std::uint32_t bytes = 0;
    std::uint32_t segment = 0;  // bytes of each frame but the last
    std::uint32_t offset = 0;   // of the next frame
    bool is_placed = false;     // the frame, which is the only one, is in a filled slot
    Time at;
  };
  struct alignas(cmsghdr) Control {
    std::array<std::byte, CMSG_SPACE(sizeof(timespec)) + CMSG_SPACE(sizeof(int))> bytes;
  };

  std::byte* spill(std::size_t buffer) { return spills_.get() + buffer * kSpillBytes; }
  std::size_t wanted(std::size_t frames_wanted, bool was_empty) const;
  void prepare(std::size_t buffers);
  int receive(int socket, std::size_t buffers);
  int receive_one(int socket);
  bool read(int socket, std::size_t frames_wanted);
  bool place(std::size_t buffer, std::uint32_t bytes, bool is_run);
  std::size_t hand_out(std::span<Event> events);
  void hand_over(const Buffer& buffer, const ReceiveSlot& slot, Event& event);

  FixedQueue<ReceiveSlot>& slots_;
  FixedQueue<ReceiveSlot> filled_;
  FixedQueue<Buffer> buffers_;
  bool expects_runs_ = false;
  bool lends_ = false;
  bool has_lent_ = false;     // in this poll
  std::size_t prepared_ = 0;  // buffers, for the oldest slots; still good if nothing came
  Time empty_{};              // no frame was left that had come by then
  ArrivalClock arrivals_;
  Counters counters_;
  std::unique_ptr<std::byte[]> spills_;  // not touched, thus no memory, until something is spilled
  std::array<mmsghdr, kBuffers> headers_{};
  std::array<Control, kBuffers> controls_{};
  std::array<std::array<iovec, 2>, kBuffers> vectors_{};  // slot and spill of each
};

}  // namespace holdfast::hw
