// Ports, and queue pairs at them.
#include "hw/launch/verbs_rail.hpp"

#include <algorithm>

#include "hw/launch/job_address.hpp"
#include "hw/verbs/verbs_address.hpp"
#include "stack/base/assert.hpp"
#include "stack/wire/header.hpp"

namespace holdfast::hw {

namespace {

constexpr std::uint32_t kPrivilegedKeys = 1u << 31;
// Ways lead to ports, so any number that a queue pair may have will do.
constexpr std::uint32_t kAnyQueuePair = 2;

// On InfiniBand a port has a LID, and the first 8 bytes of its GID are its subnet's.
bool is_one_network(const VerbsPort& a, const VerbsPort& b) {
  const bool ethernet = a.lid == 0;
  if (ethernet != (b.lid == 0)) return false;
  return ethernet || std::equal(a.gid.begin(), a.gid.begin() + 8, b.gid.begin());
}

// Of rails that take turns at networks, how many are on that one.
std::size_t rails_on(std::size_t network, std::size_t networks, std::size_t rails) {
  return (rails - network + networks - 1) / networks;
}

}  // namespace

PortsByNetwork by_network(std::span<const VerbsPort> ports) {
  PortsByNetwork networks;
  for (const VerbsPort& port : ports) {
    const auto its = std::ranges::find_if(
        networks, [&](const auto& network) { return is_one_network(network.front(), port); });
    (its == networks.end() ? networks.emplace_back() : *its).push_back(port);
  }
  return networks;
}

PortsByNetwork networks_of_job(PortsByNetwork networks, std::size_t rails) {
  std::ranges::stable_sort(networks, std::ranges::greater{}, &std::vector<VerbsPort>::size);
  if (networks.size() > rails) networks.resize(rails);
  for (std::size_t i = networks.size(); i-- > 0;) {
    if (networks[i].size() >= rails_on(i, networks.size(), rails)) continue;
    networks.erase(networks.begin() + static_cast<std::ptrdiff_t>(i));
    i = networks.size();  // the others have more rails now
  }
  return networks;
}

Status find_job_ports(std::uint32_t rails, PortsByNetwork& networks) {
  std::vector<VerbsPort> ports;
  if (Status status = find_verbs_ports(ports); !status.is_ok()) return status;
  const PortsByNetwork found = by_network(ports);
  networks = networks_of_job(found, rails);
  if (!networks.empty()) return Status::ok();
  std::string counts;
  for (const std::vector<VerbsPort>& network : found) {
    counts += (counts.empty() ? "" : " and ") + std::to_string(network.size());
  }
  return Status::error("verbs: " + std::to_string(rails) +
                       " rails are asked for, and this machine has " + counts +
                       (ports.size() == 1 ? " active port" : " active ports") + " of adapters" +
                       (found.size() == 1 ? "" : ", by network,") +
                       " (holdfast info machine); a host has a port for each of its rails, which "
                       "take turns at the networks");
}

std::string name_of(const VerbsPort& port) {
  return port.device + ":" + std::to_string(port.number);
}

Address port_address(const VerbsPort& port) {
  return to_address(VerbsEndpoint{port.gid, port.lid, 0});
}

std::vector<std::vector<Address>> spread_over(const PortsByNetwork& networks,
                                              std::span<const std::uint32_t> host_of_process,
                                              std::size_t rails) {
  HOLDFAST_ASSERT(!networks.empty() && networks.size() <= rails);
  std::vector<std::vector<Address>> addresses(rails);
  for (std::size_t rail = 0; rail < rails; ++rail) {
    const std::size_t network = rail % networks.size();
    const std::vector<VerbsPort>& ports = networks[network];
    const std::size_t of_a_host = rails_on(network, networks.size(), rails);
    const std::size_t places = ports.size() / of_a_host;
    HOLDFAST_ASSERT(places > 0);
    for (const std::uint32_t host : host_of_process) {
      const std::size_t port = host % places * of_a_host + rail / networks.size();
      addresses[rail].push_back(port_address(ports[port]));
    }
  }
  return addresses;
}

Status spread_over_ports(std::span<const std::uint32_t> host_of_process,
                         std::vector<std::vector<Address>>& addresses) {
  PortsByNetwork networks;
  const auto rails = static_cast<std::uint32_t>(addresses.size());
  if (Status status = find_job_ports(rails, networks); !status.is_ok()) return status;
  addresses = spread_over(networks, host_of_process, rails);
  return Status::ok();
}

Address at_queue_pair(const Address& port, std::uint32_t number) {
  auto endpoint = to_verbs_port(port);
  if (!endpoint) return port;
  endpoint->queue_pair = number;
  return to_address(*endpoint);
}

std::uint32_t queue_pair_of(const Address& address) {
  const auto endpoint = to_verbs_endpoint(address);
  return endpoint ? endpoint->queue_pair : 0;
}

Status open_verbs_rail(const Address& local, std::uint32_t queue_key, std::uint32_t peers_max,
                       std::unique_ptr<Fabric>& rail) {
  KeptQueue kept;
  return open_verbs_rail(local, queue_key, peers_max, kept, rail);
}

namespace {

// The port of this machine that an address names. It need not be active, as a process may be
// started again while one of its rails is down; then its LID is that of the address.
Status find_port(const Address& local, VerbsPort& port_there) {
  const auto named = to_verbs_port(local);
  const auto found = named ? find_verbs_port(named->gid) : std::nullopt;
  if (!found) {
    return Status::error("verbs: no port of this machine is at " +
                         text_of(at_queue_pair(local, 0)));
  }
  if (found->datagram_bytes_max < kFrameBytesMax) {
    return Status::error("verbs: port " + name_of(*found) + " carries datagrams of at most " +
                         std::to_string(found->datagram_bytes_max) + " bytes; expected " +
                         std::to_string(kFrameBytesMax) + " or more, which its MTU decides");
  }
  port_there = *found;
  port_there.lid = named->lid;
  return Status::ok();
}

}  // namespace

Status open_verbs_rail(const Address& local, std::uint32_t queue_key, std::uint32_t peers_max,
                       KeptQueue& kept, std::unique_ptr<Fabric>& rail) {
  VerbsOptions options;
  if (kept == nullptr) {
    if (Status status = find_port(local, options.port); !status.is_ok()) return status;
  }
  options.queue_key = queue_key % kPrivilegedKeys;
  options.peers_max = peers_max;
  return open_verbs_at(options, kept, rail);
}

Status find_ways(Fabric& rail, std::span<const Address> addresses) {
  std::vector<Address> ports;
  Status first = Status::ok();
  for (const Address& address : addresses) {
    const Address port = at_queue_pair(address, 0);
    if (std::find(ports.begin(), ports.end(), port) != ports.end()) continue;
    ports.push_back(port);
    const Peer peer = rail.attach(at_queue_pair(port, kAnyQueuePair), Service::datagram);
    if (peer != kNoPeer) {
      rail.detach(peer);
    } else if (first.is_ok()) {
      first = Status::error("verbs: from " + text_of(at_queue_pair(rail.local_address(), 0)) +
                            " there is no way to " + text_of(port) +
                            "; are the two ports on one network?");
    }
  }
  return first;
}

}  // namespace holdfast::hw
