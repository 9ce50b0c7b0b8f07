// What a mebibyte over TCP costs by how many bytes are in front of each of its fragments: there and
// back over loopback, between two processes that poll. The kernel has in its pages what a call
// wrote, so these bytes say how the payload lies there. Nothing of ours is in it: it is why frames
// of hw/tcp lie as they do.
//
// usage: framing_bench [rounds (21)]
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "tests/bench/loopback.hpp"
#include "tests/bench/there_and_back.hpp"

namespace {

using namespace holdfast;
using namespace holdfast::hw;
using namespace holdfast::bench;

constexpr std::size_t kFragment = 256 << 10;  // as of hw/tcp, and two of them in a call
constexpr std::size_t kOfCall = 2;
constexpr std::array<std::size_t, 4> kInFront{0, 52, 64, 128};
constexpr std::size_t kPage = 4096;

// Hands all of it to `move`, however little of it is taken at a time.
template <class Move>
void move_all(std::span<iovec> pieces, const char* what, const Move& move) {
  while (!pieces.empty()) {
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const ssize_t done = move(message);
    need(done > 0 || (done < 0 && (errno == EAGAIN || errno == EINTR)), what);
    for (auto left = static_cast<std::size_t>(std::max<ssize_t>(done, 0)); !pieces.empty();) {
      iovec& first = pieces.front();
      const std::size_t some = std::min(left, first.iov_len);
      first.iov_base = static_cast<std::byte*>(first.iov_base) + some;
      first.iov_len -= some;
      left -= some;
      if (first.iov_len > 0) break;
      pieces = pieces.subspan(1);
    }
  }
}

class End {
 public:
  End(Descriptor socket, std::size_t in_front)
      : socket_(std::move(socket)), in_front_(in_front), out_(pages()), in_(pages()) {}
  ~End() {
    std::free(out_);
    std::free(in_);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  void write() {
    for (std::size_t at = 0; at < kMebibyte; at += kOfCall * kFragment) {
      std::array<iovec, 2 * kOfCall> pieces;
      for (std::size_t i = 0; i < kOfCall; ++i) {
        pieces[2 * i] = {header_.data(), in_front_};
        pieces[2 * i + 1] = {out_ + at + i * kFragment, kFragment};
      }
      move_all(pieces, "sendmsg", [&](const msghdr& message) {
        return ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
      });
    }
  }
  void read() {
    for (std::size_t at = 0; at < kMebibyte; at += kFragment) {
      std::array<iovec, 2> pieces{iovec{header_.data(), in_front_}, {in_ + at, kFragment}};
      move_all(pieces, "recvmsg",
               [&](msghdr& message) { return ::recvmsg(socket_.get(), &message, MSG_DONTWAIT); });
    }
  }

 private:
  static std::byte* pages() {
    auto* const made = static_cast<std::byte*>(std::aligned_alloc(kPage, kMebibyte));
    need(made != nullptr, "aligned_alloc");
    std::fill_n(made, kMebibyte, std::byte{1});
    return made;
  }

  Descriptor socket_;
  std::size_t in_front_;
  std::array<std::byte, kInFront.back()> header_{};
  std::byte* out_;
  std::byte* in_;
};

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 21;
  if (rounds < 1) {
    std::fprintf(stderr, "usage: framing_bench [rounds]\n");
    return 2;
  }
  std::array<std::vector<double>, kInFront.size()> rates;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < kInFront.size(); ++i)
      rates[i].push_back(there_and_back<End>(kInFront[i]));
  }
  for (std::size_t i = 0; i < kInFront.size(); ++i) {
    std::printf("%3zu bytes in front of each 256 KiB: %5.2f GB/s\n", kInFront[i],
                median_of(rates[i]));
  }
}
