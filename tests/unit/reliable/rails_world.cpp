// Events in order of time; an end turns when something has come or is due.
#include "tests/unit/reliable/rails_world.hpp"

#include <algorithm>

namespace holdfast::reliable {
namespace {

constexpr std::size_t kSeenLately = 8;
constexpr Duration kTurn = microseconds(10);  // between the turns of one who has overdue timers

}  // namespace

WorldEnd::WorldEnd(World& world, std::size_t side, std::size_t count, const RailSettings& settings,
                   const RoundTripLimits& limits)
    : rails(count, settings, limits, Time{0}), world_(world), side_(side), flows_(count) {
  carried.emplace_back(Time{0}, rails.carry());
}

void WorldEnd::turn(Time now, std::vector<WorldFrame>& inbox) {
  // Before any of them is answered: answers say what has been heard.
  for (const WorldFrame& frame : inbox) rails.heard(frame.on, now);
  for (const WorldFrame& frame : inbox) handle(frame, now);
  inbox.clear();
  time_out(now);
  const RailOrders orders = rails.poll(now);
  if (orders.carry != carried.back().second) carried.emplace_back(now, orders.carry);
  for (std::size_t r = 0; r < flows_.size(); ++r) {
    if ((orders.resend >> r & 1) != 0) {
      lose(flows_[r], Time::never());
      flows_[r].attempts = 0;
    }
    if ((orders.probe >> r & 1) != 0) {
      post({WorldFrame::Kind::probe, r, r, {r, 0, now}, rails.heard_lately(now), {}, 0}, now);
      rails.probed(r, now);
    }
  }
  send_data(orders.carry, now);
}

void WorldEnd::handle(const WorldFrame& frame, Time now) {
  switch (frame.kind) {
    case WorldFrame::Kind::data: {
      take(frame.packet, now);
      const std::uint8_t carry = rails.carry();
      std::size_t on = frame.on;
      for (std::size_t r = flows_.size(); r-- > 0;) {
        const bool wanted = acknowledges_on_lowest || (carry >> frame.on & 1) == 0;
        if (wanted && (carry >> r & 1) != 0) on = r;
      }
      acknowledge(on, now);
      break;
    }
    case WorldFrame::Kind::acknowledgement:
      rails.peer_hears(frame.heard, now);
      for (const Seen& packet : frame.seen) acknowledged(packet, frame.on, now);
      for (std::size_t r = 0; r < flows_.size(); ++r) {
        const std::deque<UnderWay> packets = flows_[r].packets;
        for (const UnderWay& one : packets) {
          if (one.number < frame.all_before && !one.copied)
            acknowledged({r, one.number, one.sent}, frame.on, now);
        }
      }
      break;
    case WorldFrame::Kind::probe:
      rails.peer_hears(frame.heard, now);
      for (std::size_t r = 0; r < flows_.size(); ++r) {
        if ((rails.answer_on(frame.about) >> r & 1) == 0) continue;
        acknowledge(r, now);
        post({WorldFrame::Kind::answer,
              r,
              frame.about,
              frame.packet,
              rails.heard_lately(now),
              {},
              0},
             now);
      }
      break;
    case WorldFrame::Kind::answer: {
      rails.peer_hears(frame.heard, now);
      rails.answered(frame.about, frame.packet.sent, now);
      Flow& flow = flows_[frame.about];
      lose(flow, frame.packet.sent - rails.round_trip(frame.about).reordering_window());
      break;
    }
  }
}

void WorldEnd::take(const Seen& packet, Time now) {
  if (have_.size() <= packet.number) have_.resize(packet.number + 1);
  if (have_[packet.number]) ++in_vain;
  have_[packet.number] = true;
  while (received < have_.size() && have_[received]) {
    if (received > 0) gap = std::max(gap, now - advanced);
    advanced = now;
    ++received;
  }
  lately_.push_back(packet);
  if (lately_.size() > kSeenLately) lately_.pop_front();
}

void WorldEnd::acknowledge(std::size_t on, Time now) {
  post({WorldFrame::Kind::acknowledgement,
        on,
        0,
        {},
        rails.heard_lately(now),
        {lately_.begin(), lately_.end()},
        received},
       now);
}

void WorldEnd::acknowledged(const Seen& packet, std::size_t came_on, Time now) {
  Flow& flow = flows_[packet.rail];
  const auto found = std::find_if(
      flow.packets.begin(), flow.packets.end(),
      [&](const UnderWay& one) { return one.number == packet.number && one.sent == packet.sent; });
  const bool known = done_[packet.number];
  if (!known) {
    done_[packet.number] = true;
    ++acknowledged_;
    std::erase(again_, packet.number);
  }
  if (found == flow.packets.end()) return;
  flow.packets.erase(found);
  if (came_on == packet.rail) rails.round_trip(packet.rail).measure(now - packet.sent, now);
  flow.attempts = 0;
  flow.timer = now + rails.round_trip(packet.rail).retransmission_timeout();
  rails.delivered(packet.rail, packet.sent, now);
}

void WorldEnd::lose(Flow& flow, Time sent_before) {
  while (!flow.packets.empty() && flow.packets.front().sent < sent_before) {
    const std::uint64_t number = flow.packets.front().number;
    flow.packets.pop_front();
    if (!done_[number]) again_.push_back(number);
  }
}

void WorldEnd::time_out(Time now) {
  for (std::size_t r = 0; r < flows_.size(); ++r) {
    Flow& flow = flows_[r];
    if (flow.packets.empty() || now < flow.timer) continue;
    UnderWay& oldest = flow.packets.front();
    rails.timed_out(r, oldest.sent, static_cast<unsigned>(flow.packets.size()), now);
    ++flow.attempts;
    flow.timer = now + rails.round_trip(r).backed_off(flow.attempts);
    oldest.copied = true;
    if (!done_[oldest.number]) again_.push_front(oldest.number);
  }
}

void WorldEnd::send_data(std::uint8_t carry, Time now) {
  bool sent = true;
  while (sent) {
    sent = false;
    for (std::size_t r = 0; r < flows_.size(); ++r) {
      Flow& flow = flows_[r];
      if ((carry >> r & 1) == 0 || flow.packets.size() >= depth) continue;
      std::uint64_t number = next_number_;
      if (!again_.empty()) {
        number = again_.front();
        again_.pop_front();
      } else if (to_send == 0) {
        continue;
      } else {
        --to_send;
        ++next_number_;
        done_.push_back(false);
      }
      if (flow.packets.empty()) {
        flow.timer = now + rails.round_trip(r).retransmission_timeout();
      }
      flow.packets.push_back({number, now, false});
      post({WorldFrame::Kind::data, r, r, {r, number, now}, 0, {}, 0}, now);
      sent = true;
    }
  }
}

void WorldEnd::post(WorldFrame frame, Time now) {
  rails.sent(frame.on, now);
  world_.post(side_, std::move(frame), now);
}

Time WorldEnd::next_deadline() const {
  Time next = rails.next_deadline();
  for (const Flow& flow : flows_) {
    if (!flow.packets.empty()) next = std::min(next, flow.timer);
  }
  return next;
}

World::World(std::vector<Duration> round_trips, const RailSettings& settings,
             const RoundTripLimits& limits)
    : round_trips_(std::move(round_trips)), cut_(round_trips_.size()) {
  for (const Duration round_trip : round_trips_) there.push_back(round_trip / 2);
  ends.reserve(2);
  for (std::size_t side = 0; side < 2; ++side) {
    WorldEnd& end = ends.emplace_back(*this, side, round_trips_.size(), settings, limits);
    for (std::size_t r = 0; r < round_trips_.size(); ++r) {
      for (int i = 0; i < 100; ++i) end.rails.round_trip(r).measure(round_trips_[r], Time{0});
    }
  }
}

void World::start(std::size_t from, std::size_t depth, std::uint64_t packets) {
  ends[from].depth = depth;
  ends[from].to_send = packets;
  ends[from].turn(now, inbox_[from]);
}

void World::post(std::size_t from, WorldFrame frame, Time at) {
  if (cut_[frame.on][from]) return;
  const Duration way = from == 0 ? there[frame.on] : round_trips_[frame.on] - there[frame.on];
  const Time arrives = at + way;
  under_way_.emplace(arrives, std::pair(1 - from, std::move(frame)));
}

void World::run(Time until) {
  while (true) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (asleep_[side]) continue;
      if (!inbox_[side].empty() || ends[side].next_deadline() <= now) {
        ends[side].turn(now, inbox_[side]);
      }
    }
    Time next = under_way_.empty() ? Time::never() : under_way_.begin()->first;
    for (std::size_t side = 0; side < 2; ++side) {
      if (!asleep_[side]) next = std::min(next, std::max(ends[side].next_deadline(), now + kTurn));
    }
    if (next > until) {
      now = until;
      return;
    }
    now = next;
    while (!under_way_.empty() && under_way_.begin()->first == now) {
      auto& [to, frame] = under_way_.begin()->second;
      // What is on the way when the cable is cut is lost, too.
      if (!cut_[frame.on][1 - to]) inbox_[to].push_back(std::move(frame));
      under_way_.erase(under_way_.begin());
    }
  }
}

}  // namespace holdfast::reliable
