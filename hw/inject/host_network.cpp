// Namespaces by unshare(2), interfaces by ip(8), filters by nft(8).
#include "hw/inject/host_network.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hw/inject/run_tool.hpp"
#include "stack/base/assert.hpp"

namespace holdfast::hw {

namespace {

constexpr Tool kIp{"ip", "iproute2"};
constexpr Tool kNft{"nft", "nftables"};
constexpr const char* kOwnNamespace = "/proc/thread-self/ns/net";

// Frames of the bridge pass one chain, in which two sets of ports are dropped.
constexpr const char* kFilters =
    "table bridge rails {\n"
    "  set silent_from { type ifname; }\n"
    "  set silent_to { type ifname; }\n"
    "  chain forward {\n"
    "    type filter hook forward priority 0; policy accept;\n"
    "    iifname @silent_from drop\n"
    "    oifname @silent_to drop\n"
    "  }\n"
    "}\n";

std::string text_of_address(std::uint32_t host) {
  const std::uint32_t address = HostNetwork::address(host);
  std::string text = std::to_string(address >> 24);
  for (const int shift : {16, 8, 0}) text += "." + std::to_string(address >> shift & 0xff);
  return text;
}

// Of the locally administered ones.
std::string ethernet_address(std::uint32_t host) {
  std::array<char, 18> text;
  std::snprintf(text.data(), text.size(), "02:00:00:00:00:%02x", host & 0xffu);
  return text.data();
}

std::string rail_name(std::uint32_t host) {
  return "rail-" + std::to_string(host);
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

}  // namespace

Status HostNetwork::open(std::uint32_t hosts, std::unique_ptr<HostNetwork>& network) {
  HOLDFAST_ASSERT(hosts >= 1 && hosts <= kHostsMax);
  auto made = std::make_unique<HostNetwork>();
  if (Status status = made->make(hosts); !status.is_ok()) return status;
  network = std::move(made);
  return Status::ok();
}

Status HostNetwork::make(std::uint32_t hosts) {
  if (Status status = new_namespace(hub_); !status.is_ok()) return status;
  rails_ = std::vector<Rail>(hosts);
  for (Rail& rail : rails_) {
    if (Status status = new_namespace(rail.name_space); !status.is_ok()) return status;
  }
  if (Status status = make_hub(); !status.is_ok()) return status;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    if (Status status = join(host); !status.is_ok()) return status;
  }
  return Status::ok();
}

// The bridge, and the pairs of which the other ends are put into the hosts.
Status HostNetwork::make_hub() {
  std::string commands = "link add hub type bridge\nlink set hub up\n";
  for (std::uint32_t host = 0; host < hosts(); ++host) {
    const std::string name = rail_name(host);
    commands += "link add " + name + " type veth peer name rail address " + ethernet_address(host) +
                " netns /proc/" + std::to_string(::getpid()) + "/fd/" +
                std::to_string(name_space(host)) + "\n";
    commands += "link set " + name + " master hub\nlink set " + name + " up\n";
  }
  return run_ip(hub_.get(), commands);
}

Status HostNetwork::join(std::uint32_t host) {
  std::string commands =
      "link set lo up\naddress add " + text_of_address(host) + "/24 dev rail\nlink set rail up\n";
  for (std::uint32_t other = 0; other < hosts(); ++other) {
    if (other == host) continue;
    commands += "neighbour add " + text_of_address(other) + " lladdr " + ethernet_address(other) +
                " dev rail nud permanent\n";
  }
  return run_ip(name_space(host), commands);
}

Status HostNetwork::begin(std::uint32_t host, RailFault fault) {
  std::uint32_t& count = rails_[host].faults[static_cast<std::size_t>(fault)];
  return count++ == 0 ? set(host, fault, true) : Status::ok();
}

Status HostNetwork::end(std::uint32_t host, RailFault fault) {
  std::uint32_t& count = rails_[host].faults[static_cast<std::size_t>(fault)];
  HOLDFAST_ASSERT(count > 0);
  return --count == 0 ? set(host, fault, false) : Status::ok();
}

Status HostNetwork::set(std::uint32_t host, RailFault fault, bool on) {
  if (fault == RailFault::cut) {
    return run_ip(hub_.get(), "link set " + rail_name(host) + (on ? " down\n" : " up\n"));
  }
  std::string commands = filters_ ? "" : kFilters;
  commands += std::string(on ? "add" : "delete") + " element bridge rails " +
              (fault == RailFault::silent_from ? "silent_from" : "silent_to") + " { \"" +
              rail_name(host) + "\" }\n";
  const Status status = run_tool(kNft, {"-f", "-"}, hub_.get(), commands);
  filters_ = filters_ || status.is_ok();
  return status;
}

}  // namespace holdfast::hw
