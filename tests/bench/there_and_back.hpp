// How fast a mebibyte goes over TCP there and back, between two processes that poll.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

#include "hw/monotonic_clock.hpp"
#include "tests/bench/loopback.hpp"

namespace holdfast::bench {

constexpr std::size_t kMebibyte = 1 << 20;

// GB/s, in one direction after the other. An End is made of its socket and the settings; its
// write() and read() move a mebibyte each.
template <class End, class... Settings>
double there_and_back(Settings... settings) {
  constexpr int kWarm = 20, kTrips = 200;
  Connection ends = connect_tcp();
  const pid_t echo = ::fork();
  need(echo >= 0, "fork");
  if (echo == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ends.from = {};
    End end(std::move(ends.to), settings...);
    for (;;) {
      end.read();
      end.write();
    }
  }
  ends.to = {};
  End end(std::move(ends.from), settings...);
  Time began;
  for (int i = 0; i < kWarm + kTrips; ++i) {
    if (i == kWarm) began = hw::monotonic_now();
    end.write();
    end.read();
  }
  const auto took = static_cast<double>((hw::monotonic_now() - began).ns);
  ::kill(echo, SIGKILL);
  ::waitpid(echo, nullptr, 0);
  return 2.0 * kTrips * static_cast<double>(kMebibyte) / took;
}

}  // namespace holdfast::bench
