// What is on its way to one peer: which messages, what of them waits for a rail, and how much is
// under way on each. Only who is sent something has one, from a pool; a rail's measured bandwidth
// and the width of its window are kept when it goes back (ConnectionRail).
#pragma once

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

// The only message that is under way, of one frame (lone.cpp): it is in none of the lists, and no
// virtual fragment is made of it.
struct LoneMessage {
  OutgoingMessage message;
  std::uint32_t fragment_number = 0;
  std::uint32_t copy = kNone;  // its SentPacket; kNone: there is none
};

struct Outbound {
  LoneMessage lone;
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
  bool has_lone() const { return lone.copy != kNone; }
  bool is_idle() const { return messages.empty() && heard.empty() && !has_lone(); }
};

}  // namespace holdfast::reliable
