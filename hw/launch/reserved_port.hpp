// A port of this machine that stays ours while whoever uses it ends and comes back.
//
// The socket is bound alone, then allows others at its port (SO_REUSEADDR, so the process can bind
// it again and again). One of UDP is connected to itself, so that the kernel gives it nobody's
// frames; one of TCP does not listen.
// Without it the kernel could hand the port of a dead process to another program. A process that
// opens and closes its own rail reserves the port for itself.
#pragma once

#include <cstdint>

#include "hw/descriptor.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

class ReservedPort {
 public:
  enum class Kind : std::uint8_t { udp, tcp };
  // At an address of this machine; an error names it and says what the system refused.
  Status reserve(Kind kind, const IpAddress& ip = kLoopback);
  std::uint16_t port() const { return port_; }

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

}  // namespace holdfast::hw
