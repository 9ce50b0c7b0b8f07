// Ports, memory, and random bytes.
#include "hw/launch/job_places.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace holdfast::hw {

Status JobPlaces::reserve(std::uint32_t processes, const std::string& configuration,
                          std::uint64_t seed) {
  common_.configuration = configuration;
  common_.seed = seed;
  if (::getrandom(common_.key.bytes.data(), common_.key.bytes.size(), 0) < 0 ||
      ::getrandom(&common_.job, sizeof common_.job, 0) < 0) {
    return Status::error(std::string("launch: cannot draw the job's key: ") + std::strerror(errno));
  }
  ports_ = std::vector<ReservedPort>(processes);
  for (ReservedPort& port : ports_) {
    if (Status status = port.reserve(); !status.is_ok()) return status;
    common_.ports.push_back(port.port());
  }
  return table_.create(processes);
}

Assignment JobPlaces::assignment(ProcessId process, std::uint32_t boot) const {
  Assignment assignment = common_;
  assignment.self = process;
  assignment.boot = boot;
  return assignment;
}

}  // namespace holdfast::hw
