// Streams of ends that keep the order, and how long anybody waits.
#include "experiments/netpipe/end.hpp"

#include <time.h>

#include <array>

namespace holdfast::netpipe {

namespace {
constexpr long kLongest_s = 20;
}  // namespace

void OrderedEnd::ping_pong(bool is_first, const Messages& out, const Messages& in) {
  for (std::size_t i = 0; i < out.count(); ++i) {
    if (is_first) send(out[i]);
    receive(in[i]);
    if (!is_first) send(out[i]);
  }
}

void OrderedEnd::stream_out(const Messages& out) {
  for (std::size_t i = 0; i < out.count(); ++i) send(out[i]);
  std::array<std::byte, 1> all_there{};
  receive(all_there);
}

void OrderedEnd::stream_in(const Messages& in) {
  for (std::size_t i = 0; i < in.count(); ++i) receive(in[i]);
  const std::array<std::byte, 1> all_there{};
  send(all_there);
}

void Patience::check() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (begun_s_ == 0) begun_s_ = now.tv_sec;
  if (now.tv_sec - begun_s_ > kLongest_s)
    throw EndFailed(what_ + ": nothing came for " + std::to_string(kLongest_s) + " s");
}

}  // namespace holdfast::netpipe
