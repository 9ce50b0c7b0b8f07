// The messages that a stream has under way: memory for kUnderWay of them, used in turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/failover/stream.hpp"
#include "experiments/failover/stream_log.hpp"
#include "experiments/netpipe/generator.hpp"
#include "hw/monotonic_clock.hpp"

namespace holdfast::failover {

class MessageRing {
 public:
  MessageRing(std::size_t message_bytes, std::uint64_t batch)
      : message_bytes_(message_bytes), batch_(batch), memory_(kUnderWay * message_bytes) {}

  std::span<std::byte> of(std::uint64_t number) {
    return std::span(memory_).subspan(number % kUnderWay * message_bytes_, message_bytes_);
  }
  void fill(std::uint64_t number) { netpipe::generate(name(number), of(number)); }
  // Writes down that this message was delivered just now.
  void check(std::uint64_t number, StreamLog& log) {
    const Time now = hw::monotonic_now();
    log.deliver(now, netpipe::is_generated(name(number), of(number)));
  }

 private:
  netpipe::MessageName name(std::uint64_t number) const {
    return {batch_, 0, static_cast<std::uint32_t>(number)};
  }

  std::size_t message_bytes_;
  std::uint64_t batch_;
  std::vector<std::byte> memory_;
};

}  // namespace holdfast::failover
