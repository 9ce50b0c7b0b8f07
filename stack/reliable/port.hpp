// One rail of an endpoint: the fabric with the slots for what it brings, and what is to be posted
// on it. Slots for sending are common to all rails: a frame is built in one, with its checksum
// computed on the way, and the slot is the fabric's until the frame has been sent. A long payload
// need not be there, where the fabric takes it from where it lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stack/base/time.hpp"
#include "stack/fabric.hpp"
#include "stack/reliable/send_slots.hpp"

namespace holdfast::reliable {

class Port {
 public:
  // Since the beginning. Sent are frames that the fabric has taken, whatever became of them.
  struct Counts {
    std::uint64_t frames_sent = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t frames_received = 0;
    std::uint64_t bytes_received = 0;
  };
  // Most events of one poll.
  static constexpr std::size_t kBatch = 64;

  // All must outlive it. Without a writer nothing is written in place. A post has at most so many
  // frames, >= 1, and as many as its fabric likes best.
  Port(Fabric& fabric, SendSlots& sending, std::uint32_t receive_slots,
       FrameWriter* writer = nullptr, std::uint32_t post_frames_max = kNone);

  Fabric& fabric() { return *fabric_; }
  std::uint32_t payload_max() const { return payload_max_; }
  // Frames that may be under way to one peer, but for those that are not acknowledged, to which it
  // leaves a quarter of what the fabric says that the peer has room for.
  std::uint32_t frames_under_way_max() const { return frames_under_way_max_; }
  // One more poll costs little.
  bool polls_memory() const { return polls_memory_; }
  const Counts& counts() const { return counts_; }

  // What comes in: the oldest event, or null if there is none; `next` is done with it, and gives
  // its slot back to the fabric.
  void begin_turn() { is_empty_ = false; }
  const Event* oldest();
  void next();
  // What of the frame is in its slot, or all of it where it is lent.
  std::span<const std::byte> frame(const Event& event) const;

  // Whether frames that are put now would go out now.
  bool takes_frames() const { return !is_full_ && !is_down_; }
  bool is_full() const { return is_full_; }
  bool is_down() const { return is_down_; }
  // Put and neither taken inline nor completed.
  std::uint32_t slots_in_use() const { return slots_in_use_; }
  void set_writable(Time now) {
    is_full_ = false;
    ready_since_ = now;
    if (posted_.empty()) restarts_ = 0;
  }
  void set_down(bool down) { is_down_ = down; }
  // The frame of `size` bytes in a slot goes to `peer` with the next flush.
  void put(std::uint32_t slot, std::uint32_t size, Peer peer, Time now);
  // Whether a frame may be put without so many bytes of payload that end it, and is worth it:
  // they are gathered from where they lie in one piece, or written by the writer.
  bool gathers(std::uint32_t bytes) const { return bytes >= gathered_min_; }
  bool writes(std::uint32_t bytes) const { return bytes >= written_min_; }
  // Likewise: the `size` bytes in a slot begin the frame, and as many as `payload` end it, which if
  // they are gathered lie at `gathered`. They are read until the next flush, and not after it.
  void put_beginning(std::uint32_t slot, std::uint32_t size, std::uint32_t payload,
                     const std::byte* gathered, Peer peer, Time now);
  // Likewise of an acknowledgement, if join_last has no place for it.
  void put_acknowledgement(std::uint32_t slot, Peer peer, Time now);
  // Where to write an acknowledgement that shares the datagram of the frame that was put last,
  // which it then comes before there (specification, clause 13.9): if that is a short one to the
  // same peer. Null: it is not.
  std::byte* join_last(Peer peer);
  // What comes next joins no datagram that has an acknowledgement to that peer, unless the fabric
  // takes nothing: then there would be many.
  void end_acknowledgements(Peer peer) {
    const bool waits = acknowledgement_bytes_ > 0 && !queue_.empty();
    if (waits && queue_.back().peer == peer && !is_full_) may_be_joined_ = false;
  }
  // Whether so many bytes take a post at least, and what comes behind them may need another one.
  bool fills_posts(std::uint64_t bytes) const { return bytes >= batch_bytes_; }
  void flush(Time now);
  // What the cookie of a `sent` names: the slot of a frame that was not taken inline; kNone: of one
  // that was, whose slot is free since then. That says it of a failure only, and whose it was.
  static std::uint32_t slot_of(std::uint64_t cookie) {
    return cookie < kInline ? static_cast<std::uint32_t>(cookie) : kNone;
  }
  static bool is_of(std::uint64_t cookie, std::uint32_t connection, std::uint32_t life) {
    return cookie >> 32 == (inline_cookie(connection, life, 0) >> 32);
  }
  static std::uint32_t connection_of(std::uint64_t cookie) {
    return static_cast<std::uint32_t>(cookie >> 32) & kConnectionMask;
  }
  // A slot's frame has been sent, or has not been; it is free again.
  void sent(std::uint32_t slot, Time now);
  // Frames to this peer that the fabric has not taken will not be sent.
  void drop(Peer peer);

  // Since then the fabric has taken whatever was put.
  Time ready_since() const { return ready_since_; }
  // The oldest slot that has not completed; kNone: nothing that completes is posted.
  std::uint32_t oldest_posted() const { return posted_.first; }
  // Since when nothing has completed of what is posted; if nothing that completes is, since when
  // the fabric has been full, as frames that are taken inline say nothing when they have been sent.
  // never(): neither is waited for.
  Time waiting_since() const;
  // It is known that nothing completes: waiting_since begins anew.
  void restart_waiting(Time now) {
    completed_at_ = full_since_ = now;
    ++restarts_;
  }
  // How often since the last completion.
  unsigned restarts() const { return restarts_; }

 private:
  // In the cookies of what is posted inline, above the slot: its connection, and a part of the
  // number of that connection's life.
  static constexpr std::uint64_t kInline = std::uint64_t{1} << 63;
  static constexpr unsigned kConnectionBits = 24;
  static constexpr std::uint32_t kConnectionMask = (1u << kConnectionBits) - 1;
  static constexpr std::uint64_t inline_cookie(std::uint32_t connection, std::uint32_t life,
                                               std::uint32_t slot) {
    const std::uint64_t of =
        (life << kConnectionBits | (connection & kConnectionMask)) & 0x7fffffff;
    return kInline | of << 32 | slot;
  }

  // Fewer bytes are copied sooner than this is looked after.
  static constexpr std::uint32_t kApartMin = 4096;
  static constexpr std::uint32_t kNever = 0xffff'ffff;

  bool may_join_last(Peer peer) const;
  void offer_returned();
  void leave(std::span<const Operation> taken, Time now);
  void keep_whole();

  Fabric* fabric_;
  SendSlots* sending_;
  std::uint32_t receive_slots_;
  std::uint32_t receive_bytes_;
  std::uint32_t frame_bytes_max_;
  std::uint32_t inline_bytes_max_;
  std::uint32_t shared_bytes_max_;
  std::uint32_t batch_bytes_;  // what is put goes out when it is so much,
  std::size_t batch_frames_;   // or so many
  std::uint32_t payload_max_;
  std::uint32_t frames_under_way_max_;
  bool polls_memory_;
  FrameWriter* writer_;
  std::uint32_t gathered_min_, written_min_;  // bytes of payload
  Region send_region_, receive_region_;
  std::unique_ptr<std::byte[]> receive_memory_;
  std::vector<ReceiveSlot> offered_;  // all slots, as they are offered; cookies are places here

  std::array<Event, kBatch> events_;
  std::size_t next_ = 0, count_ = 0;
  bool is_empty_ = false;
  std::array<ReceiveSlot, kBatch> returned_;
  std::size_t returned_count_ = 0;

  std::vector<Operation> queue_;
  std::size_t queued_bytes_ = 0;             // since the last flush
  std::uint32_t acknowledgement_bytes_ = 0;  // that the last of it begins with
  bool may_be_joined_ = true;                // the last of it
  List posted_;                              // slots
  Time completed_at_, ready_since_;
  Time full_since_;
  Counts counts_;
  unsigned restarts_ = 0;
  std::uint32_t slots_in_use_ = 0;
  bool is_full_ = false;
  bool is_down_ = false;
};

}  // namespace holdfast::reliable
