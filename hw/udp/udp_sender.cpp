// Runs of frames, and what the kernel thinks of them.
#include "hw/udp/udp_sender.hpp"

#include <netinet/udp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hw/udp/open_socket.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

// What the kernel answers where it sends these frames, but not as one buffer.
bool says_that_it_cannot_cut(int error) {
  return error == EINVAL || error == EIO || error == EMSGSIZE || error == EOPNOTSUPP;
}

// What it answers for every frame to that peer until the interface or its route is back.
bool says_that_no_way_leads_there(int error) {
  return error == ENETDOWN || error == ENETUNREACH || error == EHOSTDOWN || error == EHOSTUNREACH ||
         error == ENODEV;
}

}  // namespace

UdpSender::UdpSender(const Options& options)
    : local_(options.local),
      buffer_bytes_(options.buffer_bytes),
      destinations_(options.peers_max),
      gathered_(std::make_unique_for_overwrite<std::byte[]>(kGatherBytes)) {
  free_.reserve(options.peers_max);
  for (std::uint32_t i = options.peers_max; i > 0; --i) free_.push_back(i - 1);
}

Peer UdpSender::attach(const UdpEndpoint& endpoint) {
  if (free_.empty()) return kNoPeer;
  const Peer peer{free_.back()};
  free_.pop_back();
  destinations_[peer.value].name = SocketName(endpoint);
  return peer;
}

void UdpSender::detach(Peer peer) {
  HOLDFAST_ASSERT(is_attached(peer));
  if (destinations_[peer.value].own.is_open()) --own_count_;
  destinations_[peer.value] = {};
  free_.push_back(peer.value);
}

// Whether it is a dialogue. Where our address is any, the kernel may choose another one for each
// way, and for each frame.
void UdpSender::note_posted(std::span<const Operation> operations) {
  Destination& to = destinations_[operations[0].peer.value];
  const bool goes_on = operations.size() == 1 && to.sleeps == sleeps_;
  to.singles = goes_on ? to.singles + 1 : 0;
  to.sleeps = sleeps_;
  if (to.singles < kSinglesOfADialogue) return;
  to.singles = 0;
  if (to.own.is_open() || !to.may_have_own || own_count_ == kOwnMax || local_.ip.is_any()) return;
  to.own = open_connected(local_.ip, to.name, buffer_bytes_);
  if (to.own.is_open()) ++own_count_;
}

void UdpSender::reset(Peer peer) {
  Destination& to = destinations_[peer.value];
  to.segment_bytes_max = kBufferBytesMax;
  if (!to.own.is_open()) return;
  to.own = {};
  --own_count_;
  to.may_have_own = false;
}

// How many of the first operations may go as one buffer, at least one.
std::size_t UdpSender::run_length(std::span<const Operation> operations) const {
  const Operation& first = operations[0];
  const std::size_t segment = first.frame_bytes();
  if (segment == 0 || segment > destinations_[first.peer.value].segment_bytes_max) return 1;
  std::size_t length = 1;
  std::size_t bytes = segment;
  const std::size_t limit = std::min(operations.size(), kSegments);
  while (length < limit && operations[length].peer == first.peer) {
    const std::size_t size = operations[length].frame_bytes();
    if (size == 0 || size > segment || bytes + size > kBufferBytesMax) break;
    bytes += size;
    ++length;
    if (size < segment) break;
  }
  return length;
}

void UdpSender::address(std::size_t buffer, const Operation& first, std::size_t frames) {
  Destination& to = destinations_[first.peer.value];
  msghdr& header = headers_[buffer].msg_hdr;
  header.msg_name = to.own.is_open() ? nullptr : &to.name.any;
  header.msg_namelen = to.own.is_open() ? 0 : to.name.size;
  header.msg_control = frames > 1 ? &controls_[buffer] : nullptr;
  header.msg_controllen = frames > 1 ? sizeof(Control) : 0;
  peers_[buffer] = first.peer;
  frames_[buffer] = frames;
  if (frames == 1) return;
  cmsghdr* const part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_UDP;
  part->cmsg_type = UDP_SEGMENT;
  part->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
  const auto segment = static_cast<std::uint16_t>(first.frame_bytes());
  std::memcpy(CMSG_DATA(part), &segment, sizeof segment);
}

// Copies a run of short frames together; false: there is no room left.
bool UdpSender::gather(std::span<const Operation> run, std::size_t& used, iovec& whole) {
  std::size_t bytes = 0;
  for (const Operation& operation : run) bytes += operation.frame_bytes();
  if (used + bytes > kGatherBytes) return false;
  std::byte* to = gathered_.get() + used;
  whole = {to, bytes};
  for (const Operation& operation : run) {
    to = std::copy_n(operation.data, operation.size, to);
    if (operation.more_size > 0) to = std::copy_n(operation.more, operation.more_size, to);
  }
  used += bytes;
  return true;
}

// Where the frames of a run lie, piece by piece; how many pieces. Frames that lie side by side are
// one.
std::size_t UdpSender::lay_out(std::span<const Operation> run, iovec* pieces) {
  std::size_t count = 0;
  const std::byte* end = nullptr;  // of the last piece
  for (const Operation& operation : run) {
    if (count > 0 && operation.data == end) {
      pieces[count - 1].iov_len += operation.size;
    } else {
      pieces[count++] = {operation.data, operation.size};
    }
    end = operation.data + operation.size;
    if (operation.more_size == 0) continue;
    pieces[count++] = {const_cast<std::byte*>(operation.more), operation.more_size};
    end = operation.more + operation.more_size;
  }
  return count;
}

std::size_t UdpSender::stage(std::span<const Operation> operations) {
  if (!operations.empty()) note_posted(operations);
  std::size_t frames = 0, vectors = 0, gathered = 0;
  for (staged_ = next_ = 0; frames < operations.size() && staged_ < kBuffers; ++staged_) {
    const auto left = operations.subspan(frames);
    const auto run = left.first(run_length(left));
    if (vectors + 2 * run.size() > kVectors) break;
    msghdr& header = headers_[staged_].msg_hdr;
    header.msg_iov = &vectors_[vectors];
    header.msg_iovlen = lay_out(run, &vectors_[vectors]);
    if (header.msg_iovlen > kPiecesMax && run[0].frame_bytes() <= kGatheredMax) {
      if (!gather(run, gathered, vectors_[vectors])) break;
      header.msg_iovlen = 1;
    }
    vectors += header.msg_iovlen;
    address(staged_, run[0], run.size());
    frames += run.size();
  }
  return frames;
}

// An error may be one that an earlier frame left on the socket, so each buffer has a second try; a
// second error is its own.
UdpSender::Outcome UdpSender::send(int socket, std::size_t& frames) {
  frames = 0;
  const int out = way_out(socket);
  std::size_t end = next_ + 1;  // of what leaves there
  while (end < staged_ && way_to(peers_[end], socket) == out) ++end;
  int errors = 0;
  while (errors < 2) {
    const int sent =
        ::sendmmsg(out, &headers_[next_], static_cast<unsigned>(end - next_), MSG_NOSIGNAL);
    if (sent > 0) {
      for (int i = 0; i < sent; ++i) {
        if (frames_[next_] > 1) ++runs_;
        frames += frames_[next_++];
      }
      return Outcome::sent;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Outcome::full;
    if (errno != EINTR) ++errors;
  }
  if (frames_[next_] > 1 && says_that_it_cannot_cut(errno)) {
    std::uint16_t segment = 0;
    std::memcpy(&segment, CMSG_DATA(CMSG_FIRSTHDR(&headers_[next_].msg_hdr)), sizeof segment);
    destinations_[peers_[next_].value].segment_bytes_max = segment - 1u;
    return Outcome::unsegmented;
  }
  frames = frames_[next_++];
  return says_that_no_way_leads_there(errno) ? Outcome::unreachable : Outcome::refused;
}

}  // namespace holdfast::hw
