// Meeting at the address of process 0: for processes that are started by hand, by ssh, or by
// anything that can give each of them its rank, that address, and the job's key.
//
// Process 0 listens there until all have come, then tells everybody who they are and closes. What
// comes from the network counts only if it was made with the job's key for this connection
// (rendezvous_frames.hpp); the rest is counted and has a little time and memory, of which there is
// so much and no more.
#pragma once

#include <memory>
#include <string>

#include "hw/launch/meeting.hpp"
#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {

// "HOST:PORT" or "[IPV6]:PORT", an address or a name that has one. A sentence if it is none; else
// empty.
std::string parse_rendezvous(const std::string& text, UdpEndpoint& endpoint);

// As process 0, which listens there.
std::unique_ptr<Meeting> make_rendezvous_host(const UdpEndpoint& endpoint);
// As any other.
std::unique_ptr<Meeting> make_rendezvous_guest(const UdpEndpoint& endpoint, ProcessId self);

}  // namespace holdfast::hw
