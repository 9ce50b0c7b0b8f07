// A socket that only sends, to one peer.
#pragma once

#include <cstdint>

#include "hw/descriptor.hpp"
#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {

// From an address of this machine and a port that the kernel chooses, connected. `buffer_bytes` of
// the kernel's for what waits to leave, or as many as it grants. Not open if the kernel refuses.
Descriptor open_connected(const IpAddress& from, const SocketName& peer,
                          std::uint32_t buffer_bytes);

}  // namespace holdfast::hw
