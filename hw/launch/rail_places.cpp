// Sockets at addresses, queue pairs at ports.
#include "hw/launch/rail_places.hpp"

#include "hw/launch/local_ip.hpp"
#include "hw/launch/socket_rail.hpp"
#include "hw/launch/verbs_rail.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

// Result as that of add_place.
std::string find_ports(std::vector<VerbsPort>& ports) {
  const Status status = find_verbs_ports(ports);
  return status.is_ok() ? "" : "cannot be used: " + status.message();
}

std::string add_port(const std::string& text, RailPlaces& places) {
  for (const VerbsPort& taken : places.ports) {
    if (text == name_of(taken)) return "is that of another rail; expected a port for each";
  }
  std::vector<VerbsPort> ports;
  if (std::string wrong = find_ports(ports); !wrong.empty()) return wrong;
  std::string names;
  for (const VerbsPort& port : ports) {
    if (text == name_of(port)) {
      places.ports.push_back(port);
      return "";
    }
    names += (names.empty() ? "" : ", ") + name_of(port);
  }
  return "is no active port of this machine; expected one of " + names;
}

}  // namespace

std::string add_place(const std::string& text, RailPlaces& places) {
  if (places.fabric == JobFabric::verbs) return add_port(text, places);
  return find_local_ip(text, places.ips.emplace_back(IpAddress(kLoopback)));
}

std::string add_first_port(RailPlaces& places) {
  std::vector<VerbsPort> ports;
  if (std::string wrong = find_ports(ports); !wrong.empty()) return wrong;
  places.ports.push_back(ports.front());
  return "";
}

Status open_rails(const RailPlaces& places, std::uint32_t queue_key, std::uint32_t peers_max,
                  std::vector<std::unique_ptr<Fabric>>& rails) {
  for (const VerbsPort& port : places.ports) {
    if (Status status =
            open_verbs_rail(port_address(port), queue_key, peers_max, rails.emplace_back());
        !status.is_ok()) {
      return status;
    }
  }
  for (const IpAddress& ip : places.ips) {
    if (Status status = open_socket_rail(places.fabric, {ip, 0}, PortOwner::rail, peers_max,
                                         rails.emplace_back());
        !status.is_ok()) {
      return status;
    }
  }
  return Status::ok();
}

std::vector<Address> local_addresses(std::span<const std::unique_ptr<Fabric>> rails) {
  std::vector<Address> by_rail;
  for (const auto& rail : rails) by_rail.push_back(rail->local_address());
  return by_rail;
}

Status find_all_ways(JobFabric fabric, std::span<const std::unique_ptr<Fabric>> rails,
                     std::span<const std::vector<Address>> by_process) {
  if (fabric != JobFabric::verbs) return Status::ok();
  for (std::size_t rail = 0; rail < rails.size(); ++rail) {
    std::vector<Address> addresses;
    for (const std::vector<Address>& by_rail : by_process) addresses.push_back(by_rail[rail]);
    if (Status status = find_ways(*rails[rail], addresses); !status.is_ok()) return status;
  }
  return Status::ok();
}

Status ReopenedRail::reserve(const RailPlaces& places, std::size_t rail, std::uint32_t queue_key,
                             std::uint32_t peers_max) {
  HOLDFAST_ASSERT(rail < places.rails());
  fabric_ = places.fabric;
  queue_key_ = queue_key;
  peers_max_ = peers_max;
  if (fabric_ == JobFabric::verbs) {
    address_ = port_address(places.ports[rail]);
    std::unique_ptr<Fabric> opened;  // to have its number
    if (Status status = open(opened); !status.is_ok()) return status;
    address_ = opened->local_address();
    return Status::ok();
  }
  const bool tcp = fabric_ == JobFabric::tcp;
  const IpAddress& ip = places.ips[rail];
  const Status status = port_.reserve(tcp ? ReservedPort::Kind::tcp : ReservedPort::Kind::udp, ip);
  address_ = to_address(UdpEndpoint{ip, port_.port()});
  return status;
}

Status ReopenedRail::open(std::unique_ptr<Fabric>& rail) {
  if (fabric_ == JobFabric::verbs) {
    return open_verbs_rail(address_, queue_key_, peers_max_, queue_, rail);
  }
  return open_socket_rail(fabric_, *to_udp_endpoint(address_), PortOwner::reserver, peers_max_,
                          rail);
}

}  // namespace holdfast::hw
