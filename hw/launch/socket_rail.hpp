// The rail of a process's frames, where it is a socket.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/launch/job_fabric.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/base/status.hpp"
#include "stack/fabric.hpp"

namespace holdfast::hw {

// Every process can be watched by every other, and each of them may be sent to.
constexpr std::uint32_t kSpareHandles = 8;

enum class PortOwner : std::uint8_t {
  rail,      // nobody else has it
  reserver,  // keeps it between one rail and the next, see reserved_port.hpp
};

// Not for shared memory. Port 0: the kernel chooses. What becomes of the interface that has the
// address is told where that is possible. An error names the address and the reason.
Status open_socket_rail(JobFabric fabric, UdpEndpoint local, PortOwner owner,
                        std::uint32_t peers_max, std::unique_ptr<Fabric>& rail);

}  // namespace holdfast::hw
