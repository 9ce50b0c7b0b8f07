// A netlink socket that hears of links, and an ioctl for how one of them is.
#include "hw/udp/port_watch.hpp"

#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/udp/internet_socket.hpp"

namespace holdfast::hw {
namespace {

bool is_of(const sockaddr* name, const IpAddress& ip) {
  const auto* const bytes = ip.bytes().data();
  if (name == nullptr || name->sa_family != (ip.is_v6() ? AF_INET6 : AF_INET)) return false;
  if (ip.is_v6()) {
    sockaddr_in6 v6;
    std::memcpy(&v6, name, sizeof v6);
    return std::memcmp(&v6.sin6_addr, bytes, sizeof v6.sin6_addr) == 0;
  }
  sockaddr_in v4;
  std::memcpy(&v4, name, sizeof v4);
  return std::memcmp(&v4.sin_addr, bytes, sizeof v4.sin_addr) == 0;
}

// Empty: there is none.
std::string interface_of(const IpAddress& ip) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* each = all; each != nullptr && found.empty(); each = each->ifa_next) {
    if (is_of(each->ifa_addr, ip)) found = each->ifa_name;
  }
  ::freeifaddrs(all);
  return found;
}

}  // namespace

Status PortWatch::open(const UdpEndpoint& local, std::unique_ptr<PortWatch>& opened) {
  const std::string interface = interface_of(local.ip);
  if (interface.empty())
    return Status::error("no interface has the address " + text_of(local.ip) +
                         "; only that of one interface can be watched");
  Descriptor news(::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE));
  sockaddr_nl name{};
  name.nl_family = AF_NETLINK;
  name.nl_groups = RTMGRP_LINK;
  if (!news.is_open() ||
      ::bind(news.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
    return Status::error("the kernel tells no news of " + interface + ": " + std::strerror(errno));
  opened.reset(new PortWatch(std::move(news), interface));
  return Status::ok();
}

Status PortWatch::open(PortWatching wanted, const UdpEndpoint& local, const Descriptor& epoll,
                       std::unique_ptr<PortWatch>& opened) {
  opened.reset();
  if (wanted == PortWatching::none) return Status::ok();
  std::unique_ptr<PortWatch> watch;
  Status status = open(local, watch);
  if (status.is_ok() && wanted == PortWatching::where_possible &&
      (watch->flags() & IFF_LOOPBACK) != 0)
    return Status::ok();
  epoll_event news{};
  news.events = EPOLLIN;
  if (status.is_ok() && ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, watch->news_.get(), &news) != 0)
    status =
        Status::error("cannot wait for news of " + watch->interface_ + ": " + std::strerror(errno));
  if (status.is_ok()) opened = std::move(watch);
  return wanted == PortWatching::required ? status : Status::ok();
}

// As SIOCGIFFLAGS has them; none of an interface that was removed.
unsigned PortWatch::flags() const {
  ifreq request{};
  const std::size_t bytes = std::min(interface_.size(), sizeof request.ifr_name - 1);
  std::memcpy(request.ifr_name, interface_.data(), bytes);
  if (::ioctl(news_.get(), SIOCGIFFLAGS, &request) != 0) return 0;
  return static_cast<unsigned>(request.ifr_flags);
}

bool PortWatch::is_up() const {
  constexpr unsigned kCarries = IFF_UP | IFF_RUNNING;
  return (flags() & kCarries) == kCarries;
}

// What is read is thrown away. An overflow is news like any other.
bool PortWatch::look(Time now, Event& event) {
  if (now < next_look_) return false;
  next_look_ = now + kLookEvery;
  std::array<char, 4096> news;
  for (;;) {
    const ssize_t got = ::recv(news_.get(), news.data(), news.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && errno != ENOBUFS) break;
    asks_ = true;
  }
  if (!asks_) return false;
  asks_ = false;
  const bool up = is_up();
  if (up == told_up_) return false;
  told_up_ = up;
  event = {};
  event.kind = up ? EventKind::port_up : EventKind::port_down;
  event.at = now;
  return true;
}

}  // namespace holdfast::hw
