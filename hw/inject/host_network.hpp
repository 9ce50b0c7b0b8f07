// The hosts of a job as network namespaces of this machine. Each has one rail or several: a rail is
// a pair of virtual Ethernet interfaces, of which one end is the host's and the other a port of a
// bridge that joins this rail of all hosts; the bridges are in a namespace of their own, the hub.
//
// The namespaces have no names: they live as long as a descriptor or a process is in them, so
// nothing is left behind by a launcher that is killed. Hosts know each other's Ethernet addresses
// from the start, as adapters know their paths; so nothing but frames of the job crosses a rail,
// and a rail that was cut is of use again when the kernel has noticed: in milliseconds, unless it
// is busy.
//
// A rail fails at the hub's end. Cut: the link is down, seen by the host. Silent: the link is up,
// and whatever comes from the host, or goes to it, is dropped without a word (a black hole;
// silent_ports.hpp). Or at the host's end. Closed: its interface is down, as an administrator does
// it, so that the host itself is refused whatever it sends there; the others see nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/inject/silent_ports.hpp"
#include "stack/base/status.hpp"

namespace holdfast::hw {

enum class RailFault : std::uint8_t {
  cut,
  silent_from,  // nothing comes from the host
  silent_to,    // nothing goes to it
  closed,       // the host has shut its own end
};
constexpr std::size_t kRailFaults = 4;
constexpr bool is_silent(RailFault fault) {
  return fault == RailFault::silent_from || fault == RailFault::silent_to;
}

class HostNetwork {
 public:
  static constexpr std::uint32_t kHostsMax = 250;
  static constexpr std::uint32_t kRailsMax = 8;

  // An error says what is missing: rights, kernel, or a package. hosts: 1 … kHostsMax; rails of
  // each: 1 … kRailsMax.
  static Status open(std::uint32_t hosts, std::uint32_t rails,
                     std::unique_ptr<HostNetwork>& network);

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(hosts_.size()); }
  // To enter by setns(2).
  int name_space(std::uint32_t host) const { return hosts_[host].name_space.get(); }
  // IPv4, in the processor's byte order: 10.77.0.1 … on rail 0, 10.78.0.1 … on rail 1.
  static std::uint32_t address(std::uint32_t host, std::uint32_t rail = 0) {
    return 0x0a4d'0001 + (rail << 16) + host;
  }

  // From now on what the host sends on that rail leaves at this rate, and waits in a queue of
  // kQueueBytes meanwhile (a token bucket; who was silent may send burst_bytes faster). Once for
  // each rail; `megabits`: a second, >= 1.
  static constexpr std::uint32_t kQueueBytes = 8 << 20;
  static std::uint64_t burst_bytes(std::uint32_t megabits);
  Status limit(std::uint32_t host, std::uint32_t rail, std::uint32_t megabits);

  // What it takes for rails to fall silent is put up now (nft), and not when the first one does:
  // that takes some ten milliseconds.
  Status allow_silence();
  // Begins and ends are counted: a rail has a fault until as many have ended as have begun.
  Status begin(std::uint32_t host, std::uint32_t rail, RailFault fault);
  Status end(std::uint32_t host, std::uint32_t rail, RailFault fault);

 private:
  struct Host {
    Descriptor name_space;
    std::uint32_t faults[kRailsMax][kRailFaults] = {};
  };

  Status make(std::uint32_t hosts);
  Status make_hub();
  Status join(std::uint32_t host);
  Status set(std::uint32_t host, std::uint32_t rail, RailFault fault, bool on);
  Status set_neighbours(std::uint32_t host, std::uint32_t rail) const;

  Descriptor hub_;
  std::uint32_t rails_ = 1;  // of each host
  std::vector<Host> hosts_;
  SilentPorts silent_;  // of the hub, once it is allowed
};

}  // namespace holdfast::hw
