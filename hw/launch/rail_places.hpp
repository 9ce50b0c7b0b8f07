// On which of its machine's addresses or adapters a process that meets the others (meeting.hpp) has
// its rails, as whoever starts it says; and rails that are opened there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/launch/job_fabric.hpp"
#include "hw/launch/reserved_port.hpp"
#include "hw/udp/udp_address.hpp"
#include "hw/verbs/verbs.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

struct RailPlaces {
  JobFabric fabric = JobFabric::udp;  // not shared memory
  std::vector<IpAddress> ips;         // over sockets, by rail
  std::vector<VerbsPort> ports;       // over verbs, by rail

  std::size_t rails() const { return fabric == JobFabric::verbs ? ports.size() : ips.size(); }
};

// The next rail is where the text says: over sockets as find_local_ip has it, over verbs an active
// port of this machine that no other rail has, such as mlx5_0:1. Returns what is wrong with it, as
// the end of a sentence that begins with what it is; empty: nothing.
std::string add_place(const std::string& text, RailPlaces& places);
// Over verbs, where nobody says anything: the first active port. Likewise.
std::string add_first_port(RailPlaces& places);

// A rail at each place, by sockets at ports that the kernel chooses. The queue key is of verbs, see
// open_verbs_rail. An error names the place and the reason.
Status open_rails(const RailPlaces& places, std::uint32_t queue_key, std::uint32_t peers_max,
                  std::vector<std::unique_ptr<Fabric>>& rails);

// Where they are, by rail.
std::vector<Address> local_addresses(std::span<const std::unique_ptr<Fabric>> rails);

// Over verbs: see find_ways; of each rail to those of all processes, whose addresses these are, by
// process and rail.
Status find_all_ways(JobFabric fabric, std::span<const std::unique_ptr<Fabric>> rails,
                     std::span<const std::vector<Address>> by_process);

// A rail that may be closed and opened again: it stays at one address, which is known before it is
// opened and which nobody else gets meanwhile.
class ReopenedRail {
 public:
  // At the place of that rail.
  Status reserve(const RailPlaces& places, std::size_t rail, std::uint32_t queue_key,
                 std::uint32_t peers_max);
  const Address& address() const { return address_; }
  // When the rail of the call before is gone.
  Status open(std::unique_ptr<Fabric>& rail);

 private:
  JobFabric fabric_ = JobFabric::udp;
  std::uint32_t queue_key_ = 0;
  std::uint32_t peers_max_ = 0;
  Address address_;
  ReservedPort port_;  // of a socket
  KeptQueue queue_;    // of verbs
};

}  // namespace holdfast::hw
