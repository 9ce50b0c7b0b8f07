// What programs need that measure sockets of this machine.
#pragma once

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/udp/internet_socket.hpp"

namespace holdfast::bench {

using hw::Descriptor;
using hw::SocketName;
using hw::UdpEndpoint;

[[noreturn]] inline void give_up(const char* what) {
  std::perror((std::string("bench: ") + what).c_str());
  std::exit(2);
}

inline void need(bool is_done, const char* what) {
  if (!is_done) give_up(what);
}

inline void set_option(int socket, int level, int name) {
  const int on = 1;
  need(::setsockopt(socket, level, name, &on, sizeof on) == 0, "setsockopt");
}

inline Descriptor bound_socket(int type) {
  Descriptor made(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  const SocketName any_port(UdpEndpoint{INADDR_LOOPBACK, 0});
  need(::bind(made.get(), &any_port.any, any_port.size) == 0, "bind");
  return made;
}

struct Connection {
  Descriptor from, to;
};

inline Connection connect_tcp() {
  const Descriptor listener = bound_socket(SOCK_STREAM);
  need(::listen(listener.get(), 1) == 0, "listen");
  const SocketName name(hw::local_name(listener.get()));
  Connection made{bound_socket(SOCK_STREAM), {}};
  need(::connect(made.from.get(), &name.any, name.size) == 0, "connect");
  made.to = Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  for (const Descriptor* end : {&made.from, &made.to})
    set_option(end->get(), IPPROTO_TCP, TCP_NODELAY);
  return made;
}

inline double median_of(std::vector<double>& all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

}  // namespace holdfast::bench
