// What is on its way to one peer: which messages, what of them waits for a rail, and how much is
// under way on each. Only who is sent something has one, from a pool; a rail's measured bandwidth
// and the width of its window are kept when it goes back (ConnectionRail).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/base/time.hpp"
#include "stack/reliable/fixed_pool.hpp"
#include "stack/reliable/outgoing.hpp"
#include "stack/reliable/rail_window.hpp"
#include "stack/reliable/striping.hpp"

namespace holdfast::reliable {

// On one of the rails to it.
struct OutboundRail {
  OutboundRail(const DeliveryRate& measured, const RailWindow& width, std::uint32_t next_packet)
      : rate(measured), window(width), round_ends(next_packet) {}

  DeliveryRate rate;
  RailWindow window;
  std::uint32_t round_ends;  // the packet whose acknowledgement ends this round of the window
  List under_way;            // SentPackets in the order of sending
  std::uint32_t packets_under_way = 0;
  std::uint32_t bytes_under_way = 0;
  // Of the packets that have been acknowledged, that which was sent last.
  std::uint32_t latest_packet = 0;
  Time latest_sent;
  Duration latest_round_trip;  // with what its receiver kept it for
  Time progress;               // the last acknowledgement of something, or time-out
  Time latest_at;              // when latest_packet was acknowledged
  // What latest_packet was before that: the packets before it have been passed over by two
  // acknowledgements, so it is not the acknowledgement that was lost.
  std::uint32_t sure_packet = 0;
  Time outrun_at = Time::never();  // since when another rail outruns this one
  bool has_latest = false;
  std::uint8_t attempts = 0;  // time-outs since the last acknowledgement
};

// A message of one frame that is under way with nothing else but another such (lone.cpp): it is in
// none of the lists, and no virtual fragment is made of it.
struct LoneMessage {
  OutgoingMessage message;
  std::uint32_t fragment_number = 0;
  std::uint32_t copy = kNone;  // its SentPacket
};

// Those under way, in the order of sending. Two: an answer may come before the acknowledgement of
// what it answers, and be answered.
class LoneMessages {
 public:
  static constexpr std::uint32_t kMax = 2;

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == kMax; }
  std::uint32_t size() const { return count_; }
  const LoneMessage& operator[](std::uint32_t i) const { return places_[(first_ + i) % kMax]; }
  // Behind the others; what it is of an earlier message is to be written over.
  LoneMessage& add() { return places_[(first_ + count_++) % kMax]; }
  void drop_first() {
    first_ = (first_ + 1) % kMax;
    --count_;
  }

 private:
  std::array<LoneMessage, kMax> places_;
  std::uint32_t first_ = 0, count_ = 0;
};

struct Outbound {
  LoneMessages lone;
  List messages;                     // of which the peer does not know, ascending
  List starting;                     // of these, not started
  List heard;                        // whose requests are acknowledged
  List granted;                      // of these, with bytes to be cut, ascending
  List fragments;                    // virtual fragments, ascending
  List again;                        // of these: with fragments that were lost,
  List firsts;                       // with fragments of eager messages to be sent,
  List data;                         // with others to be sent
  Time waits_until = Time::never();  // what is to be sent waits for a rail that will have room
  FragmentRooms rooms;               // that its virtual fragments take
  std::vector<OutboundRail> rails;

  // Something that waits for a rail, not for an answer.
  bool has_to_send() const {
    return !again.empty() || !firsts.empty() || !starting.empty() || !data.empty() ||
           !granted.empty();
  }
  // Nothing but lone messages, if any.
  bool has_no_lists() const { return messages.empty() && heard.empty(); }
  bool is_idle() const { return has_no_lists() && lone.empty(); }
};

}  // namespace holdfast::reliable
