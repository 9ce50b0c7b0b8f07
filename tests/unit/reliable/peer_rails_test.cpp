// What the silence of a rail means, as closed forms: each bound of peer_rails.hpp holds to the
// nanosecond, with events told one by one. Round trips R and R', timeout T.
#include "stack/reliable/peer_rails.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace holdfast::reliable {
namespace {

constexpr Duration kTick = nanoseconds(1);
constexpr Duration kR = microseconds(100);
constexpr Duration kOtherR = microseconds(60);
constexpr Duration kT = milliseconds(1);  // the least wait: round trips are far shorter
constexpr RoundTripLimits kLimits{milliseconds(10), kT, seconds(1)};
constexpr Time kCut = Time{0} + seconds(3);
constexpr Time kTimeout = kCut + kR + kT;  // the last acknowledgement comes R after the cut
const RailSettings kSettings;

PeerRails measured(std::size_t rails = 2) {
  PeerRails peer(rails, kSettings, kLimits, Time{0});
  for (std::size_t r = 0; r < rails; ++r) {
    for (int i = 0; i < 100; ++i) peer.round_trip(r).measure(r == 0 ? kR : kOtherR, Time{0});
    EXPECT_EQ(peer.round_trip(r).retransmission_timeout(), kT);
    peer.delivered(r, kCut - kR, kCut);
  }
  return peer;
}

// Polls and posts the probes that are due; returns what was ordered.
RailOrders poll(PeerRails& peer, Time now) {
  const RailOrders orders = peer.poll(now);
  for (std::size_t r = 0; r < peer.rails(); ++r) {
    if ((orders.probe >> r & 1) != 0) peer.probed(r, now);
  }
  EXPECT_GT(peer.next_deadline(), now);
  return orders;
}

// Rail 1 answers every probe at once after R', rail 0 none, from `now` on until `end`, inclusively.
// Returns when rail 0 no longer carries.
Time until_suspect(PeerRails& peer, Time now, Time end) {
  Time answer = Time::never(), stamp;
  while (now <= end) {
    if (answer == now) {
      peer.answered(1, stamp, now);
      answer = Time::never();
    }
    const RailOrders orders = poll(peer, now);
    if ((orders.carry & 1) == 0) return now;
    if ((orders.probe & 2) != 0) {
      answer = now + kOtherR;
      stamp = now;
    }
    now = std::min(answer, peer.next_deadline());
  }
  return Time::never();
}

TEST(PeerRails, WhatTheNetworkSaysCountsAtOnce) {
  PeerRails peer = measured();
  peer.handle(0, RailEvent::failed_here, kCut);
  RailOrders orders = poll(peer, kCut);
  EXPECT_EQ(orders.carry, 0b10);
  EXPECT_EQ(orders.resend, 0b01);
  EXPECT_EQ(orders.probe, 0);
  EXPECT_EQ(poll(peer, kCut).resend, 0);  // once
  EXPECT_EQ(peer.state(0).health(), RailHealth::down);
}

TEST(PeerRails, WhoLeavesARailTellsOnTheOthersOnce) {
  for (const RailEvent event : {RailEvent::failed_here, RailEvent::overtaken, RailEvent::outrun}) {
    PeerRails peer = measured(3);
    EXPECT_EQ(peer.take_news(), 0);
    peer.handle(0, event, kCut);
    EXPECT_EQ(poll(peer, kCut).probe & 0b110, 0);  // nothing is under way, so nobody need know
    EXPECT_EQ(peer.take_news(), 0b110);
    EXPECT_EQ(peer.take_news(), 0);
    EXPECT_EQ(peer.left().rails, 0b001);
    EXPECT_EQ(peer.left().failed, event == RailEvent::failed_here ? 0b001 : 0);
    EXPECT_EQ(peer.left().count, 1);
  }
}

// Silence tells sooner than the network, which is to be believed more.
TEST(PeerRails, ThatARailWhichWasLeftHasFailedIsNewsToo) {
  PeerRails peer = measured();
  peer.handle(0, RailEvent::overtaken, kCut);
  EXPECT_EQ(peer.take_news(), 0b10);
  peer.handle(0, RailEvent::failed_here, kCut + kTick);
  EXPECT_EQ(peer.take_news(), 0b10);
  EXPECT_EQ(peer.left().failed, 0b01);
  EXPECT_EQ(peer.left().count, 2);
}

TEST(PeerRails, NewsWaitsForARailThatCarriesIt) {
  PeerRails peer = measured();
  peer.handle(0, RailEvent::failed_here, kCut);
  peer.handle(1, RailEvent::overtaken, kCut);
  EXPECT_EQ(peer.take_news(), 0);
  poll(peer, kCut);
  peer.answered(1, kCut, kCut + kR);
  EXPECT_EQ(peer.take_news(), 0b10);
}

TEST(PeerRails, NewsOfARailThatIsBackIsNoneAnyMore) {
  PeerRails peer = measured();
  peer.handle(0, RailEvent::overtaken, kCut);
  poll(peer, kCut);
  peer.answered(0, kCut, kCut + kR);
  EXPECT_EQ(peer.take_news(), 0);
  EXPECT_EQ(peer.left().rails, 0);
}

TEST(PeerRails, WhatHasFailedHereHasNotWhenItCarriesAgain) {
  PeerRails peer = measured();
  peer.handle(0, RailEvent::failed_here, kCut);
  for (unsigned i = 0; i < kSettings.probes_to_return; ++i) {
    const Time now = peer.next_deadline();
    ASSERT_EQ(poll(peer, now).probe & 1, 1);
    EXPECT_EQ(peer.left().failed, 0b01);
    peer.answered(0, now, now + kR);
  }
  EXPECT_EQ(peer.left().failed, 0);
  peer.handle(0, RailEvent::overtaken, kCut + seconds(1));  // which is a fall, so soon
  EXPECT_EQ(peer.left().rails, 0b01);
  EXPECT_EQ(peer.left().failed, 0);
}

TEST(PeerRails, WhatThePeerHasLeftIsRepeatedAndWhatFailedThereIsLeft) {
  PeerRails peer = measured();
  peer.peer_left({0b01, 0, 1}, {1}, kCut);
  RailOrders orders = poll(peer, kCut);
  EXPECT_EQ(orders.repeat, 0b01);
  EXPECT_EQ(orders.resend, 0);
  EXPECT_EQ(orders.carry, 0b11);
  peer.peer_left({0b01, 0b01, 2}, {2}, kCut + kTick);
  orders = poll(peer, kCut + kTick);
  EXPECT_EQ(orders.repeat, 0b01);
  EXPECT_EQ(orders.resend, 0b01);
  EXPECT_EQ(orders.carry, 0b10);
  EXPECT_EQ(orders.probe & 1, 1);
  EXPECT_EQ(peer.state(0).health(), RailHealth::suspect);
}

// Nobody says that a rail is back, or not in time: what is left is left anew if it counts.
TEST(PeerRails, WhatThePeerSaysAgainSaysNothingNew) {
  PeerRails peer = measured();
  const auto say = [&](std::uint8_t count, std::int64_t stamp, Time now) {
    peer.peer_left({0b01, 0b01, count}, {stamp}, now);
    const RailOrders orders = poll(peer, now);
    peer.answered(0, now, now + kTick);  // so a suspicion ends at once
    return orders.resend;
  };
  EXPECT_EQ(say(255, 5, kCut), 0b01);
  EXPECT_EQ(say(255, 6, kCut + kR), 0);
  EXPECT_EQ(say(254, 4, kCut + kR * 2), 0);  // overtaken on the way
  EXPECT_EQ(say(255, 7, kCut + kR * 3), 0);
  EXPECT_EQ(say(0, 8, kCut + kR * 4), 0b01);
}

// However often: it may be the peer's cable that flaps, while our own packets arrive in between.
TEST(PeerRails, WhatFailsThereIsNoSuspicionThatCounts) {
  PeerRails peer = measured();
  for (std::uint8_t i = 1; i < 10; ++i) {
    const Time now = kCut + i * kR;
    peer.peer_left({0b01, 0b01, i}, {i}, now);
    EXPECT_EQ(peer.state(0).health(), RailHealth::suspect);
    poll(peer, now);
    peer.answered(0, now, now + kTick);
    EXPECT_EQ(peer.state(0).health(), RailHealth::up);
  }
}

TEST(PeerRails, RailsThatThePeerHasAndWeDoNotAreNoMatter) {
  PeerRails peer = measured();
  peer.peer_left({0b11111100, 0b11111100, 1}, {1}, kCut);
  EXPECT_EQ(poll(peer, kCut).carry, 0b11);
}

TEST(PeerRails, ManyPacketsSilentWhileAnotherRailDelivers) {
  for (const Duration late : {nanoseconds(0), kTick}) {
    PeerRails peer = measured();
    // Posted when the first lost packet should have arrived, or a nanosecond before: all of its
    // round trip may be the way there.
    peer.delivered(1, kCut + kR - late, kTimeout - kTick);
    peer.timed_out(0, kCut, kSettings.overtaken_packets, kTimeout);
    poll(peer, kTimeout);
    const Time bound = kCut + kR + 3 * kT / 2;
    EXPECT_EQ(poll(peer, bound - kTick).carry, 0b11);
    const RailOrders orders = poll(peer, bound);
    EXPECT_EQ(orders.carry, late == kTick ? 0b11 : 0b10);
    EXPECT_EQ(orders.resend, late == kTick ? 0b00 : 0b01);
    if (late == nanoseconds(0)) {
      EXPECT_EQ(orders.probe, 0b01);  // a suspect rail is probed at once
    }
  }
}

TEST(PeerRails, OnePacketLessIsNoCoincidenceYet) {
  PeerRails peer = measured();
  peer.delivered(1, kCut + kR, kTimeout);
  peer.timed_out(0, kCut, kSettings.overtaken_packets - 1, kTimeout);
  EXPECT_EQ(poll(peer, kTimeout).probe, 0b01);
  poll(peer, kTimeout + kT / 2);
  EXPECT_EQ(peer.state(0).health(), RailHealth::up);
  EXPECT_EQ(peer.state(0).silences(), 1u);
}

TEST(PeerRails, ManyPacketsSilentWhileAllOthersAreIdle) {
  PeerRails peer = measured();
  peer.timed_out(0, kCut, 64, kTimeout);
  EXPECT_EQ(until_suspect(peer, kTimeout, kTimeout + seconds(1)), kCut + kR + kOtherR + 3 * kT / 2);
}

TEST(PeerRails, ASinglePacketSilent) {
  PeerRails peer = measured();
  peer.timed_out(0, kCut, 1, kTimeout);
  EXPECT_EQ(until_suspect(peer, kTimeout, kTimeout + seconds(1)), kCut + kR + 5 * kT / 2);

  // The same while the other rail delivers all the time.
  peer = measured();
  peer.delivered(1, kTimeout, kTimeout);
  peer.timed_out(0, kCut, 1, kTimeout);
  Time now = kTimeout;
  while ((poll(peer, now).carry & 1) != 0) {
    now += microseconds(10);
    peer.delivered(1, now - kOtherR, now);
  }
  EXPECT_EQ(now, kCut + kR + 5 * kT / 2);
}

TEST(PeerRails, AnAcknowledgementWithinHalfATimeoutOfTheProofEndsTheDoubt) {
  for (const bool in_time : {true, false}) {
    PeerRails peer = measured();
    peer.timed_out(0, kCut, 64, kTimeout);
    poll(peer, kTimeout);
    // The peer has slept, turns, and acknowledges what came on rail 1 first.
    const Time wakes = kTimeout + milliseconds(700);
    peer.answered(1, kTimeout, wakes);
    poll(peer, wakes);
    const Time last = wakes + kT / 2 - kTick;
    EXPECT_EQ(poll(peer, last).carry, 0b11);
    if (in_time) peer.delivered(0, kCut, last);
    EXPECT_EQ(poll(peer, last + kTick).carry, in_time ? 0b11 : 0b10);
  }
}

TEST(PeerRails, APeerThatDoesNotTurnBlamesNoRailAndIsAskedRarely) {
  for (const std::size_t rails : {1u, 2u, 8u}) {
    PeerRails peer = measured(rails);
    for (std::size_t r = 0; r < rails; ++r) peer.timed_out(r, kCut, 64, kTimeout);
    EXPECT_EQ(peer.unreachable_since(), kCut);
    const Time wakes = kTimeout + seconds(60);
    std::size_t probes = 0;
    Time now = kTimeout, last;
    for (; now < wakes; now = peer.next_deadline()) {
      const RailOrders orders = poll(peer, now);
      ASSERT_EQ(orders.carry, (1u << rails) - 1);
      ASSERT_EQ(orders.resend, 0);
      for (unsigned bits = orders.probe; bits != 0; bits &= bits - 1) ++probes;
      if (orders.probe != 0) last = now;
      // Who sends reports each of its timeouts.
      for (std::size_t r = 0; r < rails; ++r) peer.timed_out(r, kCut, 64, now);
    }
    // Doubling from T to the silent interval, then one an interval.
    EXPECT_LE(probes, rails * (8 + 60'000 / 150 + 1));
    EXPECT_GE(probes, rails * (60'000 / 152));
    EXPECT_EQ(peer.unreachable_since(), kCut);
    // It turns, and answers what came on the rails, one after the other.
    for (std::size_t r = rails; r-- > 0;) {
      peer.answered(r, last, wakes + nanoseconds(static_cast<std::int64_t>(rails - r)));
      peer.delivered(r, kCut, wakes + nanoseconds(static_cast<std::int64_t>(rails - r)));
    }
    EXPECT_EQ(peer.unreachable_since(), Time::never());
    for (now = wakes + kTick * 10; now < wakes + seconds(1); now = peer.next_deadline()) {
      ASSERT_EQ(poll(peer, now).probe, 0);
    }
    for (std::size_t r = 0; r < rails; ++r) {
      EXPECT_EQ(peer.state(r).health(), RailHealth::up);
      EXPECT_EQ(peer.state(r).since(), Time{0});
    }
  }
}

TEST(PeerRails, WhenAllRailsWereCutTheNextProbeComesWithinTheSilentInterval) {
  PeerRails peer = measured();
  for (std::size_t r = 0; r < 2; ++r) peer.timed_out(r, kCut, 64, kTimeout);
  Time before = kTimeout;
  for (Time now = kTimeout; now < kTimeout + seconds(5); now = peer.next_deadline()) {
    if (poll(peer, now).probe == 0) continue;
    ASSERT_LE(now - before, kSettings.probe_interval_silent);
    before = now;
  }
}

// A peer that computes for a while and then answers what came last looks like this.
TEST(PeerRails, ALoneRailIsNotSuspectedAndFallsWithItsPort) {
  PeerRails peer = measured(1);
  Time now = kTimeout;
  for (int i = 0; i < 20; ++i) {
    peer.timed_out(0, kCut, 64, now);
    ASSERT_EQ(poll(peer, now).probe, 1);
    peer.answered(0, now, now + kR);
    now = now + kR + kT / 2;
    ASSERT_EQ(poll(peer, now).resend, 0);
    for (const RailEvent event :
         {RailEvent::overtaken, RailEvent::not_completed, RailEvent::probe_lost, RailEvent::unheard,
          RailEvent::outrun, RailEvent::failed_there}) {
      peer.handle(0, event, now);
    }
    ASSERT_EQ(peer.state(0).health(), RailHealth::up);
  }
  peer.handle(0, RailEvent::failed_here, now);
  EXPECT_EQ(peer.state(0).health(), RailHealth::down);
}

// Frames of 48 bytes pass and larger ones do not.
TEST(PeerRails, ARailThatCarriesOnlyProbesFalls) {
  PeerRails peer = measured();
  Time now = kTimeout;
  unsigned suspicions = 0;
  for (int i = 0; i < 100 && peer.state(0).health() != RailHealth::down; ++i) {
    if (peer.state(0).carries_data()) peer.timed_out(0, now - kT, 1, now);
    const RailOrders orders = poll(peer, now);
    suspicions += orders.resend & 1;
    if ((orders.probe & 1) != 0) peer.answered(0, now, now + kR);
    peer.delivered(1, now + kR, now + kR);
    now += kT;
  }
  EXPECT_EQ(peer.state(0).health(), RailHealth::down);
  EXPECT_EQ(suspicions, kSettings.suspicions_to_fall);
}

TEST(PeerRails, AProbesAnswerEndsASuspicion) {
  PeerRails peer = measured();
  peer.handle(0, RailEvent::overtaken, kCut);
  EXPECT_EQ(poll(peer, kCut).probe, 1);
  EXPECT_EQ(peer.state(0).health(), RailHealth::suspect);
  peer.answered(0, kCut, kCut + kR);
  EXPECT_EQ(poll(peer, kCut + kR).carry, 0b11);
  EXPECT_EQ(peer.next_deadline(), Time::never());  // and nobody is asked any more
}

TEST(PeerRails, OnlyAnswersToWhatWasAskedSinceCount) {
  PeerRails peer = measured();
  peer.timed_out(0, kCut, 1, kTimeout);
  poll(peer, kTimeout);
  const Time suspected = kTimeout + microseconds(10);
  peer.handle(0, RailEvent::overtaken, suspected);
  poll(peer, suspected);
  peer.answered(0, kTimeout, suspected + kTick);  // asked before
  EXPECT_EQ(peer.state(0).health(), RailHealth::suspect);
  peer.answered(0, suspected + kTick, suspected + kTick);  // never asked
  EXPECT_EQ(peer.state(0).health(), RailHealth::suspect);
  peer.answered(0, suspected, suspected + kTick);
  EXPECT_EQ(peer.state(0).health(), RailHealth::up);
}

TEST(PeerRails, AnAnswerThatComesOnTwoRailsCountsOnce) {
  PeerRails peer = measured();
  peer.handle(0, RailEvent::failed_here, kCut);
  Time now = peer.next_deadline();
  EXPECT_EQ(now, kCut + kSettings.hold_down_min);
  for (unsigned i = 0; i < kSettings.probes_to_return; ++i) {
    EXPECT_EQ(peer.state(0).health(), i == 0 ? RailHealth::down : RailHealth::probation);
    ASSERT_EQ(poll(peer, now).probe & 1, 1);
    peer.answered(0, now, now + kR);
    peer.answered(0, now, now + kR);
    now = std::max(now + kR, peer.next_deadline());
  }
  EXPECT_EQ(peer.state(0).health(), RailHealth::up);
}

TEST(PeerRails, ASuspectRailFallsByProbesThatOthersProveLostAndNotOtherwise) {
  for (const bool proven : {true, false}) {
    PeerRails peer = measured();
    peer.handle(0, RailEvent::overtaken, kCut);
    Time now = kCut;
    for (; now < kCut + seconds(1) && peer.state(0).health() == RailHealth::suspect;
         now = peer.next_deadline()) {
      if (proven) peer.delivered(1, now - kTick, now);
      poll(peer, now);
    }
    EXPECT_EQ(peer.state(0).health(), proven ? RailHealth::down : RailHealth::suspect);
    if (!proven) continue;
    // A probe each interval; the last one is lost after T, and counts half of T later.
    EXPECT_EQ(peer.state(0).since(),
              kCut + (kSettings.down_after - 1) * kSettings.probe_interval + 3 * kT / 2);
  }
}

// What the peer says to hear, after frames at regular times up to `last`.
bool is_suspect_when_unheard(Duration every, int frames, Duration later, std::uint8_t heard) {
  PeerRails peer = measured();
  Time now = kCut;
  for (int i = 0; i < frames; ++i, now += every) peer.sent(0, now);
  peer.peer_hears(heard, now - every + later);
  return peer.state(0).health() == RailHealth::suspect;
}

TEST(PeerRails, ARailOnWhichThePeerHearsNothingIsSuspect) {
  const Duration every = microseconds(200);
  EXPECT_TRUE(is_suspect_when_unheard(every, 50, kT * 2, 0b10));
  EXPECT_FALSE(is_suspect_when_unheard(every, 50, kT * 2, 0b11));
  // Not if nothing was sent, nor by one or two frames, which may have been lost.
  EXPECT_FALSE(is_suspect_when_unheard(every, 0, kT * 2, 0b10));
  EXPECT_FALSE(is_suspect_when_unheard(milliseconds(4), 3, kT * 2, 0b10));
  // Not before an answer could be here, nor when it may have been long ago for the peer.
  EXPECT_FALSE(is_suspect_when_unheard(every, 5, kTick, 0b10));
  EXPECT_FALSE(is_suspect_when_unheard(every, 50, milliseconds(10), 0b10));
}

TEST(PeerRails, SaysWhatItHasHeardLately) {
  PeerRails peer = measured();
  EXPECT_EQ(peer.heard_lately(kCut), 0);
  peer.heard(1, kCut);
  EXPECT_EQ(peer.heard_lately(kCut + kSettings.heard_within), 0b10);
  EXPECT_EQ(peer.heard_lately(kCut + kSettings.heard_within + kTick), 0);
}

TEST(PeerRails, SaysOnWhichRailsItHearsThePeerAsOnOthers) {
  PeerRails peer = measured(3);
  EXPECT_EQ(peer.heard_with_others(kTick), 0b111) << "nothing on any";
  peer.heard(1, kCut);
  EXPECT_EQ(peer.heard_with_others(milliseconds(1)), 0b010);
  peer.heard(2, kCut + milliseconds(1));
  EXPECT_EQ(peer.heard_with_others(milliseconds(1)), 0b110);
  peer.heard(2, kCut + milliseconds(1) + kTick);
  EXPECT_EQ(peer.heard_with_others(milliseconds(1)), 0b100);
}

TEST(PeerRails, AnswersGoBackOnTwoRails) {
  PeerRails peer = measured(3);
  EXPECT_EQ(peer.answer_on(0), 0b011);
  EXPECT_EQ(peer.answer_on(2), 0b101);
  peer.handle(0, RailEvent::failed_here, kCut);
  EXPECT_EQ(peer.answer_on(0), 0b011);
  EXPECT_EQ(peer.answer_on(2), 0b110);
  peer.handle(1, RailEvent::failed_here, kCut);
  EXPECT_EQ(peer.answer_on(2), 0b100);
  EXPECT_EQ(peer.answer_on(1), 0b110);
}

TEST(PeerRails, IsUnreachableSinceItsLastRailFell) {
  PeerRails peer = measured();
  EXPECT_EQ(peer.unreachable_since(), Time::never());
  peer.handle(1, RailEvent::failed_here, kCut);
  EXPECT_EQ(peer.unreachable_since(), Time::never());
  peer.handle(0, RailEvent::overtaken, kCut + kTick);
  EXPECT_EQ(peer.unreachable_since(), kCut + kTick);
  EXPECT_EQ(poll(peer, kCut + kTick).carry, 0);
  peer.handle(0, RailEvent::failed_here, kCut + seconds(1));
  EXPECT_EQ(peer.unreachable_since(), kCut + kTick);
  Time now = peer.next_deadline();
  while (peer.carry() == 0) {
    const RailOrders orders = poll(peer, now);
    if ((orders.probe & 1) != 0) peer.answered(0, now, now + kR);
    now = std::max(now + kR, peer.next_deadline());
  }
  EXPECT_EQ(peer.unreachable_since(), Time::never());
}

TEST(PeerRails, WhileNothingIsSilentNobodyIsAsked) {
  PeerRails peer = measured(8);
  EXPECT_EQ(poll(peer, kCut).probe, 0);
  EXPECT_EQ(peer.next_deadline(), Time::never());
  EXPECT_EQ(poll(peer, kCut + seconds(3600)).probe, 0);
}

}  // namespace
}  // namespace holdfast::reliable
