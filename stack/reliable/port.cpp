// Slots, batches, back-pressure.
#include "stack/reliable/port.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "stack/reliable/message_frame.hpp"

namespace holdfast::reliable {

using Posted = ListBy<&SendSlot::of_port>;

namespace {
constexpr auto kAcknowledgementBytes = static_cast<std::uint32_t>(kMessageHeaderBytes);

std::uint32_t most_under_way(std::uint32_t peer_frames) {
  return peer_frames == 0 ? std::numeric_limits<std::uint32_t>::max()
                          : std::max(peer_frames * 3 / 4, 1u);
}
}  // namespace

Port::Port(Fabric& fabric, SendSlots& sending, std::uint32_t receive_slots, FrameWriter* writer,
           std::uint32_t post_frames_max)
    : fabric_(&fabric),
      sending_(&sending),
      receive_slots_(std::min(receive_slots, fabric.caps().receive_depth)),
      receive_bytes_((fabric.caps().frame_bytes_max + 63) / 64 * 64),
      frame_bytes_max_(fabric.caps().frame_bytes_max),
      inline_bytes_max_(fabric.caps().inline_bytes_max),
      shared_bytes_max_(std::min({frame_bytes_max_, inline_bytes_max_, kSharedBytesMax})),
      batch_bytes_(fabric.caps().post_bytes_best),
      batch_frames_(std::min(fabric.caps().post_frames_best, post_frames_max)),
      payload_max_(fabric.caps().frame_bytes_max - static_cast<std::uint32_t>(kMessageHeaderBytes)),
      frames_under_way_max_(most_under_way(fabric.caps().peer_frames_max)),
      polls_memory_(fabric.caps().polls_memory),
      writer_(writer),
      gathered_min_(kNever),
      written_min_(kNever),
      send_region_(fabric.register_memory(sending.all())),
      receive_memory_(new std::byte[std::size_t{receive_slots_} * receive_bytes_]) {
  HOLDFAST_ASSERT(fabric.caps().datagram && receive_slots_ > 0 &&
                  fabric.caps().frame_bytes_max > kMessageHeaderBytes);
  HOLDFAST_ASSERT(!fabric.caps().gathers || !fabric.caps().is_written_in_place);
  if (inline_bytes_max_ >= frame_bytes_max_) {
    if (fabric.caps().gathers) gathered_min_ = kApartMin;
    if (fabric.caps().is_written_in_place && writer_ != nullptr) written_min_ = kApartMin;
  }
  receive_region_ =
      fabric.register_memory({receive_memory_.get(), std::size_t{receive_slots_} * receive_bytes_});
  queue_.reserve(sending.states().size());
  offered_.reserve(receive_slots_);
  for (std::uint64_t i = 0; i < receive_slots_; ++i) {
    offered_.push_back(
        {receive_region_, receive_memory_.get() + i * receive_bytes_, frame_bytes_max_, i});
  }
  for (const ReceiveSlot& slot : offered_) {
    returned_[returned_count_++] = slot;
    if (returned_count_ == kBatch) offer_returned();
  }
  offer_returned();
}

void Port::offer_returned() {
  if (returned_count_ == 0) return;
  const std::size_t taken = fabric_->offer({returned_.data(), returned_count_});
  HOLDFAST_ASSERT(taken == returned_count_);
  returned_count_ = 0;
}

const Event* Port::oldest() {
  if (next_ == count_) {
    if (is_empty_) return nullptr;
    next_ = 0;
    count_ = fabric_->poll(events_);
    // Frames may have waited for a slot even if there is room for more events.
    is_empty_ = count_ < kBatch && count_ < receive_slots_;
    if (count_ == 0) return nullptr;
    if (events_[count_ - 1].more) is_empty_ = false;
  }
  return &events_[next_];
}

void Port::next() {
  const Event& event = events_[next_++];
  if (event.kind == EventKind::received) {
    ++counts_.frames_received;
    counts_.bytes_received += event.size;
    HOLDFAST_ASSERT(event.cookie < offered_.size());
    returned_[returned_count_++] = offered_[event.cookie];
  }
  if (next_ == count_ || returned_count_ == kBatch) offer_returned();
}

std::span<const std::byte> Port::frame(const Event& event) const {
  if (event.lent != nullptr) return {event.lent, event.size};
  const std::uint32_t here = event.placed == nullptr
                                 ? std::min(event.size, receive_bytes_)
                                 : static_cast<std::uint32_t>(kMessageHeaderBytes);
  return {receive_memory_.get() + event.cookie * receive_bytes_, here};
}

void Port::put_acknowledgement(std::uint32_t slot, Peer peer, Time now) {
  put(slot, kAcknowledgementBytes, peer, now);
  acknowledgement_bytes_ = queue_.empty() ? 0 : kAcknowledgementBytes;
}

// A second datagram costs a rail more than an acknowledgement in this one. That other frame stays
// the last one of the datagram, and acknowledgements before it in their order: the first where a
// slot has room before its frame, and for another one the frame is moved.
std::byte* Port::join_last(Peer peer) {
  if (!may_join_last(peer)) return nullptr;
  Operation& last = queue_.back();
  if (acknowledgement_bytes_ == 0) last.data -= kAcknowledgementBytes;
  std::byte* const at = last.data + acknowledgement_bytes_;
  std::byte* const end = last.data + last.size;
  if (acknowledgement_bytes_ > 0) std::copy_backward(at, end, end + kAcknowledgementBytes);
  last.size += kAcknowledgementBytes;
  acknowledgement_bytes_ += kAcknowledgementBytes;
  queued_bytes_ += kAcknowledgementBytes;
  return at;
}

// All of what was put last is copied by the fabric, with so much more. The last of a run of equally
// long frames stays as it is: they may go as one buffer, with one more that is shorter. What is of
// acknowledgements alone grows in any case, or each would take a slot where nothing leaves.
bool Port::may_join_last(Peer peer) const {
  if (queue_.empty() || !may_be_joined_) return false;
  const Operation& last = queue_.back();
  // Of one that has become the last, as others were dropped, it is not known how it begins.
  const std::byte* const frame =
      sending_->memory(static_cast<std::uint32_t>(last.cookie), last.frame_bytes());
  if (acknowledgement_bytes_ == 0 && last.data != frame) return false;
  if (queue_.size() > 1 && acknowledgement_bytes_ < last.frame_bytes()) {
    const Operation& before = queue_[queue_.size() - 2];
    if (before.peer == peer && before.frame_bytes() == last.frame_bytes()) return false;
  }
  return last.peer == peer && last.frame_bytes() + kAcknowledgementBytes <= shared_bytes_max_;
}

void Port::put(std::uint32_t slot, std::uint32_t size, Peer peer, Time now) {
  put_beginning(slot, size, 0, nullptr, peer, now);
}

void Port::put_beginning(std::uint32_t slot, std::uint32_t size, std::uint32_t payload,
                         const std::byte* gathered, Peer peer, Time now) {
  HOLDFAST_ASSERT(payload == 0 || (gathered != nullptr ? gathers(payload) : writes(payload)));
  Operation& operation = queue_.emplace_back();  // written where it stays: see HeaderWords
  operation.peer = peer;
  operation.region = send_region_;
  operation.data = sending_->memory(slot, std::size_t{size} + payload);
  operation.size = size;
  operation.more_size = payload;
  if (gathered != nullptr) {
    operation.more = gathered;
  } else if (payload > 0) {
    operation.writer = writer_;
  }
  operation.inline_data = operation.frame_bytes() <= inline_bytes_max_;
  if (operation.inline_data) operation.region = Region{};
  const SendSlot& of = sending_->states()[slot];
  operation.cookie = operation.inline_data ? inline_cookie(of.connection, of.life, slot) : slot;
  ++slots_in_use_;
  acknowledgement_bytes_ = 0;
  may_be_joined_ = true;
  queued_bytes_ += operation.frame_bytes();
  if (queue_.size() % batch_frames_ == 0 || queued_bytes_ >= batch_bytes_) flush(now);
}

void Port::flush(Time now) {
  queued_bytes_ = 0;
  std::size_t accepted = 0;
  while (accepted < queue_.size() && !is_full_) {
    const auto offered = std::span(queue_).subspan(accepted).first(
        std::min(queue_.size() - accepted, batch_frames_));
    for (Operation& operation : offered) operation.at = now;
    const std::size_t taken = fabric_->post(offered);
    is_full_ = taken < offered.size();
    if (is_full_) full_since_ = now;
    counts_.frames_sent += taken;
    leave(offered.first(taken), now);
    accepted += taken;
  }
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(accepted));
  if (!queue_.empty()) keep_whole();
}

// The fabric has taken them. Slots of inline ones are free, and given back in such an order that
// they are taken in that of these.
void Port::leave(std::span<const Operation> taken, Time now) {
  for (const Operation& operation : taken) {
    counts_.bytes_sent += operation.frame_bytes();
    if (operation.inline_data) continue;
    if (posted_.empty()) completed_at_ = now;
    Posted::append(sending_->states(), posted_, static_cast<std::uint32_t>(operation.cookie));
  }
  for (const Operation& operation : std::views::reverse(taken)) {
    if (!operation.inline_data) continue;
    sending_->give(static_cast<std::uint32_t>(operation.cookie));
    --slots_in_use_;
  }
}

// What waits for the fabric may outlast the messages that it is of.
void Port::keep_whole() {
  for (Operation& operation : queue_) {
    if (operation.more_size == 0) continue;
    std::byte* const to = operation.data + operation.size;
    if (gathered_min_ != kNever) {
      std::copy_n(operation.more, operation.more_size, to);
    } else {
      operation.writer->write(operation, to, Passes::one);
    }
    operation.size += std::exchange(operation.more_size, 0);
    operation.remote_address = 0;
  }
}

void Port::sent(std::uint32_t slot, Time now) {
  Posted::remove(sending_->states(), posted_, slot);
  sending_->give(slot);
  --slots_in_use_;
  completed_at_ = now;
  restarts_ = 0;
}

void Port::drop(Peer peer) {
  std::erase_if(queue_, [&](const Operation& operation) {
    if (operation.peer != peer) return false;
    sending_->give(static_cast<std::uint32_t>(operation.cookie));
    --slots_in_use_;
    return true;
  });
  acknowledgement_bytes_ = 0;  // another one may be the last now
}

Time Port::waiting_since() const {
  if (!posted_.empty()) return completed_at_;
  return is_full_ ? full_since_ : Time::never();
}

}  // namespace holdfast::reliable
