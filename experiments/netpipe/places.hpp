// Where the two processes of a pair are: both on this host, or each on a host of its own, which are
// network namespaces joined by a wire of a limited rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "hw/inject/host_network.hpp"
#include "hw/udp/udp_address.hpp"
#include "stack/base/status.hpp"

namespace holdfast::netpipe {

class Places {
 public:
  // Both on this host.
  Places() = default;
  // On two, with so many rails, each of `megabits` a second in each direction, >= 1. An error says
  // what is missing, see hw::HostNetwork.
  static Status apart(std::uint32_t rails, std::uint32_t megabits, Places& places);

  // 0: both here, and nothing is limited.
  std::uint32_t megabits() const { return megabits_; }
  // See hw::HostNetwork::burst_bytes; 0: likewise.
  std::uint64_t burst_bytes() const;
  // Of a process, 0 or 1, on a rail; the kernel chooses the port.
  hw::UdpEndpoint address(std::size_t process, std::uint32_t rail) const;
  // Does what opens sockets where that process is.
  Status at(std::size_t process, const std::function<Status()>& open) const;
  // In that process: what it opens later is there as well.
  Status enter(std::size_t process) const;

 private:
  std::unique_ptr<hw::HostNetwork> hosts_;  // null: both here
  std::uint32_t megabits_ = 0;
};

}  // namespace holdfast::netpipe
