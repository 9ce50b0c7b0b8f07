// Process p is on host p.
#include "experiments/netpipe/places.hpp"

#include "hw/inject/in_namespace.hpp"

namespace holdfast::netpipe {

Status Places::apart(std::uint32_t rails, std::uint32_t megabits, Places& places) {
  std::unique_ptr<hw::HostNetwork> hosts;
  if (Status status = hw::HostNetwork::open(2, rails, hosts); !status.is_ok()) return status;
  for (std::uint32_t host = 0; host < hosts->hosts(); ++host) {
    for (std::uint32_t rail = 0; rail < rails; ++rail) {
      if (Status status = hosts->limit(host, rail, megabits); !status.is_ok()) return status;
    }
  }
  places.hosts_ = std::move(hosts);
  places.megabits_ = megabits;
  return Status::ok();
}

std::uint64_t Places::burst_bytes() const {
  return hosts_ == nullptr ? 0 : hw::HostNetwork::burst_bytes(megabits_);
}

hw::UdpEndpoint Places::address(std::size_t process, std::uint32_t rail) const {
  if (hosts_ == nullptr) return {};
  return {hw::HostNetwork::address(static_cast<std::uint32_t>(process), rail), 0};
}

Status Places::at(std::size_t process, const std::function<Status()>& open) const {
  if (hosts_ == nullptr) return open();
  return hw::in_namespace(hosts_->name_space(static_cast<std::uint32_t>(process)), open);
}

Status Places::enter(std::size_t process) const {
  if (hosts_ == nullptr) return Status::ok();
  return hw::enter_namespace(hosts_->name_space(static_cast<std::uint32_t>(process)));
}

}  // namespace holdfast::netpipe
