// What comes: connections, and frames, which are read to where they belong.
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "hw/tcp/open_socket.hpp"
#include "hw/tcp/tcp_fabric.hpp"

namespace holdfast::hw {

namespace {

// So much is read at a time that may be of long frames, which are copied once more then.
constexpr std::size_t kReadAhead = 16 << 10;

}  // namespace

// False: nobody has come, or can be let in now.
bool TcpFabric::accept_all(Time now) {
  end_rest(now);
  if (rests_until_ != Time::never()) return false;
  for (bool any = false;; any = true) {
    Accepted accepted = accept_one(sockets_.listener);
    if (accepted.exhausted) rest(now);
    if (!accepted.socket.is_open()) return any;
    if (from_others_ == from_others_max_) {
      ++counters_.refused;
      continue;
    }
    const std::uint32_t at =
        add(std::move(accepted.socket), accepted.from, Connection::Stage::made);
    if (at == kNone) continue;
    places_[at].is_from_other = true;
    ++from_others_;
    for (std::uint32_t r = 0; r < receivers_.size(); ++r) {
      const Receiver& receiver = receivers_[r];
      if (receiver.frames == nullptr || receiver.connection != kNone) continue;
      if (receiver.endpoint == accepted.from) lead(at, r);
    }
  }
}

// False if nothing has come. `more`: not all that may have come was told of, or connections are
// new.
bool TcpFabric::look_for_arrivals(bool& more) {
  told_ = 0;
  const Time began = monotonic_now();
  end_rest(began);
  if (const std::uint32_t partner = dialogue_.partner(began);
      partner != Dialogue::kNobody && ready_.empty()) {
    places_[partner].is_ready = true;
    ready_.push(partner);
    more = false;
    return true;
  }
  std::array<epoll_event, kReadyBatch> events;
  const int count = ::epoll_wait(sockets_.arrivals.get(), events.data(), kReadyBatch, 0);
  if (count <= 0) {
    dialogue_.told_of_nobody(began);
    if (ready_.empty()) arrivals_.emptied(began);
    return false;
  }
  more = static_cast<std::size_t>(count) == events.size();
  if (count == 1 && events[0].data.u32 != kListener) {
    dialogue_.told_of(events[0].data.u32, began);
  } else {
    dialogue_.told_of_others(began);
  }
  for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(count))) {
    const std::uint32_t place = event.data.u32;
    if (place == kListener) {
      more = accept_all(began) || more;
    } else if (!std::exchange(places_[place].is_ready, true)) {
      ready_.push(place);
    }
  }
  return true;
}

// The oldest slot holds a frame of `connection` now.
void TcpFabric::take(const Connection& connection, std::uint32_t bytes, const ClockPair& now,
                     Event& event) {
  event = Event{};
  event.kind = EventKind::received;
  event.size = bytes;
  event.cookie = queues_.slots().pop().cookie;
  const std::int64_t stamp = connection.wall_ns();
  event.at = arrivals_.arrival(stamp != 0 ? stamp : now.wall_ns, now);
  ++counters_.frames_received;
}

// Whether a placer is to be asked about the frame that has begun to come, or has been.
bool TcpFabric::is_for_placer(const Connection& connection) const {
  if (connection.rest() != nullptr) return true;
  return placer_ != nullptr && connection.has_begun(beginning_bytes_);
}

// Of that frame; null: nowhere, or not there any more, and then it is lost.
std::byte* TcpFabric::place_of(Connection& connection) {
  std::byte* const place =
      placer_ == nullptr
          ? nullptr
          : placer_->place(connection.beginning(beginning_bytes_), connection.begun_bytes());
  if (connection.rest() == nullptr || connection.rest() == place) return place;
  ++counters_.displaced;
  connection.give_up_rest();
  return nullptr;
}

// Reads on where it belongs; `count` grows if it is there.
Connection::Read TcpFabric::read_rest(Connection& connection, std::byte* place,
                                      const ClockPair& now, std::span<Event> events,
                                      std::size_t& count) {
  const Connection::Read read = connection.read_rest(beginning_bytes_, place);
  if (!connection.has_rest()) return read;
  const std::span<const std::byte> beginning = connection.beginning(beginning_bytes_);
  std::copy(beginning.begin(), beginning.end(), queues_.slots()[0].data);
  take(connection, connection.begun_bytes(), now, events[count]);
  events[count++].placed = place;
  connection.drop_placed();
  return read;
}

// A long frame goes to its place or into a slot at once, and `count` grows by it.
Connection::Read TcpFabric::read(Connection& connection, const ClockPair& now,
                                 std::span<Event> events, std::size_t& count) {
  if (connection.has_begun(0)) dialogue_.end();
  if (is_for_placer(connection)) {
    if (std::byte* const place = place_of(connection); place != nullptr)
      return read_rest(connection, place, now, events, count);
  }
  const ReceiveSlot& slot = queues_.slots()[0];
  if (!connection.has_begun(0) || connection.begun_bytes() > slot.size)
    return connection.read(kReadAhead);
  bool is_whole = false;
  const std::uint32_t bytes = connection.begun_bytes();
  const Connection::Read read = connection.read_whole(slot.data, is_whole);
  if (is_whole) take(connection, bytes, now, events[count++]);
  return read;
}

// Frames of one connection, by which `count` grows; `more` tells that there may be others for which
// there was no room, or which are for a poll of their own.
void TcpFabric::receive(std::uint32_t at, std::span<Event> events, std::size_t& count, bool& more) {
  more = false;
  if (places_[at].connection == nullptr) return;
  Connection& connection = *places_[at].connection;
  const ClockPair now = read_clocks();
  for (;;) {
    std::span<const std::byte> frame;
    const Connection::Next next = connection.next(frame);
    if (count == events.size() || queues_.slots().empty()) {
      more = true;
      return;
    }
    if (next == Connection::Next::incomplete) {
      // A placer knows what is told, and no more.
      const bool waits = count > 0 && is_for_placer(connection);
      const Connection::Read read =
          waits ? Connection::Read::nothing : this->read(connection, now, events, count);
      if (waits || (count > 0 && events[count - 1].placed != nullptr)) {
        events[count - 1].more = more = true;
        return;
      }
      if (read == Connection::Read::some) continue;
      if (read == Connection::Read::ended) close(at, now.monotonic);
      return;
    }
    if (next == Connection::Next::impossible) {
      ++counters_.impossible;
      close(at, now.monotonic);
      return;
    }
    const ReceiveSlot& slot = queues_.slots()[0];
    if (frame.size() > slot.size) {
      ++counters_.truncated;
    } else {
      std::copy(frame.begin(), frame.end(), slot.data);
      take(connection, static_cast<std::uint32_t>(frame.size()), now, events[count++]);
    }
    connection.drop();
  }
}

}  // namespace holdfast::hw
