// By which fabric the processes of a job reach each other.
#pragma once

#include <cstdint>

namespace holdfast::hw {

enum class JobFabric : std::uint8_t {
  udp,    // sockets
  tcp,    // connections
  shm,    // shared memory
  verbs,  // queue pairs of RDMA adapters
};
constexpr JobFabric kLastJobFabric = JobFabric::verbs;

}  // namespace holdfast::hw
