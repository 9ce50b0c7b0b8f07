// What a datagram takes from one process of this machine to another that sleeps until it comes:
// half a round trip of 64 bytes, within a host over loopback, and between two hosts that are
// network namespaces (hw/inject/host_network.hpp; needs root). These are the latencies that
// sim-vs-real gives the simulation.
//
// usage: latency_bench [round trips (20000)]
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "hw/descriptor.hpp"
#include "hw/inject/host_network.hpp"
#include "hw/monotonic_clock.hpp"
#include "hw/udp/internet_socket.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::hw;

constexpr std::uint16_t kPort = 9000;
constexpr std::size_t kBytes = 64;

struct End {
  int name_space = -1;  // -1: where we are
  std::uint32_t address = INADDR_LOOPBACK;
  std::uint16_t port = kPort;
};

SocketName name_of(const End& end) {
  return SocketName({end.address, end.port});
}

// A socket at `own` that talks with `other` only.
Descriptor open_at(const End& own, const End& other) {
  if (own.name_space >= 0 && ::setns(own.name_space, CLONE_NEWNET) != 0) return {};
  Descriptor made(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const SocketName here = name_of(own), there = name_of(other);
  if (::bind(made.get(), &here.any, here.size) != 0 ||
      ::connect(made.get(), &there.any, there.size) != 0)
    return {};
  return made;
}

[[noreturn]] void echo(const End& own, const End& other) {
  const Descriptor socket = open_at(own, other);
  std::array<char, kBytes> frame;
  while (true) {
    if (::recv(socket.get(), frame.data(), frame.size(), 0) > 0)
      (void)!::send(socket.get(), frame.data(), frame.size(), 0);
  }
}

// Half round trips in order, in nanoseconds; empty: there are no sockets. On a child of its own, as
// a thread that has entered a namespace does not come back.
void measure(const char* what, const End& a, const End& b, std::size_t trips) {
  const pid_t echoing = ::fork();
  if (echoing == 0) echo(b, a);
  const pid_t asking = ::fork();
  if (asking == 0) {
    const Descriptor socket = open_at(a, b);
    const timeval patience{1, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::array<char, kBytes> frame{};
    std::vector<std::int64_t> halves;
    while (halves.size() < trips) {
      const Time began = monotonic_now();
      (void)!::send(socket.get(), frame.data(), frame.size(), 0);
      if (::recv(socket.get(), frame.data(), frame.size(), 0) <= 0) continue;
      halves.push_back((monotonic_now() - began).ns / 2);
    }
    std::sort(halves.begin(), halves.end());
    const auto at = [&](std::size_t percent) {
      return static_cast<double>(halves[(halves.size() - 1) * percent / 100]) / 1000;
    };
    std::printf("%-24s median %7.2f us   5 %% %7.2f us   95 %% %7.2f us\n", what, at(50), at(5),
                at(95));
    std::fflush(stdout);
    ::_exit(0);
  }
  ::waitpid(asking, nullptr, 0);
  ::kill(echoing, SIGKILL);
  ::waitpid(echoing, nullptr, 0);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t trips = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 20'000;
  if (trips == 0) {
    std::fprintf(stderr, "latency_bench: expected a number of round trips above zero\n");
    return 2;
  }
  measure("within a host", {-1, INADDR_LOOPBACK, kPort}, {-1, INADDR_LOOPBACK, kPort + 1}, trips);
  std::unique_ptr<HostNetwork> network;
  if (const Status status = HostNetwork::open(2, 1, network); !status.is_ok()) {
    std::fprintf(stderr, "latency_bench: %s\n", status.message().c_str());
    return 2;
  }
  measure("between two namespaces", {network->name_space(0), HostNetwork::address(0)},
          {network->name_space(1), HostNetwork::address(1)}, trips);
  return 0;
}
