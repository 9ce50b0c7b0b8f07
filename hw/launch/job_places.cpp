// Ports, memory, and random bytes.
#include "hw/launch/job_places.hpp"

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "hw/launch/meeting.hpp"
#include "hw/shm/shm_address.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

Status JobPlaces::reserve(std::uint32_t processes, JobFabric fabric,
                          const std::string& configuration, std::uint64_t seed,
                          std::vector<std::vector<Address>> addresses) {
  common_.fabric = fabric;
  common_.configuration = configuration;
  common_.seed = seed;
  common_.addresses = std::move(addresses);
  if (!draw(common_.key.bytes) || !draw(std::as_writable_bytes(std::span(&common_.job, 1)))) {
    return Status::error(std::string("launch: cannot draw the job's key: ") + std::strerror(errno));
  }
  for (std::uint32_t rail = 0; rail < common_.addresses.size(); ++rail) {
    std::vector<Address>& by_process = common_.addresses[rail];
    if (!by_process.empty()) continue;
    if (Status status = reserve_rail(processes, rail, "process-", by_process); !status.is_ok()) {
      return status;
    }
  }
  return table_.create(processes);
}

Status JobPlaces::reserve_messages() {
  if (common_.fabric == JobFabric::verbs) {
    common_.message_addresses = common_.addresses;
    return Status::ok();
  }
  for (std::uint32_t rail = 0; rail < common_.addresses.size(); ++rail) {
    if (Status status = reserve_rail(common_.processes(), rail, "messages-",
                                     common_.message_addresses.emplace_back());
        !status.is_ok()) {
      return status;
    }
  }
  return Status::ok();
}

Status JobPlaces::reserve_rail(std::uint32_t processes, std::uint32_t rail, const char* name,
                               std::vector<Address>& addresses) {
  if (common_.fabric == JobFabric::shm) {
    for (std::uint32_t i = 0; i < processes; ++i) {
      addresses.push_back(to_shm_address(name + std::to_string(i)));
    }
    if (!directory_.path().empty()) return Status::ok();
    const Status status = directory_.make();
    common_.directory = directory_.path();
    return status;
  }
  HOLDFAST_ASSERT(common_.fabric != JobFabric::verbs);  // ports of adapters are given
  const bool udp = common_.fabric == JobFabric::udp;
  const IpAddress ip = kLoopback + rail;
  for (std::uint32_t i = 0; i < processes; ++i) {
    ReservedPort& port = ports_.emplace_back();
    const auto kind = udp ? ReservedPort::Kind::udp : ReservedPort::Kind::tcp;
    if (Status status = port.reserve(kind, ip); !status.is_ok()) return status;
    addresses.push_back(to_address(UdpEndpoint{ip, port.port()}));
  }
  return Status::ok();
}

void JobPlaces::hear(ProcessId process, const Word& word) {
  const bool of_messages = word.kind == kMessagesPlaced;
  const std::size_t rail = rail_of(word);
  if ((word.kind != kPlaced && !of_messages) || rail >= common_.addresses.size()) return;
  if (of_messages) {
    table_.set_message_queue_pair(process, rail, queue_pair_of(word));
  } else {
    table_.set_queue_pair(process, rail, queue_pair_of(word));
  }
}

// The table's, and one for each port.
std::uint64_t JobPlaces::descriptors(std::uint32_t processes, JobFabric fabric,
                                     std::uint32_t reserved_rails) {
  const bool has_ports = fabric == JobFabric::udp || fabric == JobFabric::tcp;
  return 1 + (has_ports ? std::uint64_t{processes} * reserved_rails : 0);
}

Assignment JobPlaces::assignment(ProcessId process, std::uint32_t boot) const {
  Assignment assignment = common_;
  assignment.self = process;
  assignment.boot = boot;
  return assignment;
}

}  // namespace holdfast::hw
