// Each fact is a system call on a socket that is closed again.
#include "hw/probe/sockets.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hw/descriptor.hpp"
#include "hw/probe/udp_runs.hpp"
#include "hw/udp/udp_fabric.hpp"

namespace holdfast::hw {
namespace {

// Linux 5.0 and 4.18; <netinet/udp.h> has them since glibc 2.34 only.
#ifndef UDP_GRO
constexpr int UDP_SEGMENT = 103;
constexpr int UDP_GRO = 104;
#endif

void try_option(FactGroup& group, const char* fact, int socket, int level, int option, int value) {
  group.add(fact, ::setsockopt(socket, level, option, &value, sizeof value) == 0);
}

// The kernel doubles what is asked for, for its own use, and says the double.
void add_buffer(FactGroup& group, const char* fact, int socket, int forced, int option,
                std::uint32_t bytes) {
  const int value = static_cast<int>(bytes);
  if (::setsockopt(socket, SOL_SOCKET, forced, &value, sizeof value) != 0)
    static_cast<void>(::setsockopt(socket, SOL_SOCKET, option, &value, sizeof value));
  int granted = 0;
  socklen_t size = sizeof granted;
  if (::getsockopt(socket, SOL_SOCKET, option, &granted, &size) == 0)
    group.add(fact, std::int64_t{granted / 2}, "bytes");
}

}  // namespace

FactGroup probe_sockets() {
  FactGroup sockets{"sockets", {}, {}};
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    sockets.add_unknown("udp", std::string("no socket: ") + std::strerror(errno));
    return sockets;
  }
  constexpr int kSegmentBytes = 512;
  try_option(sockets, "udp_segment", socket.get(), SOL_UDP, UDP_SEGMENT, kSegmentBytes);
  try_option(sockets, "udp_gro", socket.get(), SOL_UDP, UDP_GRO, 1);
  try_option(sockets, "arrival_times", socket.get(), SOL_SOCKET, SO_TIMESTAMPNS, 1);
  const UdpOptions wanted;
  add_buffer(sockets, "receive_buffer", socket.get(), SO_RCVBUFFORCE, SO_RCVBUF,
             wanted.receive_buffer_bytes);
  add_buffer(sockets, "send_buffer", socket.get(), SO_SNDBUFFORCE, SO_SNDBUF,
             wanted.send_buffer_bytes);
  const Descriptor self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  sockets.add("pidfd", self.is_open());
  probe_udp_runs(sockets);
  return sockets;
}

}  // namespace holdfast::hw
