// What a mebibyte over TCP costs by the size of the calls that write it: there and back over
// loopback, between two processes that poll. Once as they come, and once with MSG_MORE in all but
// the last, so that no call ends with a short segment. Nothing of ours is in it: it is why a post
// of hw/tcp is as long as it is.
//
// usage: calls_bench [rounds (9)]
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "hw/monotonic_clock.hpp"
#include "tests/bench/loopback.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::hw;
using namespace holdfast::bench;

constexpr std::size_t kBytes = 1 << 20;
constexpr std::size_t kReadBytes = 256 << 10;  // as hw/tcp reads
constexpr std::array<std::size_t, 5> kCalls{64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20};
constexpr int kWarm = 20, kTrips = 200;

enum class Ends : std::uint8_t { short_segment, nothing };

bool is_for_later(ssize_t done) {
  return done < 0 && (errno == EAGAIN || errno == EINTR);
}

class End {
 public:
  explicit End(Descriptor socket) : socket_(std::move(socket)), out_(kBytes, 'x'), in_(kBytes) {}

  void write(std::size_t call, Ends ends) {
    for (std::size_t done = 0; done < kBytes;) {
      const std::size_t some = std::min(call, kBytes - done);
      const bool is_last = ends == Ends::short_segment || done + some == kBytes;
      const int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (is_last ? 0 : MSG_MORE);
      const ssize_t sent = ::send(socket_.get(), out_.data() + done, some, flags);
      need(sent > 0 || is_for_later(sent), "send");
      if (sent > 0) done += static_cast<std::size_t>(sent);
    }
  }
  void read() {
    for (std::size_t done = 0; done < kBytes;) {
      const std::size_t some = std::min(kReadBytes, kBytes - done);
      const ssize_t got = ::recv(socket_.get(), in_.data() + done, some, MSG_DONTWAIT);
      need(got > 0 || is_for_later(got), "recv");
      if (got > 0) done += static_cast<std::size_t>(got);
    }
  }

 private:
  Descriptor socket_;
  std::vector<char> out_, in_;
};

// GB/s, in one direction after the other.
double measure(std::size_t call, Ends with) {
  Connection ends = connect_tcp();
  const pid_t echo = ::fork();
  need(echo >= 0, "fork");
  if (echo == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ends.from = {};
    End end(std::move(ends.to));
    for (;;) {
      end.read();
      end.write(call, with);
    }
  }
  ends.to = {};
  End end(std::move(ends.from));
  Time began;
  for (int i = 0; i < kWarm + kTrips; ++i) {
    if (i == kWarm) began = monotonic_now();
    end.write(call, with);
    end.read();
  }
  const auto took = static_cast<double>((monotonic_now() - began).ns);
  ::kill(echo, SIGKILL);
  ::waitpid(echo, nullptr, 0);
  return 2.0 * kTrips * static_cast<double>(kBytes) / took;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 9;
  if (rounds < 1) {
    std::fprintf(stderr, "usage: calls_bench [rounds]\n");
    return 2;
  }
  constexpr std::array kBoth{Ends::short_segment, Ends::nothing};
  std::array<std::array<std::vector<double>, kBoth.size()>, kCalls.size()> rates;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < kCalls.size(); ++i) {
      for (std::size_t k = 0; k < kBoth.size(); ++k) {
        rates[i][k].push_back(measure(kCalls[i], kBoth[k]));
      }
    }
  }
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    std::printf("calls of %5zu KiB: %5.2f GB/s, with MSG_MORE %5.2f\n", kCalls[i] >> 10,
                median_of(rates[i][0]), median_of(rates[i][1]));
  }
}
