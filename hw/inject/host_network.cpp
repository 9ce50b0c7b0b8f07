// Namespaces by unshare(2), interfaces by ip(8) and rates by tc(8); what faults
// change, by ioctl(2), and what is silent by silent_ports.hpp.
#include "hw/inject/host_network.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hw/inject/in_namespace.hpp"
#include "hw/inject/run_tool.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr Tool kIp{"ip", "iproute2"};
constexpr Tool kTc{"tc", "iproute2"};
constexpr const char* kOwnNamespace = "/proc/thread-self/ns/net";

std::string text_of_address(std::uint32_t host, std::uint32_t rail) {
  const std::uint32_t address = HostNetwork::address(host, rail);
  std::string text = std::to_string(address >> 24);
  for (const int shift : {16, 8, 0}) text += "." + std::to_string(address >> shift & 0xff);
  return text;
}

// Of the locally administered ones.
std::array<std::uint8_t, 6> ethernet_address(std::uint32_t host, std::uint32_t rail) {
  return {2, 0, 0, 0, static_cast<std::uint8_t>(rail), static_cast<std::uint8_t>(host)};
}

std::string text_of_ethernet_address(std::uint32_t host, std::uint32_t rail) {
  std::array<char, 18> text;
  std::snprintf(text.data(), text.size(), "02:00:00:00:%02x:%02x", rail & 0xffu, host & 0xffu);
  return text.data();
}

// In each host, and of a bridge's port.
std::string rail_name(std::uint32_t rail) {
  return "rail-" + std::to_string(rail);
}
std::string port_name(std::uint32_t host, std::uint32_t rail) {
  return rail_name(rail) + "-" + std::to_string(host);
}

// A new namespace; the thread stays in the one where it was.
Status new_namespace(Descriptor& made) {
  const Descriptor own(::open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
  if (!own.is_open() || ::unshare(CLONE_NEWNET) != 0) {
    const std::string why = std::strerror(errno);
    return Status::error("hosts cannot be network namespaces here (" + why +
                         "); expected root, or the capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN");
  }
  made = Descriptor(::open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
  const bool back = ::setns(own.get(), CLONE_NEWNET) == 0;
  HOLDFAST_ASSERT(back);  // else all that follows would happen in the wrong network
  if (made.is_open()) return Status::ok();
  return Status::error(std::string("cannot open a network namespace: ") + std::strerror(errno));
}

Status run_ip(int name_space, const std::string& commands) {
  return run_tool(kIp, {"-batch", "-"}, name_space, commands);
}

// Where a host finds another one, for good.
arpreq neighbour(std::uint32_t host, std::uint32_t rail) {
  arpreq request{};
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(HostNetwork::address(host, rail));
  std::memcpy(&request.arp_pa, &where, sizeof where);
  request.arp_ha.sa_family = ARPHRD_ETHER;
  const auto ethernet = ethernet_address(host, rail);
  std::memcpy(request.arp_ha.sa_data, ethernet.data(), ethernet.size());
  request.arp_flags = ATF_PERM | ATF_COM;
  rail_name(rail).copy(request.arp_dev, sizeof request.arp_dev - 1);
  return request;
}

// By the kernel's own call: a tool would have to be started at the very moment at which others are
// to notice, and would take the processors that they need for it.
Status set_link(int name_space, const std::string& name, bool up) {
  return in_namespace(name_space, [&] {
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    HOLDFAST_ASSERT(name.size() < sizeof request.ifr_name);
    name.copy(request.ifr_name, name.size());
    bool is_done = socket.is_open() && ::ioctl(socket.get(), SIOCGIFFLAGS, &request) == 0;
    if (is_done) {
      const int flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
      request.ifr_flags = static_cast<short>(flags);
      is_done = ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
    }
    if (is_done) return Status::ok();
    return Status::error("cannot set " + name + (up ? " up: " : " down: ") + std::strerror(errno));
  });
}

}  // namespace

Status HostNetwork::open(std::uint32_t hosts, std::uint32_t rails,
                         std::unique_ptr<HostNetwork>& network) {
  HOLDFAST_ASSERT(hosts >= 1 && hosts <= kHostsMax && rails >= 1 && rails <= kRailsMax);
  auto made = std::make_unique<HostNetwork>();
  made->rails_ = rails;
  if (Status status = made->make(hosts); !status.is_ok()) return status;
  network = std::move(made);
  return Status::ok();
}

Status HostNetwork::make(std::uint32_t hosts) {
  if (Status status = new_namespace(hub_); !status.is_ok()) return status;
  hosts_ = std::vector<Host>(hosts);
  for (Host& host : hosts_) {
    if (Status status = new_namespace(host.name_space); !status.is_ok()) return status;
  }
  if (Status status = make_hub(); !status.is_ok()) return status;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    if (Status status = join(host); !status.is_ok()) return status;
  }
  return Status::ok();
}

// The bridges, and the pairs of which the other ends are put into the hosts.
Status HostNetwork::make_hub() {
  std::string commands;
  for (std::uint32_t rail = 0; rail < rails_; ++rail) {
    const std::string hub = "hub-" + std::to_string(rail);
    commands += "link add " + hub + " type bridge\nlink set " + hub + " up\n";
    for (std::uint32_t host = 0; host < hosts(); ++host) {
      const std::string name = port_name(host, rail);
      commands += "link add " + name + " type veth peer name " + rail_name(rail) + " address " +
                  text_of_ethernet_address(host, rail) + " netns /proc/" +
                  std::to_string(::getpid()) + "/fd/" + std::to_string(name_space(host)) + "\n";
      commands += "link set " + name + " master " + hub + "\nlink set " + name + " up\n";
    }
  }
  return run_ip(hub_.get(), commands);
}

Status HostNetwork::join(std::uint32_t host) {
  std::string commands = "link set lo up\n";
  for (std::uint32_t rail = 0; rail < rails_; ++rail) {
    const std::string name = rail_name(rail);
    commands += "address add " + text_of_address(host, rail) + "/24 dev " + name + "\nlink set " +
                name + " up\n";
  }
  if (Status status = run_ip(name_space(host), commands); !status.is_ok()) return status;
  for (std::uint32_t rail = 0; rail < rails_; ++rail) {
    if (Status status = set_neighbours(host, rail); !status.is_ok()) return status;
  }
  return Status::ok();
}

// An interface that goes down forgets them.
Status HostNetwork::set_neighbours(std::uint32_t host, std::uint32_t rail) const {
  return in_namespace(name_space(host), [&] {
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open())
      return Status::error(std::string("a host has no socket: ") + std::strerror(errno));
    for (std::uint32_t other = 0; other < hosts(); ++other) {
      if (other == host) continue;
      const arpreq request = neighbour(other, rail);
      if (::ioctl(socket.get(), SIOCSARP, &request) == 0) continue;
      return Status::error("cannot tell a host where " + text_of_address(other, rail) +
                           " is: " + std::strerror(errno));
    }
    return Status::ok();
  });
}

// A burst of a millisecond, and of no less than the longest run of datagrams that the kernel sends
// as one, which else would be cut by the bucket.
std::uint64_t HostNetwork::burst_bytes(std::uint32_t megabits) {
  constexpr std::uint64_t kLongestRun = 128 << 10;
  return std::max(std::uint64_t{megabits} * 1'000'000 / 8 / 1000, kLongestRun);
}

Status HostNetwork::limit(std::uint32_t host, std::uint32_t rail, std::uint32_t megabits) {
  HOLDFAST_ASSERT(rail < rails_ && megabits >= 1);
  const Status status =
      run_tool(kTc, {"-batch", "-"}, name_space(host),
               "qdisc add dev " + rail_name(rail) + " root tbf rate " + std::to_string(megabits) +
                   "mbit burst " + std::to_string(burst_bytes(megabits)) + " limit " +
                   std::to_string(kQueueBytes) + "\n");
  if (status.is_ok()) return status;
  return Status::error("rates of rails cannot be limited here (" + status.message() +
                       "); expected a kernel with the queueing discipline tbf");
}

Status HostNetwork::allow_silence() {
  return silent_.is_open() ? Status::ok() : SilentPorts::open(hub_.get(), silent_);
}

Status HostNetwork::begin(std::uint32_t host, std::uint32_t rail, RailFault fault) {
  HOLDFAST_ASSERT(rail < rails_);
  std::uint32_t& count = hosts_[host].faults[rail][static_cast<std::size_t>(fault)];
  return count++ == 0 ? set(host, rail, fault, true) : Status::ok();
}

Status HostNetwork::end(std::uint32_t host, std::uint32_t rail, RailFault fault) {
  HOLDFAST_ASSERT(rail < rails_);
  std::uint32_t& count = hosts_[host].faults[rail][static_cast<std::size_t>(fault)];
  HOLDFAST_ASSERT(count > 0);
  return --count == 0 ? set(host, rail, fault, false) : Status::ok();
}

Status HostNetwork::set(std::uint32_t host, std::uint32_t rail, RailFault fault, bool on) {
  if (fault == RailFault::cut) return set_link(hub_.get(), port_name(host, rail), !on);
  if (fault == RailFault::closed) {
    Status status = set_link(name_space(host), rail_name(rail), !on);
    return on || !status.is_ok() ? status : set_neighbours(host, rail);
  }
  if (Status status = allow_silence(); !status.is_ok()) return status;
  const auto way = fault == RailFault::silent_from ? SilentPorts::Way::in : SilentPorts::Way::out;
  const std::string port = port_name(host, rail);
  return on ? silent_.begin(port, way) : silent_.end(port, way);
}

}  // namespace holdfast::hw
