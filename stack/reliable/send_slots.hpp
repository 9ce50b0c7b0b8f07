// Memory in which frames are built that an endpoint sends, common to all its rails. Slots lie side
// by side and are as long as the longest frame, unless that is short, and those that have been
// given back together are taken again in ascending order (Port::leave): so a run of frames of that
// length is mostly one piece of memory, and a fabric that hands it over as one need not collect it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/message_frame.hpp"
#include "stack/reliable/message_memory.hpp"

namespace holdfast::reliable {

// The longest datagram in which an acknowledgement joins another frame.
constexpr std::uint32_t kSharedBytesMax = 1024;

// What ends a frame, and is read when a fabric takes it.
struct LatePayload {
  MessageMemory memory;
  std::uint64_t offset = 0;   // in the message
  std::uint64_t seed = 0;     // of its checksum
  ConnectionSeed connection;  // of the header's
};

struct SendSlot {
  Links of_port;                     // posted and not completed, in the order of posting
  std::uint32_t connection = kNone;  // whose frame it is
  std::uint32_t life = 0;            // of that connection: it may have ended meanwhile
  LatePayload payload;               // if the frame is put without it
};

// Memory of the frames that are being sent.
class SendSlots {
 public:
  // At least one, each of `bytes`.
  SendSlots(std::uint32_t count, std::uint32_t bytes);

  std::uint32_t take() { return slots_.take(); }  // kNone: all are in use
  void give(std::uint32_t slot) { slots_.give(slot); }
  bool has_any() const { return slots_.has_left(); }
  std::uint32_t left() const { return slots_.left(); }
  // Data leaves some to acknowledgements and the like.
  bool has_for_data() const { return slots_.left() > reserve_; }

  // Where its frame of `frame_bytes` begins. Before one that is short enough to share its datagram
  // there is room for a header.
  std::byte* memory(std::uint32_t slot, std::size_t frame_bytes) {
    const bool may_share = frame_bytes + kMessageHeaderBytes <= kSharedBytesMax;
    return memory_.get() + std::size_t{slot} * bytes_ + (may_share ? kBefore : 0);
  }
  std::span<std::byte> all() { return {memory_.get(), std::size_t{slots_.size()} * bytes_}; }
  FixedPool<SendSlot>& states() { return slots_; }

 private:
  static constexpr std::uint32_t kBefore = 64;
  static_assert(kBefore >= kMessageHeaderBytes);

  FixedPool<SendSlot> slots_;
  std::uint32_t bytes_;
  std::uint32_t reserve_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace holdfast::reliable
