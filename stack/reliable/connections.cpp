// Lives of peers: their connections begin and end here.
#include "stack/reliable/parts.hpp"

namespace holdfast::reliable {

bool Endpoint::Parts::connect(ProcessId peer, Incarnation incarnation, Time now) {
  HOLDFAST_ASSERT(peer != kNoProcess && peer != core.options.self);
  Connection* found = core.find(peer);
  if (found != nullptr && incarnation == found->incarnation) return found->is_live;
  if (found != nullptr && incarnation < found->incarnation) return true;
  if (found == nullptr) {
    if (core.connections.size() == core.options.limits.peers) return false;
    if (core.connection_of.size() <= peer.value) core.connection_of.resize(peer.value + 1, kNone);
    core.connection_of[peer.value] = static_cast<std::uint32_t>(core.connections.size());
    found = &core.connections.emplace_back();
    found->rails.reserve(core.rails());
  } else if (found->is_live) {
    end(*found, Outcome::peer_failed, now);
  }
  const EndpointOptions& options = core.options;
  const std::uint32_t life = found->life + 1;
  std::vector<ConnectionRail> rails = std::move(found->rails);
  for (std::size_t r = 0; r < rails.size(); ++r) {
    if (rails[r].peer == kNoPeer) continue;
    core.ports[r].drop(rails[r].peer);
    core.ports[r].fabric().detach(rails[r].peer);
  }
  rails.clear();
  const bool listed = found->is_active;
  *found = Connection{};
  Connection& connection = *found;
  connection.is_active = listed;
  connection.peer = peer;
  connection.incarnation = incarnation;
  connection.life = life;
  connection.is_live = true;
  connection.rails = std::move(rails);
  connection.out =
      connection_seed(options.job, options.self, options.incarnation, peer, incarnation);
  connection.in =
      connection_seed(options.job, peer, incarnation, options.self, options.incarnation);
  if (core.seal != nullptr) {
    connection.key_out =
        core.seal->derive(options.key, options.self, options.incarnation, peer, incarnation);
    connection.key_in =
        core.seal->derive(options.key, peer, incarnation, options.self, options.incarnation);
  }
  const std::uint32_t first = options.first_number;
  connection.ways.emplace(core.rails(), core.options.rails, options.round_trip, now);
  connection.next_message = connection.known_before = connection.next_fragment = first;
  connection.next_presented = connection.begun_below = connection.latest_fragment = first;
  connection.received = NumberWindow(first);
  for (std::size_t r = 0; r < core.rails(); ++r) {
    ConnectionRail& rail = connection.rails.emplace_back(first);
    rail.peer = core.ports[r].fabric().attach(core.addresses.address(r, peer), Service::datagram);
    if (rail.peer == kNoPeer) connection.ways->handle(r, RailEvent::failed_here, now);
  }
  core.activate(connection);
  return true;
}

void Endpoint::Parts::end(Connection& connection, Outcome outcome, Time now) {
  handle_deferred();
  sending.end(connection, outcome);
  receiving.end(connection, outcome, now);
  acknowledging.end(connection);
  connection.ways.reset();
  connection.is_live = false;
  connection.is_given_up = outcome == Outcome::unreachable;
  core.is_changed = true;  // there is room for others
}

}  // namespace holdfast::reliable
