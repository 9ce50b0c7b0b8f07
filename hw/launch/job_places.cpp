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
  for (std::vector<Address>& rail : common_.addresses) {
    if (!rail.empty()) continue;
    if (Status status = reserve_rail(processes, rail); !status.is_ok()) return status;
  }
  return table_.create(processes);
}

Status JobPlaces::reserve_rail(std::uint32_t processes, std::vector<Address>& addresses) {
  if (common_.fabric == JobFabric::shm) {
    for (std::uint32_t i = 0; i < processes; ++i) {
      addresses.push_back(to_shm_address("process-" + std::to_string(i)));
    }
    const Status status = directory_.make();
    common_.directory = directory_.path();
    return status;
  }
  HOLDFAST_ASSERT(common_.fabric != JobFabric::verbs);  // ports of adapters are given
  const bool udp = common_.fabric == JobFabric::udp;
  for (std::uint32_t i = 0; i < processes; ++i) {
    ReservedPort& port = ports_.emplace_back();
    const auto kind = udp ? ReservedPort::Kind::udp : ReservedPort::Kind::tcp;
    if (Status status = port.reserve(kind); !status.is_ok()) return status;
    addresses.push_back(to_address(UdpEndpoint{kLoopback, port.port()}));
  }
  return Status::ok();
}

Assignment JobPlaces::assignment(ProcessId process, std::uint32_t boot) const {
  Assignment assignment = common_;
  assignment.self = process;
  assignment.boot = boot;
  return assignment;
}

}  // namespace holdfast::hw
