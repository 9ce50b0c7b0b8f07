// What became of packets, counted: of one kind of traffic, or of the frames of the job.
//
// Every packet that was sent is delivered, lost with one of the other fates, or under way. Times
// are from the moment at which it was handed to its adapter to its last bit, in units of 10 ps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/topology/sim_time.hpp"

namespace holdfast::sim {

enum class PacketFate : std::uint8_t {
  delivered,
  // Of parts that are dead or impaired, or of tables that do not match the fabric:
  no_route,   // no table entry, or the way leads to somebody else
  port_down,  // its output port, or the link of it, is down
  cut,        // the link went down while it was sent
  corrupted,  // by an impaired link
  // Of too many packets:
  queue_full,  // drop_tail
  too_old,     // head_lifetime
};
constexpr std::size_t kPacketFates = 7;

// Whether the fabric lost it because something of it does not work.
constexpr bool is_of_faults(PacketFate fate) {
  return fate != PacketFate::delivered && fate < PacketFate::queue_full;
}

struct PacketCounts {
  std::uint64_t sent = 0;
  std::uint64_t skipped = 0;                          // not sent, for want of room in the adapter
  std::array<std::uint64_t, kPacketFates> by_fate{};  // of those sent and no more under way
  std::int64_t delay_units = 0;                       // of all delivered ones together
  std::int64_t delay_max_units = 0;

  std::uint64_t count(PacketFate fate) const { return by_fate[static_cast<std::size_t>(fate)]; }
  std::uint64_t delivered() const { return count(PacketFate::delivered); }
  std::uint64_t lost() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t number : by_fate) sum += number;
    return sum - delivered();
  }

  // A packet that took `delay` has come to its end.
  void finish(PacketFate fate, SimTime delay) {
    ++by_fate[static_cast<std::size_t>(fate)];
    if (fate != PacketFate::delivered) return;
    delay_units += delay.value;
    delay_max_units = std::max(delay_max_units, delay.value);
  }

  PacketCounts& operator+=(const PacketCounts& other) {
    sent += other.sent;
    skipped += other.skipped;
    for (std::size_t i = 0; i < kPacketFates; ++i) by_fate[i] += other.by_fate[i];
    delay_units += other.delay_units;
    delay_max_units = std::max(delay_max_units, other.delay_max_units);
    return *this;
  }
  // What has happened since the counts were `before` happens so many times more.
  void repeat_since(const PacketCounts& before, std::uint64_t times) {
    sent += times * (sent - before.sent);
    skipped += times * (skipped - before.skipped);
    for (std::size_t i = 0; i < kPacketFates; ++i) {
      by_fate[i] += times * (by_fate[i] - before.by_fate[i]);
    }
    delay_units += static_cast<std::int64_t>(times) * (delay_units - before.delay_units);
  }
  friend bool operator==(const PacketCounts&, const PacketCounts&) = default;
};

}  // namespace holdfast::sim
