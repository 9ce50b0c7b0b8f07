// By which fabric the processes of a launched job reach each other on this machine.
#pragma once

#include <cstdint>

namespace holdfast::hw {

enum class JobFabric : std::uint8_t {
  udp,  // sockets on 127.0.0.1
  tcp,  // connections on 127.0.0.1
  shm,  // shared memory
};
constexpr JobFabric kLastJobFabric = JobFabric::shm;

}  // namespace holdfast::hw
