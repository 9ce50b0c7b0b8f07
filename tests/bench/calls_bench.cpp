// What a mebibyte over TCP costs by the size of the calls that write it: there and back over
// loopback, between two processes that poll. Once as they come, and once with MSG_MORE in all but
// the last, so that no call ends with a short segment. Nothing of ours is in it: it is why a post
// of hw/tcp is as long as it is.
//
// usage: calls_bench [rounds (9)]
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tests/bench/loopback.hpp"
#include "tests/bench/there_and_back.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::hw;
using namespace holdfast::bench;

constexpr std::size_t kReadBytes = 256 << 10;  // as hw/tcp reads
constexpr std::array<std::size_t, 5> kCalls{64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20};

enum class Ends : std::uint8_t { short_segment, nothing };

bool is_for_later(ssize_t done) {
  return done < 0 && (errno == EAGAIN || errno == EINTR);
}

class End {
 public:
  End(Descriptor socket, std::size_t call, Ends ends)
      : socket_(std::move(socket)),
        call_(call),
        ends_(ends),
        out_(kMebibyte, 'x'),
        in_(kMebibyte) {}

  void write() {
    for (std::size_t done = 0; done < kMebibyte;) {
      const std::size_t some = std::min(call_, kMebibyte - done);
      const bool is_last = ends_ == Ends::short_segment || done + some == kMebibyte;
      const int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (is_last ? 0 : MSG_MORE);
      const ssize_t sent = ::send(socket_.get(), out_.data() + done, some, flags);
      need(sent > 0 || is_for_later(sent), "send");
      if (sent > 0) done += static_cast<std::size_t>(sent);
    }
  }
  void read() {
    for (std::size_t done = 0; done < kMebibyte;) {
      const std::size_t some = std::min(kReadBytes, kMebibyte - done);
      const ssize_t got = ::recv(socket_.get(), in_.data() + done, some, MSG_DONTWAIT);
      need(got > 0 || is_for_later(got), "recv");
      if (got > 0) done += static_cast<std::size_t>(got);
    }
  }

 private:
  Descriptor socket_;
  std::size_t call_;
  Ends ends_;
  std::vector<char> out_, in_;
};

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
        rates[i][k].push_back(there_and_back<End>(kCalls[i], kBoth[k]));
      }
    }
  }
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    std::printf("calls of %5zu KiB: %5.2f GB/s, with MSG_MORE %5.2f\n", kCalls[i] >> 10,
                median_of(rates[i][0]), median_of(rates[i][1]));
  }
}
