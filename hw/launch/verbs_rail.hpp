// The rail of a process's frames, where it is a queue pair of an RDMA adapter.
//
// Where it is cannot be known before it is made: the port can be chosen by whoever starts the
// process, the number of the queue pair is the adapter's to give. So an address whose queue pair
// is 0 says the port only; hw/launch/process_table.hpp has the numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/verbs/verbs.hpp"
#include "stack/base/ids.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

// Active ports of this machine by network: those of one link layer, and on InfiniBand of one
// subnet, can be expected to reach each other.
using PortsByNetwork = std::vector<std::vector<VerbsPort>>;
PortsByNetwork by_network(std::span<const VerbsPort> ports);

// Those at which so many rails take turns, see spread_over: first the networks with most ports; one
// that has too few for its share is left out. None: no choice of them has enough.
PortsByNetwork networks_of_job(PortsByNetwork networks, std::size_t rails);
// Of this machine. An error says why there are none.
Status find_job_ports(std::uint32_t rails, PortsByNetwork& networks);

// "rxe0:1"
std::string name_of(const VerbsPort& port);

Address port_address(const VerbsPort& port);

// By rail and process the port of its host. Rails take turns at the networks, of which there are at
// most as many, and hosts at the ports of each, a port for each rail that is there: the next host
// is at the ports after those, if there is still one for each, else at the first. So a port is of
// one rail, and one that dies leaves all hosts the others.
std::vector<std::vector<Address>> spread_over(const PortsByNetwork& networks,
                                              std::span<const std::uint32_t> host_of_process,
                                              std::size_t rails);
// Over the ports of this machine, as many rails as there are addresses.
Status spread_over_ports(std::span<const std::uint32_t> host_of_process,
                         std::vector<std::vector<Address>>& addresses);

// `port` with the number in it.
Address at_queue_pair(const Address& port, std::uint32_t number);
// Of an address of this fabric, else 0.
std::uint32_t queue_pair_of(const Address& address);

// At the port of this machine that `local` names; of the queue key the lower 31 bits count. An
// error names the port and the reason.
Status open_verbs_rail(const Address& local, std::uint32_t queue_key, std::uint32_t peers_max,
                       std::unique_ptr<Fabric>& rail);
// Likewise, at the queue pair of the rail before, see open_verbs_at.
Status open_verbs_rail(const Address& local, std::uint32_t queue_key, std::uint32_t peers_max,
                       KeptQueue& kept, std::unique_ptr<Fabric>& rail);

// Finds the way to the port of each of these addresses, which may wait for an answer of the
// network, so that no attach has to do it later. An error names the first port to which there is
// none; the others are found all the same.
Status find_ways(Fabric& rail, std::span<const Address> addresses);

}  // namespace holdfast::hw
