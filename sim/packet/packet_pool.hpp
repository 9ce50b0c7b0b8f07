// Packets under way, named by 32-bit indices; the last one freed is the next one taken.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/packet/exact_time.hpp"
#include "stack/base/ids.hpp"

namespace holdfast::sim {

constexpr std::uint32_t kNoPacket = 0xffff'ffff;
constexpr std::uint32_t kNoPort = 0xffff'ffff;

struct Packet {
  // When its next output may begin to send it; before that output is known, when the header has
  // been through the switch (store and forward: the whole packet).
  Instant ready;
  std::uint64_t serial = 0;  // order of injection: decides between equal times
  std::uint64_t token = 0;   // the sender's
  SimTime injected;          // where a collapsed packet's times begin
  SimTime tail_at;           // its last bit is at the far end of the link it is on
  std::uint32_t from = 0;    // hosts
  std::uint32_t to = 0;
  std::uint32_t wire_bytes = 0;    // with headers
  std::uint32_t next = kNoPacket;  // in its queue, or in the free list
  std::uint32_t port = kNoPort;    // the output it waits for, or is on its way to
  std::uint32_t on = kNoPort;      // the output it has left last
  std::uint32_t held = kNoPort;    // the output whose credits it holds
  std::uint32_t generation = 0;    // of this index: changes when the packet is gone
  std::uint16_t path = 0;
  std::uint8_t lane = 0;
  bool collapsed = false;
  bool broken = false;  // cut while it was sent: what arrives is not it
};

class PacketPool {
 public:
  std::uint32_t take() {
    if (free_ == kNoPacket) {
      free_ = static_cast<std::uint32_t>(packets_.size());
      packets_.emplace_back();
    }
    const std::uint32_t index = free_;
    free_ = packets_[index].next;
    const std::uint32_t generation = packets_[index].generation;
    packets_[index] = Packet{};
    packets_[index].generation = generation;
    ++in_use_;
    return index;
  }

  void give(std::uint32_t index) {
    Packet& packet = packets_[index];
    ++packet.generation;
    packet.collapsed = false;
    packet.next = free_;
    free_ = index;
    --in_use_;
  }

  // Until the next take.
  Packet& operator[](std::uint32_t index) { return packets_[index]; }
  const Packet& operator[](std::uint32_t index) const { return packets_[index]; }

  void prefetch(std::uint32_t index) const {
    const char* const packet = reinterpret_cast<const char*>(&packets_[index]);
    __builtin_prefetch(packet);
    __builtin_prefetch(packet + 64);
  }

  std::uint32_t in_use() const { return in_use_; }
  // Indices ever used; those that are free now among them.
  std::uint32_t size() const { return static_cast<std::uint32_t>(packets_.size()); }
  std::size_t memory_bytes() const { return packets_.capacity() * sizeof(Packet); }

 private:
  std::vector<Packet> packets_;
  std::uint32_t free_ = kNoPacket;
  std::uint32_t in_use_ = 0;
};

}  // namespace holdfast::sim
