// When a peer begins to be sent something, and when it no longer is.
#include "stack/reliable/outbound.hpp"

#include "stack/reliable/sending.hpp"

namespace holdfast::reliable {

namespace {
// A guess from below, until something has been measured.
constexpr std::uint64_t kFirstBytesPerSecond = 100'000'000;
}  // namespace

void Sending::accept(Connection& connection, std::uint32_t request,
                     const OutgoingMessage& message) {
  if (connection.outbound == nullptr) begin(connection);
  unfold(connection);
  const std::uint32_t i = core_.outgoing.take();
  HOLDFAST_ASSERT(i != kNone);  // there are as many as requests
  OutgoingMessage& taken = core_.outgoing[i];
  taken = message;
  taken.request = request;
  taken.number = connection.next_message++;
  core_.requests[request].object = i;
  Messages::append(core_.outgoing, connection.outbound->messages, i);
  MessageQueue::append(core_.outgoing, connection.outbound->starting, i);
  core_.activate(connection);
}

// The peer is sent something, with what is known of its rails from the last time.
void Sending::begin(Connection& connection) {
  connection.outbound = &core_.outbound.take();
  for (const ConnectionRail& known : connection.rails) {
    const EndpointLimits& limits = core_.options.limits;
    connection.outbound->rails.emplace_back(
        DeliveryRate(kFirstBytesPerSecond, known.bytes_per_second),
        RailWindow(limits.window_bytes, !is_as_in_paper(), known.width), known.next_packet);
  }
}

void Sending::rest(Connection& connection) {
  if (connection.outbound == nullptr || !connection.outbound->is_idle()) return;
  for (std::size_t r = 0; r < connection.rails.size(); ++r) {
    const OutboundRail& rail = connection.outbound->rails[r];
    connection.rails[r].bytes_per_second = rail.rate.measured();
    connection.rails[r].width = rail.window.width();
  }
  connection.outbound->waits_until = Time::never();
  connection.outbound->rails.clear();
  core_.outbound.give(*connection.outbound);
  connection.outbound = nullptr;
}

}  // namespace holdfast::reliable
