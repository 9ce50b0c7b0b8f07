// Expect, read, cut, hand out.
#include "hw/udp/udp_receiver.hpp"

#include <algorithm>
#include <cerrno>

#include "hw/lately.hpp"
#include "hw/monotonic_clock.hpp"

namespace holdfast::hw {

UdpReceiver::UdpReceiver(FixedQueue<ReceiveSlot>& slots, std::size_t receive_depth)
    : slots_(slots),
      filled_(receive_depth),
      buffers_(kBuffers),
      arrivals_(monotonic_now()),
      spills_(std::make_unique_for_overwrite<std::byte[]>(kBuffers * kSpillBytes)) {
  for (std::size_t i = 0; i < kBuffers; ++i) headers_[i].msg_hdr.msg_control = &controls_[i];
}

std::size_t UdpReceiver::poll(int socket, std::span<Event> events) {
  has_lent_ = false;
  std::size_t count = hand_out(events);
  bool more = true;
  while (more && count < events.size() && buffers_.empty() && !slots_.empty()) {
    if (has_lent_) {
      events[count - 1].more = true;
      break;
    }
    more = read(socket, events.size() - count);
    count += hand_out(events.subspan(count));
  }
  return count;
}

// So many buffers are asked for.
std::size_t UdpReceiver::wanted(std::size_t frames_wanted, bool was_empty) const {
  if (expects_runs_) return kRunBuffers;
  return was_empty ? 1 : std::min({kBuffers, slots_.size(), frames_wanted});
}

void UdpReceiver::prepare(std::size_t buffers) {
  for (std::size_t i = 0; i < buffers; ++i) {
    const std::uint32_t in_slot = expects_runs_ ? 0 : std::min(slots_[i].size, kSpillBytes);
    vectors_[i][0] = {expects_runs_ ? nullptr : slots_[i].data, in_slot};
    vectors_[i][1] = {spill(i) + in_slot, kSpillBytes - in_slot};
    headers_[i].msg_hdr.msg_iov = vectors_[i].data();
    headers_[i].msg_hdr.msg_iovlen = vectors_[i].size();
    headers_[i].msg_hdr.msg_controllen = sizeof(Control);
    headers_[i].msg_hdr.msg_flags = 0;
  }
  prepared_ = buffers;
}

// How many buffers are full; -1: there is nothing, or the socket is out of order.
int UdpReceiver::receive(int socket, std::size_t buffers) {
  constexpr int kErrorsMax = 8;
  for (int errors = 0; errors < kErrorsMax;) {
    const int got = buffers == 1
                        ? receive_one(socket)
                        : ::recvmmsg(socket, headers_.data(), static_cast<unsigned>(buffers),
                                     MSG_DONTWAIT, nullptr);
    if (got >= 0) return got;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return -1;
    if (errno == EINTR) continue;
    ++errors;
    ++counters_.errors;
  }
  return -1;
}

// That call is the shorter one.
int UdpReceiver::receive_one(int socket) {
  const ssize_t bytes = ::recvmsg(socket, &headers_[0].msg_hdr, MSG_DONTWAIT);
  if (bytes < 0) return -1;
  headers_[0].msg_len = static_cast<unsigned>(bytes);
  return 1;
}

// One system call. False if the socket has no more, or had none lately, or is out of order.
bool UdpReceiver::read(int socket, std::size_t frames_wanted) {
  const Time began = monotonic_now();
  const bool was_empty = !expects_runs_ && began - empty_ < kLately;
  const std::size_t buffers = wanted(frames_wanted, was_empty);
  if (prepared_ < buffers) prepare(buffers);
  const int got = receive(socket, buffers);
  if (got <= 0) {
    arrivals_.emptied(empty_ = began);
    return false;
  }
  const ClockPair now = read_clocks();
  bool was_run = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i) {
    msghdr& header = headers_[i].msg_hdr;
    const ReceiveNotes notes = read_notes(header);
    const Time at = arrivals_.arrival(notes.wall_ns.value_or(now.wall_ns), now);
    const std::uint32_t bytes = headers_[i].msg_len;
    const bool is_run = notes.segment_bytes > 0 && notes.segment_bytes < bytes;
    const bool is_placed = !expects_runs_ && place(i, bytes, is_run);
    was_run = was_run || is_run;
    if (is_run) ++counters_.runs;
    if ((header.msg_flags & MSG_TRUNC) == 0) {
      buffers_.push({spill(i), bytes, is_run ? notes.segment_bytes : bytes, 0, is_placed, at});
    } else {
      ++counters_.truncated;  // longer than any datagram can be
    }
  }
  expects_runs_ = was_run;
  prepared_ = 0;
  const bool all_full = static_cast<std::size_t>(got) == buffers;
  if (!all_full) arrivals_.emptied(empty_ = began);
  return all_full && !was_empty;
}

// Takes the slot of a buffer that was read: it is filled if it has the whole of a single frame,
// else it stays offered, and all of the buffer is in the spill.
bool UdpReceiver::place(std::size_t buffer, std::uint32_t bytes, bool is_run) {
  const auto slot_bytes = static_cast<std::uint32_t>(vectors_[buffer][0].iov_len);
  const ReceiveSlot slot = slots_.pop();
  const bool is_placed = !is_run && bytes <= slot_bytes;
  if (!is_placed) std::copy_n(slot.data, std::min(bytes, slot_bytes), spill(buffer));
  (is_placed ? filled_ : slots_).push(slot);
  return is_placed;
}

// The next frame in the spill.
void UdpReceiver::hand_over(const Buffer& buffer, const ReceiveSlot& slot, Event& event) {
  const std::byte* const frame = buffer.spill + buffer.offset;
  if (lends_) {
    event.lent = frame;
    has_lent_ = true;
  } else {
    std::copy_n(frame, event.size, slot.data);
  }
}

std::size_t UdpReceiver::hand_out(std::span<Event> events) {
  std::size_t count = 0;
  while (count < events.size() && has_frames()) {
    Buffer& buffer = buffers_.front();
    const std::uint32_t size = std::min(buffer.segment, buffer.bytes - buffer.offset);
    if (!buffer.is_placed && size > slots_.front().size) {
      ++counters_.truncated;
    } else {
      const ReceiveSlot slot = buffer.is_placed ? filled_.pop() : slots_.pop();
      Event& event = events[count++];
      event = {EventKind::received, Completion::ok, kNoPeer, size, slot.cookie, buffer.at};
      if (!buffer.is_placed) hand_over(buffer, slot, event);
      ++counters_.frames;
    }
    buffer.offset += size;
    if (buffer.offset == buffer.bytes) buffers_.pop();
  }
  return count;
}

}  // namespace holdfast::hw
