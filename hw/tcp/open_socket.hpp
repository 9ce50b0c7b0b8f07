// The sockets of hw/tcp, and what they are told.
#pragma once

#include "hw/descriptor.hpp"
#include "hw/udp/udp_address.hpp"

namespace holdfast::hw {

// Listens at `local`, of which port 0 is one that the kernel chooses. Closed if that fails: errno
// says why.
Descriptor open_listener(const UdpEndpoint& local);

struct Accepted {
  Descriptor socket;  // closed: nobody has come, or can be let in
  UdpEndpoint from;
  bool exhausted = false;  // and the next one would fail alike
};
Accepted accept_one(const Descriptor& listener);

// From which port a connection leaves.
enum class LeavesFrom : std::uint8_t {
  own_port,  // that of the listener, by which who accepts it can see whom it may answer over it; or
             // any, where there was such a connection a moment ago
  any_port,
};

// Begins to connect from `local` to `to`.
struct Begun {
  Descriptor socket;  // closed: that is impossible now
  bool is_made = false;
};
Begun begin_connection(const UdpEndpoint& local, const UdpEndpoint& to, LeavesFrom from);

}  // namespace holdfast::hw
